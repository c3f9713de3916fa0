#include "runtime/device/cpu/gemm.h"

#include <atomic>
#include <thread>
#include <tuple>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace mpc::runtime {
namespace {

struct Sizes {
  int64_t rows, columns, inner;
};

// Small integers, so that every order of summation gives the same bits.
float Element(int64_t i, int64_t j, int salt) {
  return static_cast<float>((i * 7 + j * 3 + salt) % 5 - 2);
}

/// A matrix of rows × columns, stored transposed or not, with a gap after each
/// stored row.
struct Matrix {
  Matrix(int64_t rows, int64_t columns, bool transposed, int salt)
      : stride((transposed ? rows : columns) + 3),
        data((transposed ? columns : rows) * stride, 99.0f) {
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t j = 0; j < columns; ++j)
        data[transposed ? j * stride + i : i * stride + j] =
            Element(i, j, salt);
  }
  int64_t stride;
  std::vector<float> data;
};

using Case = std::tuple<Sizes, bool, bool, bool, int>;
class GemmTest : public ::testing::TestWithParam<Case> {};

TEST_P(GemmTest, EqualsTheSumOfProducts) {
  const auto& [sizes, transpose_left, transpose_right, accumulate, threads] =
      GetParam();
  const auto [rows, columns, inner] = sizes;
  const Matrix left(rows, inner, transpose_left, 1);
  const Matrix right(inner, columns, transpose_right, 2);
  Matrix destination(rows, columns, false, 3);
  const Matrix before = destination;

  GemmArguments a;
  a.rows = rows, a.columns = columns, a.inner = inner;
  a.transpose_left = transpose_left, a.transpose_right = transpose_right;
  a.accumulate = accumulate;
  a.left = left.data.data(), a.left_stride = left.stride;
  a.right = right.data.data(), a.right_stride = right.stride;
  a.destination = destination.data.data();
  a.destination_stride = destination.stride;
  ThreadPool pool(threads);
  Gemm(a, pool);

  Matrix expected = before;
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j) {
      float sum = accumulate ? before.data[i * before.stride + j] : 0;
      for (int64_t k = 0; k < inner; ++k)
        sum += Element(i, k, 1) * Element(k, j, 2);
      expected.data[i * expected.stride + j] = sum;
    }
  EXPECT_EQ(destination.data, expected.data);
}

