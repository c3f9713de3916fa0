// Processes as a transport under test: all run the same tests, each a rank.
#include <cstdio>

#include "runtime/comm/mpi/mpi_process.h"
#include "runtime/comm/mpi/mpi_world.h"
#include "runtime/conformance/transport.h"

namespace mpc::runtime {
namespace {

MpiProcess& Process() {
  static MpiProcess& process = [&]() -> MpiProcess& {
    auto started = MpiProcess::Start(Watch::Seconds(60), nullptr);
    if (!started.ok()) {
      std::fprintf(stderr, "%s\n", started.status().ToString().c_str());
      std::abort();
    }
    return *started->release();
  }();
  return process;
}

/// Brings all processes to the start of every test, and ends MPI at last.
class Alignment : public ::testing::EmptyTestEventListener {
  void OnTestStart(const ::testing::TestInfo&) override {
    MPI_Barrier(MPI_COMM_WORLD);
  }
  void OnTestPartResult(const ::testing::TestPartResult& result) override {
    if (result.failed() && Process().rank() != 0)
      std::fprintf(stderr, "rank %d: %s:%d: %s\n", Process().rank(),
                   result.file_name(), result.line_number(), result.summary());
  }
  void OnTestProgramEnd(const ::testing::UnitTest& unit_test) override {
    const absl::Status finished = Process().Finish();
    if (finished.ok()) return;
    std::fprintf(stderr, "%s\n", finished.ToString().c_str());
    std::abort();
  }
};

}  // namespace

std::vector<Transport> TransportsUnderTest() {
  static bool is_first = true;
  if (is_first) {
    is_first = false;
    auto& listeners = ::testing::UnitTest::GetInstance()->listeners();
    listeners.Append(new Alignment);
    // One process tells how it goes, the others what fails.
    if (Process().rank() != 0)
      delete listeners.Release(listeners.default_result_printer());
  }
  return {{"mpi", [](int size, const std::function<void(World&)>& body) {
             MpiProcess& process = Process();
             if (size > process.size())
               return absl::UnavailableError("more ranks than processes");
             const int number = process.NewWorld();
             if (process.rank() < size) {
               auto world = CreateMpiWorld(&process, number, size);
               body(*world);
             }
             return absl::OkStatus();
           }}};
}

}  // namespace mpc::runtime
