#include "runtime/device/cpu/narrow_gemm.h"

#include <tuple>
#include <vector>

#include "gtest/gtest.h"
#include "runtime/floats/narrow_floats.h"

namespace mpc::runtime {
namespace {

// Small integers: every sum is exact in f32, and is rounded once at most.
float Element(int64_t i, int64_t j, int salt) {
  return static_cast<float>((i * 7 + j * 3 + salt) % 5 - 2);
}

/// A matrix in a narrow type, stored transposed or not, with a gap after each
/// stored row.
struct Matrix {
  Matrix(plan::DataType type, int64_t rows, int64_t columns, bool transposed,
         int salt)
      : stride((transposed ? rows : columns) + 3) {
    std::vector<float> wide((transposed ? columns : rows) * stride, 99.0f);
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t j = 0; j < columns; ++j)
        wide[transposed ? j * stride + i : i * stride + j] = Element(i, j, salt);
    data.resize(wide.size());
    NarrowFloats(type, wide.data(), wide.size(), data.data());
  }
  int64_t stride;
  std::vector<uint16_t> data;
};

struct Sizes {
  int64_t rows, columns, inner;
};
using Case = std::tuple<plan::DataType, Sizes, bool, bool, bool, int>;

class NarrowGemmTest : public ::testing::TestWithParam<Case> {
 protected:
  /// The products, with the destination's old elements if they are kept.
  std::vector<float> Expected(int64_t stride) const {
    const auto& [type, sizes, left, right, accumulate, threads] = GetParam();
    std::vector<float> expected(sizes.rows * stride, 99.0f);
    for (int64_t i = 0; i < sizes.rows; ++i)
      for (int64_t j = 0; j < sizes.columns; ++j) {
        float sum = accumulate ? Element(i, j, 3) : 0;
        for (int64_t k = 0; k < sizes.inner; ++k)
          sum += Element(i, k, 1) * Element(k, j, 2);
        expected[i * stride + j] = sum;
      }
    return expected;
  }

  void Run(plan::DataType destination_type, void* destination, int64_t stride) {
    const auto& [type, sizes, transpose_left, transpose_right, accumulate,
                 threads] = GetParam();
    const Matrix left(type, sizes.rows, sizes.inner, transpose_left, 1);
    const Matrix right(type, sizes.inner, sizes.columns, transpose_right, 2);
    GemmArguments a;
    a.type = type, a.destination_type = destination_type;
    a.rows = sizes.rows, a.columns = sizes.columns, a.inner = sizes.inner;
    a.transpose_left = transpose_left, a.transpose_right = transpose_right;
    a.accumulate = accumulate;
    a.left = left.data.data(), a.left_stride = left.stride;
    a.right = right.data.data(), a.right_stride = right.stride;
    a.destination = destination, a.destination_stride = stride;
    ThreadPool pool(threads);
    NarrowGemm(a, pool);
  }
};

TEST_P(NarrowGemmTest, ANarrowDestinationIsRoundedOnce) {
  const plan::DataType type = std::get<0>(GetParam());
  const Sizes sizes = std::get<1>(GetParam());
  Matrix destination(type, sizes.rows, sizes.columns, false, 3);
  const std::vector<float> wide = Expected(destination.stride);
  std::vector<uint16_t> expected(wide.size());
  NarrowFloats(type, wide.data(), wide.size(), expected.data());
  Run(type, destination.data.data(), destination.stride);
  EXPECT_EQ(destination.data, expected);
}

TEST_P(NarrowGemmTest, AWideDestinationIsExact) {
  const Sizes sizes = std::get<1>(GetParam());
  const int64_t stride = sizes.columns + 3;
  std::vector<float> destination(sizes.rows * stride, 99.0f);
  for (int64_t i = 0; i < sizes.rows; ++i)
    for (int64_t j = 0; j < sizes.columns; ++j)
      destination[i * stride + j] = Element(i, j, 3);
  Run(plan::DATA_TYPE_F32, destination.data(), stride);
  EXPECT_EQ(destination, Expected(stride));
}

INSTANTIATE_TEST_SUITE_P(
    , NarrowGemmTest,
    ::testing::Combine(::testing::Values(plan::DATA_TYPE_BF16,
                                         plan::DATA_TYPE_F16),
                       // Blocks are 192 x 192 x 256.
                       ::testing::Values(Sizes{1, 1, 1}, Sizes{3, 5, 2},
                                         Sizes{200, 1, 257}, Sizes{1, 385, 33},
                                         Sizes{193, 191, 600}),
                       ::testing::Bool(), ::testing::Bool(), ::testing::Bool(),
                       ::testing::Values(1, 3)));

}  // namespace
}  // namespace mpc::runtime
