#include "runtime/thunks/device_copy.h"

#include <algorithm>

namespace mpc::runtime {
namespace {

/// Cuts a piece into shorter runs. Where one of two pieces of equal sizes has
/// longer runs than the other, its runs are joined rows.
Piece WithRunsOf(const Piece& piece, int64_t run_bytes) {
  if (piece.run_bytes == run_bytes) return piece;
  Piece cut = piece;
  cut.rows = piece.run_bytes / run_bytes;
  cut.row_stride_bytes = run_bytes;
  cut.run_bytes = run_bytes;
  return cut;
}

}  // namespace

void CopyOnDevice(Device& device, const Piece& source,
                  const Tensor& destination) {
  const Piece whole = PieceOf(destination, 0, 0, 1);
  const int64_t run = std::min(source.run_bytes, whole.run_bytes);
  const Piece from = WithRunsOf(source, run);
  const Piece to = WithRunsOf(whole, run);
  for (int64_t block = 0; block < from.blocks; ++block)
    device.Copy(to.Run(block * from.rows), to.row_stride_bytes,
                from.Run(block * from.rows), from.row_stride_bytes, from.rows,
                run);
}

}  // namespace mpc::runtime
