// How the conformance suites run on a transport.
//
// A transport joins by a file that defines TransportsUnderTest and a line of
// CMake; the suites are the same for all.
#ifndef MPC_RUNTIME_CONFORMANCE_TRANSPORT_H_
#define MPC_RUNTIME_CONFORMANCE_TRANSPORT_H_

#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "gtest/gtest.h"
#include "runtime/comm/world.h"

namespace mpc::runtime {

struct Transport {
  std::string name;
  /// Runs `body` for every rank of `size` that is in this process and returns
  /// when all have ended. kUnavailable if the machine lacks what it needs.
  std::function<absl::Status(int size, const std::function<void(World&)>& body)>
      run;
};

std::vector<Transport> TransportsUnderTest();

/// A suite: one run of `body` on all ranks of the transport.
class TransportSuite : public ::testing::TestWithParam<Transport> {
 protected:
  void OnEveryRank(int size, const std::function<void(World&)>& body) {
    const absl::Status status = GetParam().run(size, body);
    if (absl::IsUnavailable(status)) GTEST_SKIP() << status;
    EXPECT_TRUE(status.ok()) << status;
  }
};

inline constexpr int kWorldSizes[] = {1, 2, 3, 4, 8};

}  // namespace mpc::runtime

/// Runs the tests of a suite on every transport under test.
#define MPC_INSTANTIATE_ON_TRANSPORTS(suite)                      \
  INSTANTIATE_TEST_SUITE_P(                                       \
      , suite, ::testing::ValuesIn(TransportsUnderTest()),        \
      [](const auto& info) { return info.param.name; })

#endif  // MPC_RUNTIME_CONFORMANCE_TRANSPORT_H_
