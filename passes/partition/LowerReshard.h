//===- LowerReshard.h - the communication of a change of type ---*- C++ -*-===//

#ifndef MPC_PASSES_PARTITION_LOWERRESHARD_H
#define MPC_PASSES_PARTITION_LOWERRESHARD_H

#include "dialects/dist/IR/Dist.h"
#include "mlir/IR/Builders.h"

namespace mpc {

/// Builds what turns `value`, the local part of a value of type `from`, into the
/// local part of the same value as `to` (types that a `dist.reshard` may have):
/// all-to-alls, all-gathers, reduce-scatters, all-reduces, then local cuts.
mlir::Value lowerReshard(mlir::OpBuilder &builder, mlir::Location location,
                         dist::Phase phase, mlir::Value value,
                         mlir::RankedTensorType from,
                         mlir::RankedTensorType to);

} // namespace mpc

#endif // MPC_PASSES_PARTITION_LOWERRESHARD_H
