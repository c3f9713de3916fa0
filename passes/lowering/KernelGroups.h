//===- KernelGroups.h - ops that become one kernel --------------*- C++ -*-===//
//
// A kernel is one loop over rows, inside of which all of its ops compute their part
// of the row. The rows of an op are the leading dimensions of its results, at most
// two, that its rule does not call whole: [b, s] of activations, all of a vector.
//
// An op joins the group of a producer if it reads that result by its own rows:
// then what a row needs is of the same row. Column sums (bias_grad) read rows of
// another tensor and so begin a group, reductions to a scalar end one, and scalar
// ops, which have no rows, form groups among themselves. The gradient of an
// embedding is no loop over rows; it may share a kernel with one addition.
//
//===----------------------------------------------------------------------===//

#ifndef MPC_PASSES_LOWERING_KERNELGROUPS_H
#define MPC_PASSES_LOWERING_KERNELGROUPS_H

#include "mlir/IR/Block.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/SmallVector.h"

namespace mpc {

/// Whether `op`, of a partitioned function, is computed by a generated kernel:
/// every tfm op but products, what they accumulate, and attention; of the
/// reference plan, every tfm op.
bool isKernelOp(mlir::Operation *op);

/// Ops of one kernel, or a single op of another kind, in program order.
struct OpGroup {
  llvm::SmallVector<mlir::Operation *, 4> ops;
  bool isKernel = false;
};

/// Divides the ops of `block`, its terminator aside, into groups, in an order in
/// which every group comes after those whose results it reads. Without `fuse`
/// every op is a group of its own.
llvm::SmallVector<OpGroup> formKernelGroups(mlir::Block &block, bool fuse);

} // namespace mpc

#endif // MPC_PASSES_LOWERING_KERNELGROUPS_H
