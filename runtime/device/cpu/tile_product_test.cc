#include "runtime/device/cpu/tile_product.h"

#include <vector>

#include "gtest/gtest.h"

namespace mpc::runtime {
namespace {

// Small integers: exact in every order.
float Element(int64_t i, int64_t j) {
  return static_cast<float>((5 * i + 3 * j) % 7 - 3);
}

TEST(TileProductTest, EqualsTheSumOfProductsForAllSizes) {
  constexpr int64_t kStride = 40;
  for (int64_t rows : {1, 2, 3, 4, 5, 6, 7, 13})
    for (int64_t columns : {1, 7, 8, 9, 16, 17, 24, 31, 32})
      for (int64_t inner : {1, 2, 11})
        for (bool transposed : {false, true})
          for (bool accumulate : {false, true}) {
            std::vector<float> left(kStride * kStride, 99),
                right(kStride * kStride, 99), result(kStride * kStride, 5);
            for (int64_t i = 0; i < rows; ++i)
              for (int64_t k = 0; k < inner; ++k)
                left[transposed ? k * kStride + i : i * kStride + k] =
                    Element(i, k);
            for (int64_t k = 0; k < inner; ++k)
              for (int64_t j = 0; j < columns; ++j)
                right[k * kStride + j] = Element(k + 1, j);
            std::vector<float> expected = result;
            for (int64_t i = 0; i < rows; ++i)
              for (int64_t j = 0; j < columns; ++j) {
                float sum = 0;
                for (int64_t k = 0; k < inner; ++k)
                  sum += Element(i, k) * Element(k + 1, j);
                expected[i * kStride + j] = 2 * sum + (accumulate ? 5 : 0);
              }
            TileProduct p;
            p.rows = rows, p.columns = columns, p.inner = inner;
            p.transpose_left = transposed;
            p.left = left.data(), p.left_stride = kStride;
            p.right = right.data(), p.right_stride = kStride;
            p.destination = result.data(), p.destination_stride = kStride;
            p.scale = 2;
            p.accumulate = accumulate;
            Multiply(p);
            ASSERT_EQ(result, expected)
                << rows << " x " << columns << " x " << inner;
          }
}

TEST(TileProductTest, TransposesAndFillsUp) {
  for (int64_t rows : {1, 7, 8, 17})
    for (int64_t columns : {1, 8, 9, 24}) {
      std::vector<float> source(rows * 30, 99), result(columns * 20, 99);
      for (int64_t i = 0; i < rows; ++i)
        for (int64_t j = 0; j < columns; ++j)
          source[i * 30 + j] = static_cast<float>(100 * i + j);
      TransposeTile(source.data(), 30, rows, columns, result.data(), 20);
      for (int64_t j = 0; j < columns; ++j)
        for (int64_t i = 0; i < 20; ++i)
          ASSERT_EQ(result[j * 20 + i], i < rows ? 100 * i + j : 0);
    }
}

TEST(TileProductTest, CopiesRowsAndLeavesGaps) {
  const std::vector<float> source = {1, 2, 3, 4, 5, 6};
  std::vector<float> result(8, 9);
  CopyTile(source.data(), 3, 2, 2, result.data(), 4);
  EXPECT_EQ(result, std::vector<float>({1, 2, 9, 9, 4, 5, 9, 9}));
}

TEST(TileProductTest, InnerProductsOfAllSizes) {
  std::vector<float> a(40), b(40);
  for (int i = 0; i < 40; ++i) {
    a[i] = Element(i, 0);
    b[i] = Element(i, 1);
  }
  for (int64_t size = 0; size < 40; ++size) {
    float sum = 0;
    for (int64_t i = 0; i < size; ++i) sum += a[i] * b[i];
    EXPECT_EQ(InnerProduct(a.data(), b.data(), size), sum) << size;
  }
}

}  // namespace
}  // namespace mpc::runtime
