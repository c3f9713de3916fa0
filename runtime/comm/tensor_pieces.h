// A tensor cut along one dimension, as runs of contiguous memory.
#ifndef MPC_RUNTIME_COMM_TENSOR_PIECES_H_
#define MPC_RUNTIME_COMM_TENSOR_PIECES_H_

#include <cstdint>

#include "runtime/comm/communicator.h"

namespace mpc::runtime {

/// One of the equal pieces of a tensor: `blocks` times `rows` runs of `run_bytes`
/// contiguous bytes, in row-major order of the piece.
///
/// Adjoining runs are joined, so that a dense tensor cut along its first
/// dimension, or not at all, is a single run.
struct Piece {
  char* data;
  int64_t blocks, block_stride_bytes;
  int64_t rows, row_stride_bytes;
  int64_t run_bytes;

  int64_t runs() const { return blocks * rows; }
  int64_t bytes() const { return runs() * run_bytes; }
  char* Run(int64_t i) const {
    return data + i / rows * block_stride_bytes + i % rows * row_stride_bytes;
  }
};

/// Piece `index` of `count` of `tensor`, cut along `dimension`, whose size
/// `count` divides. Count 1 takes all, whatever the dimension.
Piece PieceOf(const Tensor& tensor, int dimension, int64_t index,
              int64_t count);

/// Bytes `begin` … `end` − 1 of a piece, which has as many bytes in each
/// member's memory but may be cut into other runs: calls
/// `body(address, bytes)` for each contiguous part.
template <typename Body>
void ForEachPart(const Piece& piece, int64_t begin, int64_t end,
                 const Body& body) {
  while (begin < end) {
    const int64_t run = begin / piece.run_bytes;
    const int64_t offset = begin % piece.run_bytes;
    int64_t bytes = piece.run_bytes - offset;
    if (bytes > end - begin) bytes = end - begin;
    body(piece.Run(run) + offset, bytes);
    begin += bytes;
  }
}

/// Copies a piece to one of the same size.
void CopyPiece(const Piece& source, const Piece& destination);

}  // namespace mpc::runtime

#endif  // MPC_RUNTIME_COMM_TENSOR_PIECES_H_
