// The reduction that all transports share: ascending order, rounded once.
#ifndef MPC_RUNTIME_COMM_REDUCE_PIECES_H_
#define MPC_RUNTIME_COMM_REDUCE_PIECES_H_

#include <cstdint>

#include "absl/types/span.h"
#include "runtime/comm/combine.h"
#include "runtime/comm/tensor_pieces.h"

namespace mpc::runtime {

/// Combines bytes `begin` … `end` − 1 of all sources, in their order, and
/// writes the result to the same bytes of all destinations, a block of the
/// first-level cache at a time. A destination may be one of the sources.
/// `begin` is a multiple of 64, `end` of the element.
void ReducePieces(absl::Span<const Piece> sources,
                  absl::Span<const Piece> destinations,
                  const Combiner& combiner, int64_t begin, int64_t end);

}  // namespace mpc::runtime

#endif  // MPC_RUNTIME_COMM_REDUCE_PIECES_H_
