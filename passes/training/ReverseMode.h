//===- ReverseMode.h - the backward pass of a block -------------*- C++ -*-===//
//
// Reverse-mode differentiation over GradientOpInterface. Cotangents are
// ordinary values in the global view; a zero cotangent is a null value and
// costs nothing.
//
//===----------------------------------------------------------------------===//

#ifndef MPC_PASSES_TRAINING_REVERSEMODE_H
#define MPC_PASSES_TRAINING_REVERSEMODE_H

#include "mlir/IR/Builders.h"
#include "mlir/Support/LLVM.h"

namespace mpc {

/// Called with the gradient of an argument, the builder standing behind it.
using GradientReceiver =
    llvm::function_ref<void(mlir::BlockArgument, mlir::Value gradient)>;

/// Differentiates `loss` with respect to the arguments `wanted`, all of one
/// block. `cotangent` is that of the loss, of its type. The ops of the backward
/// pass are built where `builder` stands, behind the loss.
///
/// `receive` gets each argument's gradient as soon as its last contribution is
/// built, and is not called for an argument that the loss does not depend on.
/// An op on the way that has no gradient is an error.
mlir::LogicalResult buildBackwardPass(
    mlir::OpBuilder &builder, mlir::Value loss, mlir::Value cotangent,
    llvm::ArrayRef<mlir::BlockArgument> wanted, GradientReceiver receive);

} // namespace mpc

#endif // MPC_PASSES_TRAINING_REVERSEMODE_H
