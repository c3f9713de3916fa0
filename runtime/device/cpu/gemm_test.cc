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
