#include "runtime/device/cpu/gemm.h"

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
