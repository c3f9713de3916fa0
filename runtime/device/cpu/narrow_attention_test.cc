#include "runtime/device/cpu/narrow_attention.h"

#include <cmath>
#include <cstdlib>
#include <memory>
#include <vector>

#include "gtest/gtest.h"
#include "runtime/device/attention_workspace.h"
#include "runtime/device/cpu/attention.h"
#include "runtime/floats/narrow_floats.h"

namespace mpc::runtime {
namespace {

constexpr int64_t kBatch = 2, kQueries = 70, kHeads = 3, kGroup = 2, kSize = 5;
constexpr int64_t kQueryCount = kBatch * kQueries * kHeads * kGroup * kSize;
constexpr int64_t kKeyCount = kBatch * kQueries * kHeads * kSize;
constexpr int64_t kRows = kBatch * kQueries * kHeads * kGroup;

/// A tensor in f32 and in a narrow type, with the same values.
struct Both {
  Both(plan::DataType type, int64_t count, int salt)
      : narrow(count), wide(count) {
    for (int64_t i = 0; i < count; ++i)
      wide[i] = std::sin(static_cast<float>(i * 13 + salt));
    NarrowFloats(type, wide.data(), count, narrow.data());
    WidenFloats(type, narrow.data(), count, wide.data());
  }
  std::vector<uint16_t> narrow;
  std::vector<float> wide;
};

std::vector<uint16_t> Rounded(plan::DataType type,
                              const std::vector<float>& wide) {
  std::vector<uint16_t> narrow(wide.size());
  NarrowFloats(type, wide.data(), wide.size(), narrow.data());
  return narrow;
}

class NarrowAttentionTest : public testing::TestWithParam<plan::DataType> {};

TEST_P(NarrowAttentionTest, IsThatOfF32Rounded) {
  const plan::DataType type = GetParam();
  Both query(type, kQueryCount, 1), key(type, kKeyCount, 2),
      value(type, kKeyCount, 3), output(type, kQueryCount, 4),
      output_grad(type, kQueryCount, 5), query_grad(type, kQueryCount, 6),
      key_grad(type, kKeyCount, 7), value_grad(type, kKeyCount, 8);
  std::vector<int32_t> positions;
  for (int64_t i = 0; i < kBatch * kQueries; ++i)
    positions.push_back(i % kQueries);
  std::vector<float> logsumexp(kRows), narrow_logsumexp(kRows);

  plan::AttentionCommand command;
  for (int64_t size : {kBatch, kQueries, kHeads, kGroup, kSize})
    command.mutable_query()->add_sizes(size);
  for (int64_t size : {kBatch, kQueries, kHeads, kSize})
    command.mutable_key()->add_sizes(size);
  command.mutable_query()->set_type(type);
  const uint64_t bytes =
      AttentionWorkspaceBytes(command, plan::DEVICE_KIND_CPU);
  std::unique_ptr<char, decltype(&std::free)> workspace(
      static_cast<char*>(std::aligned_alloc(64, bytes)), &std::free);

  AttentionGradArguments wide, narrow;
  wide.forward.shape = {kBatch, kQueries, kQueries, kHeads, kGroup, kSize};
  wide.forward.causal = true;
  wide.forward.query_positions = positions.data();
  wide.forward.key_positions = positions.data();
  wide.forward.workspace = workspace.get();
  narrow = wide;
  narrow.forward.type = type;
  wide.forward.query = query.wide.data();
  wide.forward.key = key.wide.data();
  wide.forward.value = value.wide.data();
  wide.forward.output = output.wide.data();
  wide.forward.logsumexp = logsumexp.data();
  narrow.forward.query = query.narrow.data();
  narrow.forward.key = key.narrow.data();
  narrow.forward.value = value.narrow.data();
  narrow.forward.output = output.narrow.data();
  narrow.forward.logsumexp = narrow_logsumexp.data();

  ThreadPool pool(2);
  Attention(wide.forward, pool);
  NarrowAttention(narrow.forward, pool);
  EXPECT_EQ(output.narrow, Rounded(type, output.wide));
  EXPECT_EQ(narrow_logsumexp, logsumexp);

  // The gradient starts from the rounded output.
  WidenFloats(type, output.narrow.data(), kQueryCount, output.wide.data());
  wide.output_grad = output_grad.wide.data();
  wide.query_grad = query_grad.wide.data();
  wide.key_grad = key_grad.wide.data();
  wide.value_grad = value_grad.wide.data();
  narrow.output_grad = output_grad.narrow.data();
  narrow.query_grad = query_grad.narrow.data();
  narrow.key_grad = key_grad.narrow.data();
  narrow.value_grad = value_grad.narrow.data();
  AttentionGrad(wide, pool);
  NarrowAttentionGrad(narrow, pool);
  EXPECT_EQ(query_grad.narrow, Rounded(type, query_grad.wide));
  EXPECT_EQ(key_grad.narrow, Rounded(type, key_grad.wide));
  EXPECT_EQ(value_grad.narrow, Rounded(type, value_grad.wide));
}

INSTANTIATE_TEST_SUITE_P(Types, NarrowAttentionTest,
                         testing::Values(plan::DATA_TYPE_BF16,
                                         plan::DATA_TYPE_F16));

}  // namespace
}  // namespace mpc::runtime
