#include "runtime/comm/tensor_pieces.h"

#include <algorithm>
#include <cstring>

#include "runtime/plan/layout.h"

namespace mpc::runtime {
namespace {

/// Joins runs that follow each other without a gap.
void Join(Piece& piece) {
  if (piece.row_stride_bytes == piece.run_bytes || piece.rows == 1) {
    piece.run_bytes *= piece.rows;
    piece.rows = 1;
    piece.row_stride_bytes = piece.run_bytes;
  }
  if (piece.blocks == 1 ||
      piece.block_stride_bytes == piece.rows * piece.row_stride_bytes) {
    piece.rows *= piece.blocks;
    piece.blocks = 1;
    piece.block_stride_bytes = 0;
    if (piece.row_stride_bytes == piece.run_bytes) {
      piece.run_bytes *= piece.rows;
      piece.rows = 1;
    }
  }
}

}  // namespace

Piece PieceOf(const Tensor& tensor, int dimension, int64_t index,
              int64_t count) {
  const int64_t element = DataTypeBytes(tensor.type);
  const auto sizes = tensor.sizes;
  char* const data = static_cast<char*>(tensor.data);
  Piece piece{data, 1, 0, 1, 0, element};
  if (sizes.empty()) {
    piece.row_stride_bytes = element;
    return piece;
  }
  const int64_t last = sizes.back();
  const int64_t row_stride =
      (tensor.row_stride ? tensor.row_stride : last) * element;
  if (count == 1) dimension = 0;
  if (dimension == static_cast<int>(sizes.size()) - 1) {
    // A part of every row.
    piece.rows = ElementCount(sizes.first(dimension));
    piece.row_stride_bytes = row_stride;
    piece.run_bytes = last / count * element;
    piece.data += index * piece.run_bytes;
  } else {
    // In each block, some of the rows.
    const int64_t rows_below =
        ElementCount(sizes.subspan(dimension + 1)) / last;
    piece.blocks = ElementCount(sizes.first(dimension));
    piece.block_stride_bytes = sizes[dimension] * rows_below * row_stride;
    piece.rows = sizes[dimension] / count * rows_below;
    piece.row_stride_bytes = row_stride;
    piece.run_bytes = last * element;
    piece.data += index * piece.rows * row_stride;
  }
  Join(piece);
  return piece;
}

void CopyPiece(const Piece& source, const Piece& destination) {
  int64_t done = 0;
  for (int64_t i = 0; i < source.runs(); ++i) {
    const char* from = source.Run(i);
    ForEachPart(destination, done, done + source.run_bytes,
                [&](char* to, int64_t bytes) {
                  std::memcpy(to, from, bytes);
                  from += bytes;
                });
    done += source.run_bytes;
  }
}

}  // namespace mpc::runtime
