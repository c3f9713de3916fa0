//===- ReshardBits.h - what a change of type costs --------------*- C++ -*-===//

#ifndef MPC_PASSES_PARTITION_RESHARDBITS_H
#define MPC_PASSES_PARTITION_RESHARDBITS_H

#include "mlir/IR/BuiltinTypes.h"

namespace mpc {

/// The bits that a rank sends for a `dist.reshard` between two types: those of the
/// collectives that it is lowered to, each as a ring does it. 0 if it is local.
int64_t getBitsSent(mlir::RankedTensorType from, mlir::RankedTensorType to);

} // namespace mpc

#endif // MPC_PASSES_PARTITION_RESHARDBITS_H
