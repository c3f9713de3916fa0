//===- ReshardTraffic.h - what a change of type costs -----------*- C++ -*-===//

#ifndef MPC_PASSES_PARTITION_RESHARDTRAFFIC_H
#define MPC_PASSES_PARTITION_RESHARDTRAFFIC_H

#include "dialects/dist/IR/Dist.h"

namespace mpc {

/// One collective, or local op, of those that a reshard is lowered to.
struct ReshardPart {
  /// `all-reduce`, `reduce-scatter`, `all-gather`, `all-to-all` or `local`.
  llvm::StringRef kind;
  dist::AxesAttr axes;
  /// What a rank sends in a ring; 0 if it is local.
  int64_t bits;
};

/// What a `dist.reshard` between two types becomes, found by lowering it.
llvm::SmallVector<ReshardPart> listTraffic(mlir::RankedTensorType from,
                                           mlir::RankedTensorType to);

/// The bits that a rank sends for it in all.
int64_t getBitsSent(mlir::RankedTensorType from, mlir::RankedTensorType to);

} // namespace mpc

#endif // MPC_PASSES_PARTITION_RESHARDTRAFFIC_H