// Attention's products: [b, s, k, g, d] by [b, t, k, d] makes [b, k, g, s, t], of which
// and the first a sum over s and g makes the second again.
TEST(BatchedGemmTest, MultipliesWhereMatricesLieInTheirTensors) {
  constexpr int64_t kB = 2, kS = 5, kK = 3, kG = 2, kD = 4, kT = 6;
  std::vector<float> q(kB * kS * kK * kG * kD), k(kB * kT * kK * kD);
  for (size_t i = 0; i < q.size(); ++i) q[i] = Element(i, i / 7, 1);
  for (size_t i = 0; i < k.size(); ++i) k[i] = Element(i, i / 5, 2);
  std::vector<float> scores(kB * kK * kG * kS * kT), sums(k.size(), 0);
  for (int64_t b = 0; b < kB; ++b)
    for (int64_t h = 0; h < kK; ++h)
      for (int64_t g = 0; g < kG; ++g)
        for (int64_t s = 0; s < kS; ++s)
          for (int64_t t = 0; t < kT; ++t)
            for (int64_t d = 0; d < kD; ++d)
              scores[(((b * kK + h) * kG + g) * kS + s) * kT + t] +=
                  q[(((b * kS + s) * kK + h) * kG + g) * kD + d] *
                  k[((b * kT + t) * kK + h) * kD + d];
  for (int64_t b = 0; b < kB; ++b)
    for (int64_t h = 0; h < kK; ++h)
      for (int64_t g = 0; g < kG; ++g)
        for (int64_t s = 0; s < kS; ++s)
          for (int64_t t = 0; t < kT; ++t)
            for (int64_t d = 0; d < kD; ++d)
              sums[((b * kT + t) * kK + h) * kD + d] +=
                  scores[(((b * kK + h) * kG + g) * kS + s) * kT + t] *
                  q[(((b * kS + s) * kK + h) * kG + g) * kD + d];

  const GemmBatch forward[] = {
      {kB, kS * kK * kG * kD, kT * kK * kD, kK * kG * kS * kT},
      {kK, kG * kD, kD, kG * kS * kT},
      {kG, kD, 0, kS * kT}};
  GemmArguments a;
  a.rows = kS, a.columns = kT, a.inner = kD;
  a.transpose_right = true;
  a.left = q.data(), a.left_stride = kK * kG * kD;
  a.right = k.data(), a.right_stride = kK * kD;
  a.destination_stride = kT;
  a.batch = forward;

  const GemmBatch backward[] = {
      {kB, kK * kG * kS * kT, kS * kK * kG * kD, kT * kK * kD},
      {kK, kG * kS * kT, kG * kD, kD},
      {kG, kS * kT, kD, 0}};
  GemmArguments sum;
  sum.rows = kT, sum.columns = kD, sum.inner = kS;
  sum.transpose_left = true;
  sum.left = scores.data(), sum.left_stride = kT;
  sum.right = q.data(), sum.right_stride = kK * kG * kD;
  sum.destination_stride = kK * kD;
  sum.batch = backward;

  // Fewer products than threads, too.
  for (int threads : {1, 3, 8}) {
    ThreadPool pool(threads);
    std::vector<float> found(scores.size(), 99);
    a.destination = found.data();
    Gemm(a, pool);
    EXPECT_EQ(found, scores) << threads;
    std::vector<float> added(sums.size(), 1);
    sum.destination = added.data();
    sum.accumulate = true;
    Gemm(sum, pool);
    for (float& value : added) value -= 1;
    EXPECT_EQ(added, sums) << threads;
    sum.accumulate = false;
    Gemm(sum, pool);
    EXPECT_EQ(added, sums) << threads;
  }
}

// Ranks are threads: their products run at the same time, each in working memory
// of its own.
TEST(ConcurrentGemmTest, RanksComputeAtTheSameTime) {
  constexpr int64_t kSize = 144;
  std::atomic<int> wrong{0};
  std::vector<std::thread> ranks;
  for (int rank = 0; rank < 4; ++rank) {
    ranks.emplace_back([&wrong, rank] {
      const Matrix left(kSize, kSize, false, rank);
      const Matrix right(kSize, kSize, true, rank + 1);
      Matrix destination(kSize, kSize, false, 0);
      GemmArguments a;
      a.rows = a.columns = a.inner = kSize;
      a.transpose_right = true;
      a.left = left.data.data(), a.left_stride = left.stride;
      a.right = right.data.data(), a.right_stride = right.stride;
      a.destination = destination.data.data();
      a.destination_stride = destination.stride;
      ThreadPool pool(1);
      Gemm(a, pool);
      const std::vector<float> first = destination.data;
      for (int i = 0; i < 1000; ++i) {
        Gemm(a, pool);
        wrong += destination.data != first;
      }
    });
  }
  for (std::thread& rank : ranks) rank.join();
  EXPECT_EQ(wrong, 0);
}

INSTANTIATE_TEST_SUITE_P(
    , GemmTest,
    ::testing::Combine(::testing::Values(Sizes{1, 1, 1}, Sizes{3, 5, 2},
                                         Sizes{1, 200, 33}, Sizes{200, 1, 7},
                                         Sizes{97, 145, 17},
                                         Sizes{300, 50, 8}),
                       ::testing::Bool(), ::testing::Bool(), ::testing::Bool(),
                       ::testing::Values(1, 3)));

}  // namespace
}  // namespace mpc::runtime
