#include "runtime/device/cpu/attention.h"

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/device/attention_workspace.h"
#include "runtime/device/cpu/attention_tiles.h"
#include "runtime/device/cpu/random.h"

namespace mpc::runtime {
namespace {

using ::testing::Each;
using ::testing::FloatNear;
using ::testing::Pointwise;

struct Case {
  AttentionShape shape;
  bool causal;
  float dropout;
  /// Added to all key positions: with a large one the first queries see none.
  int32_t key_shift = 0;
  /// Of each sample, its last keys are padding, and one in the middle.
  int64_t padding = 0;
};

/// The operands of one call, and the results of the device and of a naive
/// program in double precision.
struct Problem {
  explicit Problem(const Case& test_case);
  AttentionArguments Arguments();
  void RunDevice(int threads);
  void RunNaive();
  double Score(int64_t query_row, int64_t key_row) const;
  double DropoutFactor(int64_t b, int64_t head, int64_t i, int64_t j) const;

  Case c;
  std::vector<float> query, key, value, output_grad;
  std::vector<int32_t> query_positions, key_positions, samples, heads;
  int32_t seed = 12345;
  std::vector<float> output, logsumexp, query_grad, key_grad, value_grad;
  std::vector<float> naive_output, naive_logsumexp, naive_query_grad,
      naive_key_grad, naive_value_grad;
};

std::vector<float> Random(size_t size, int salt) {
  std::mt19937 generator(salt);
  std::uniform_real_distribution<float> distribution(-1, 1);
  std::vector<float> values(size);
  for (float& value : values) value = distribution(generator);
  return values;
}

Problem::Problem(const Case& test_case) : c(test_case) {
  const AttentionShape& s = c.shape;
  const int64_t rows = s.batch * s.queries * s.key_value_heads * s.group;
  const int64_t key_rows = s.batch * s.keys * s.key_value_heads;
  query = Random(rows * s.head_size, 1);
  key = Random(key_rows * s.head_size, 2);
  value = Random(key_rows * s.head_size, 3);
  output_grad = Random(rows * s.head_size, 4);
  for (int64_t b = 0; b < s.batch; ++b) {
    // Queries are the last of the keys.
    for (int64_t i = 0; i < s.queries; ++i)
      query_positions.push_back(s.keys - s.queries + i);
    for (int64_t j = 0; j < s.keys; ++j)
      key_positions.push_back(j + c.key_shift);
    for (int64_t j = s.keys - c.padding; j < s.keys; ++j)
      key_positions[b * s.keys + j] = -1;
    if (c.padding > 0) key_positions[b * s.keys + s.keys / 2] = -1;
    samples.push_back(100 + b);
  }
  for (int64_t h = 0; h < s.key_value_heads * s.group; ++h)
    heads.push_back(10 + h);
  // Results must not depend on what the memory held before.
  output.assign(rows * s.head_size, NAN);
  query_grad = output;
  logsumexp.assign(rows, NAN);
  key_grad.assign(key_rows * s.head_size, NAN);
  value_grad = key_grad;
}

AttentionArguments Problem::Arguments() {
  AttentionArguments a;
  a.shape = c.shape;
  a.scale = 0.7f;
  a.causal = c.causal;
  a.dropout = c.dropout;
  a.dropout_key = 77;
  a.query = query.data(), a.key = key.data(), a.value = value.data();
  a.query_positions = query_positions.data();
  a.key_positions = key_positions.data();
  a.seed = &seed, a.samples = samples.data(), a.heads = heads.data();
  a.output = output.data(), a.logsumexp = logsumexp.data();
  return a;
}

void Problem::RunDevice(int threads) {
  ThreadPool pool(threads);
  plan::AttentionCommand command;
  const AttentionShape& s = c.shape;
  for (int64_t size : {s.batch, s.queries, s.key_value_heads, s.group,
                       s.head_size})
    command.mutable_query()->add_sizes(size);
  const uint64_t bytes =
      AttentionWorkspaceBytes(command, plan::DEVICE_KIND_CPU);
  std::unique_ptr<char, decltype(&std::free)> workspace(
      static_cast<char*>(std::aligned_alloc(64, bytes)), &std::free);
  std::fill_n(workspace.get(), bytes, '\xff');  // NaN
  AttentionGradArguments g;
  g.forward = Arguments();
  g.forward.workspace = workspace.get();
  Attention(g.forward, pool);
  g.output_grad = output_grad.data();
  g.query_grad = query_grad.data();
  g.key_grad = key_grad.data();
  g.value_grad = value_grad.data();
  AttentionGrad(g, pool);
}

double Problem::Score(int64_t query_row, int64_t key_row) const {
  const int64_t d = c.shape.head_size;
  double sum = 0;
  for (int64_t k = 0; k < d; ++k)
    sum += double{query[query_row * d + k]} * key[key_row * d + k];
  return sum * 0.7f;
}

double Problem::DropoutFactor(int64_t b, int64_t head, int64_t i,
                              int64_t j) const {
  if (c.dropout == 0) return 1;
  const uint32_t row =
      AttentionRowHash(seed, 77, samples[b], heads[head],
                       query_positions[b * c.shape.queries + i]);
  const uint32_t hash =
      MixBits(row + key_positions[b * c.shape.keys + j]);
  return (hash >> 8) >= DropoutThreshold(c.dropout) ? 1.0 / (1 - c.dropout) : 0;
}

void Problem::RunNaive() {
  const auto& [batch, queries, keys, kv, group, d] = c.shape;
  std::vector<double> dq(query.size()), dk(key.size()), dv(value.size());
  for (int64_t b = 0; b < batch; ++b)
    for (int64_t i = 0; i < queries; ++i)
      for (int64_t head = 0; head < kv * group; ++head) {
        const int64_t row = (b * queries + i) * kv * group + head;
        std::vector<double> p(keys, 0);
        double sum = 0;
        for (int64_t j = 0; j < keys; ++j) {
          const int32_t position = key_positions[b * keys + j];
          if (position < 0 ||
              (c.causal && position > query_positions[b * queries + i]))
            continue;
          p[j] = std::exp(Score(row, (b * keys + j) * kv + head / group));
          sum += p[j];
        }
        naive_logsumexp.push_back(std::log(sum));
        std::vector<double> out(d, 0), dp(keys, 0);
        double product = 0;
        for (int64_t j = 0; j < keys; ++j) {
          if (sum > 0) p[j] /= sum;
          const int64_t key_row = (b * keys + j) * kv + head / group;
          const double factor = DropoutFactor(b, head, i, j);
          for (int64_t k = 0; k < d; ++k) {
            out[k] += p[j] * factor * value[key_row * d + k];
            dv[key_row * d + k] += p[j] * factor * output_grad[row * d + k];
            dp[j] += factor * double{output_grad[row * d + k]} *
                     value[key_row * d + k];
          }
          product += p[j] * dp[j];
        }
        naive_output.insert(naive_output.end(), out.begin(), out.end());
        for (int64_t j = 0; j < keys; ++j) {
          const int64_t key_row = (b * keys + j) * kv + head / group;
          const double ds = p[j] * (dp[j] - product) * 0.7f;
          for (int64_t k = 0; k < d; ++k) {
            dq[row * d + k] += ds * key[key_row * d + k];
            dk[key_row * d + k] += ds * query[row * d + k];
          }
        }
      }
  naive_query_grad.assign(dq.begin(), dq.end());
  naive_key_grad.assign(dk.begin(), dk.end());
  naive_value_grad.assign(dv.begin(), dv.end());
}

class AttentionTest : public ::testing::TestWithParam<Case> {};

TEST_P(AttentionTest, EqualsTheNaiveProgram) {
  Problem problem(GetParam());
  problem.RunNaive();
  problem.RunDevice(/*threads=*/2);
  EXPECT_THAT(problem.output,
              Pointwise(FloatNear(2e-6), problem.naive_output));
  EXPECT_THAT(problem.query_grad,
              Pointwise(FloatNear(2e-5), problem.naive_query_grad));
  EXPECT_THAT(problem.key_grad,
              Pointwise(FloatNear(2e-5), problem.naive_key_grad));
  EXPECT_THAT(problem.value_grad,
              Pointwise(FloatNear(2e-5), problem.naive_value_grad));
  for (size_t i = 0; i < problem.logsumexp.size(); ++i) {
    if (std::isinf(problem.naive_logsumexp[i]))
      EXPECT_EQ(problem.logsumexp[i], -INFINITY) << i;
    else
      EXPECT_NEAR(problem.logsumexp[i], problem.naive_logsumexp[i], 2e-6) << i;
  }
}

TEST_P(AttentionTest, TheNumberOfThreadsDoesNotChangeABit) {
  Problem one(GetParam()), many(GetParam());
  one.RunDevice(1);
  many.RunDevice(5);
  EXPECT_EQ(one.output, many.output);
  EXPECT_EQ(one.logsumexp, many.logsumexp);
  EXPECT_EQ(one.query_grad, many.query_grad);
  EXPECT_EQ(one.key_grad, many.key_grad);
  EXPECT_EQ(one.value_grad, many.value_grad);
}

// {b, s, t, kv, group, d}
INSTANTIATE_TEST_SUITE_P(
    , AttentionTest,
    ::testing::Values(
        Case{{1, 1, 1, 1, 1, 1}, true, 0}, Case{{2, 5, 5, 1, 1, 3}, false, 0},
        Case{{2, 5, 9, 3, 2, 7}, true, 0}, Case{{1, 9, 5, 2, 1, 4}, true, 0},
        Case{{1, 64, 128, 1, 1, 16}, true, 0},
        Case{{2, 65, 129, 2, 3, 8}, true, 0},
        Case{{1, 200, 300, 1, 2, 33}, true, 0},
        Case{{1, 130, 257, 2, 1, 5}, false, 0.25f},
        Case{{2, 70, 150, 2, 2, 8}, true, 0.5f},
        Case{{1, 150, 150, 1, 1, 8}, true, 0, /*key_shift=*/70},
        Case{{1, 150, 150, 2, 2, 8}, true, 0.1f, /*key_shift=*/70},
        Case{{1, 3, 4, 1, 1, 2}, true, 0, /*key_shift=*/1000},
        Case{{2, 5, 9, 2, 2, 4}, false, 0, 0, /*padding=*/3},
        Case{{2, 70, 150, 2, 1, 8}, true, 0.25f, 0, /*padding=*/30},
        Case{{1, 150, 300, 1, 2, 8}, false, 0.25f, 0, /*padding=*/200},
        Case{{2, 4, 130, 1, 1, 5}, false, 0, 0, /*padding=*/130}),
    [](const auto& info) {
      const Case& c = info.param;
      return "b" + std::to_string(c.shape.batch) + "_s" +
             std::to_string(c.shape.queries) + "_t" +
             std::to_string(c.shape.keys) + "_kv" +
             std::to_string(c.shape.key_value_heads) + "_g" +
             std::to_string(c.shape.group) + "_d" +
             std::to_string(c.shape.head_size) +
             (c.causal ? "_causal" : "_full") +
             (c.dropout > 0 ? "_dropout" : "") +
             (c.key_shift ? "_shift" + std::to_string(c.key_shift) : "") +
             (c.padding ? "_padding" + std::to_string(c.padding) : "");
    });

TEST(AttentionMaskTest, RowsWithoutAKeyGiveZeroAndNoGradient) {
  // Query position 69 is the last that sees no key.
  Problem problem({{1, 100, 100, 1, 1, 4}, true, 0, /*key_shift=*/70});
  problem.RunDevice(1);
  const auto first_rows = [](const std::vector<float>& v, int64_t size) {
    return std::vector<float>(v.begin(), v.begin() + 70 * size);
  };
  EXPECT_THAT(first_rows(problem.output, 4), Each(0));
  EXPECT_THAT(first_rows(problem.query_grad, 4), Each(0));
  EXPECT_THAT(first_rows(problem.logsumexp, 1), Each(-INFINITY));
  EXPECT_NE(problem.output[70 * 4], 0);
}

// A query of padding is like any other, and so is a sample of nothing else.
TEST(AttentionMaskTest, PaddingIsSeenByNoQuery) {
  Problem problem({{1, 6, 6, 1, 1, 2}, false, 0, 0, /*padding=*/2});
  problem.query_positions = {0, 1, 2, 3, -1, -1};
  problem.RunDevice(1);
  const std::vector<float> output = problem.output;
  for (int64_t i : {3, 4, 5}) problem.key[2 * i] = problem.value[2 * i] = 100;
  problem.RunDevice(1);
  EXPECT_EQ(problem.output, output);
  for (int64_t i : {3, 4, 5}) EXPECT_EQ(problem.value_grad[2 * i], 0);
  EXPECT_NE(problem.output[2 * 5], 0);
}

// Positions, not indices, decide: two packed sequences, keys out of order.
TEST(AttentionMaskTest, TheMaskGoesByPositionValues) {
  Problem problem({{1, 6, 6, 1, 1, 2}, true, 0});
  problem.query_positions = {3, 0, 1, 5, 2, 4};
  problem.key_positions = {5, 0, 3, 1, 4, 2};
  problem.RunNaive();
  problem.RunDevice(1);
  EXPECT_THAT(problem.output,
              Pointwise(FloatNear(1e-6), problem.naive_output));
  EXPECT_THAT(problem.key_grad,
              Pointwise(FloatNear(1e-5), problem.naive_key_grad));
}

TEST(AttentionMaskTest, ANonFiniteInputIsNotHidden) {
  Problem problem({{1, 4, 4, 1, 1, 2}, true, 0});
  problem.query.assign(8, NAN);
  problem.RunDevice(1);
  for (float value : problem.output) EXPECT_TRUE(std::isnan(value));
}

// The seed, the sample, the head and both positions select the dropped elements,
// hence a microbatch or a shard drops the same as the whole does.
TEST(AttentionDropoutTest, APartOfTheBatchDropsTheSame) {
  Problem whole({{2, 20, 20, 1, 2, 4}, false, 0.5f});
  Problem part({{1, 20, 20, 1, 2, 4}, false, 0.5f});
  const auto second_half = [](const std::vector<float>& v) {
    return std::vector<float>(v.begin() + v.size() / 2, v.end());
  };
  part.query = second_half(whole.query);
  part.key = second_half(whole.key);
  part.value = second_half(whole.value);
  part.samples = {whole.samples[1]};
  whole.RunDevice(1);
  part.RunDevice(1);
  EXPECT_EQ(part.output, second_half(whole.output));
  part.seed += 1;
  part.RunDevice(1);
  EXPECT_NE(part.output, second_half(whole.output));
}

TEST(AttentionWorkspaceTest, IsModestAndNamesNoBytesWithoutAShape) {
  plan::AttentionCommand command;
  EXPECT_EQ(AttentionWorkspaceBytes(command, plan::DEVICE_KIND_CPU), 0u);
  for (int64_t size : {1, 64, 1, 1, 64})
    command.mutable_query()->add_sizes(size);
  EXPECT_EQ(AttentionWorkspaceBytes(command, plan::DEVICE_KIND_CPU),
            4u * LaneElements({1, 64, 64, 1, 1, 64}));
  command.mutable_query()->set_sizes(0, 1000);
  EXPECT_EQ(AttentionWorkspaceBytes(command, plan::DEVICE_KIND_CPU),
            64u * 4 * LaneElements({1, 64, 64, 1, 1, 64}));
  EXPECT_EQ(AttentionWorkspaceBytes(command, plan::DEVICE_KIND_UNSPECIFIED),
            0u);
}

}  // namespace
}  // namespace mpc::runtime
