#include "runtime/comm/tensor_pieces.h"

#include <cstring>
#include <numeric>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/plan/layout.h"

namespace mpc::runtime {
namespace {

using Sizes = std::vector<int64_t>;

/// The elements of a piece in its row-major order, where every element of the
/// memory holds its own place.
std::vector<int32_t> Elements(const Piece& piece) {
  std::vector<int32_t> elements;
  ForEachPart(piece, 0, piece.bytes(), [&](char* data, int64_t bytes) {
    const auto* begin = reinterpret_cast<const int32_t*>(data);
    elements.insert(elements.end(), begin, begin + bytes / 4);
  });
  return elements;
}

/// The same by going through all elements of the tensor.
std::vector<int32_t> NaiveElements(const Sizes& sizes, int64_t row_stride,
                                   int dimension, int64_t index,
                                   int64_t count) {
  std::vector<int32_t> elements;
  const int64_t last = sizes.back();
  for (int64_t i = 0; i < ElementCount(sizes); ++i) {
    const int64_t below =
        ElementCount(absl::MakeConstSpan(sizes).subspan(dimension + 1));
    const int64_t coordinate = i / below % sizes[dimension];
    if (coordinate / (sizes[dimension] / count) == index)
      elements.push_back(i / last * row_stride + i % last);
  }
  return elements;
}

TEST(TensorPiecesTest, CutsEveryDimensionOfDenseAndStridedTensors) {
  std::vector<int32_t> memory(1000);
  std::iota(memory.begin(), memory.end(), 0);
  for (const Sizes& sizes : {Sizes{12}, Sizes{4, 6}, Sizes{2, 4, 6},
                             Sizes{2, 2, 4, 2}, Sizes{1, 4, 1, 6}})
    for (int64_t gap : {0, 3})
      for (int dimension = 0; dimension < static_cast<int>(sizes.size());
           ++dimension)
        for (int64_t count : {1, 2}) {
          if (sizes[dimension] % count != 0) continue;
          const int64_t stride = sizes.back() + gap;
          const Tensor tensor = {memory.data(), plan::DATA_TYPE_I32, sizes,
                                 gap ? stride : 0};
          for (int64_t index = 0; index < count; ++index)
            EXPECT_EQ(Elements(PieceOf(tensor, dimension, index, count)),
                      NaiveElements(sizes, stride, dimension, index, count))
                << DescribeSizes(sizes) << " gap " << gap << " dimension "
                << dimension << " piece " << index << " of " << count;
        }
}

TEST(TensorPiecesTest, AScalarIsOneElement) {
  int32_t value = 7;
  const Tensor tensor = {&value, plan::DATA_TYPE_I32, {}};
  EXPECT_EQ(Elements(PieceOf(tensor, 0, 0, 1)), std::vector<int32_t>{7});
}

TEST(TensorPiecesTest, JoinsAdjoiningRuns) {
  std::vector<int32_t> memory(24);
  const Sizes sizes = {2, 3, 4};
  const Tensor tensor = {memory.data(), plan::DATA_TYPE_I32, sizes};
  EXPECT_EQ(PieceOf(tensor, 0, 1, 2).runs(), 1);
  EXPECT_EQ(PieceOf(tensor, 2, 0, 1).runs(), 1);
  EXPECT_EQ(PieceOf(tensor, 1, 0, 3).runs(), 2);
  EXPECT_EQ(PieceOf(tensor, 2, 0, 2).runs(), 6);
}

TEST(TensorPiecesTest, PartsOfAPieceJoinToTheWhole) {
  std::vector<int32_t> memory(24);
  std::iota(memory.begin(), memory.end(), 0);
  const Sizes sizes = {2, 3, 4};
  const Tensor tensor = {memory.data(), plan::DATA_TYPE_I32, sizes};
  const Piece piece = PieceOf(tensor, 2, 1, 2);
  std::vector<int32_t> elements;
  for (int64_t begin = 0; begin < piece.bytes(); begin += 12)
    ForEachPart(piece, begin, std::min(piece.bytes(), begin + 12),
                [&](char* data, int64_t bytes) {
                  for (int64_t i = 0; i < bytes / 4; ++i)
                    elements.push_back(reinterpret_cast<int32_t*>(data)[i]);
                });
  EXPECT_EQ(elements, Elements(piece));
}

TEST(TensorPiecesTest, CopiesBetweenDifferentLayouts) {
  std::vector<int32_t> from(24), to(60, -1);
  std::iota(from.begin(), from.end(), 0);
  const Sizes source_sizes = {2, 12}, destination_sizes = {4, 6};
  const Piece source =
      PieceOf({from.data(), plan::DATA_TYPE_I32, source_sizes}, 1, 1, 2);
  const Piece destination = PieceOf(
      {to.data(), plan::DATA_TYPE_I32, destination_sizes, 10}, 1, 0, 2);
  CopyPiece(source, destination);
  EXPECT_EQ(Elements(destination), Elements(source));
  EXPECT_EQ(std::count(to.begin(), to.end(), -1), 60 - 12);
}

}  // namespace
}  // namespace mpc::runtime
