// Kernels that are one op which emits itself.
#ifndef MPC_PASSES_LOWERING_KERNELS_CUSTOMKERNELS_H
#define MPC_PASSES_LOWERING_KERNELS_CUSTOMKERNELS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/DialectRegistry.h"
#include "passes/lowering/kernels/KernelBodyInterface.h"
#include <optional>

namespace mpc::kernels {

/// A kernel whose body is an op with KernelBodyOpInterface, and perhaps a
/// `tfm.add` or `tfm.accumulate` of its result to an argument.
struct CustomKernel {
  KernelBodyOpInterface op;
  /// The arguments that its operands are.
  llvm::SmallVector<unsigned> inputs;
  /// The argument that is added.
  std::optional<unsigned> initial;

  /// Nullopt where `kernel` is none.
  static std::optional<CustomKernel> match(mlir::func::FuncOp kernel);
};

/// Gives KernelBodyOpInterface to `tfm.embedding_grad`.
void registerCustomKernels(mlir::DialectRegistry &registry);

} // namespace mpc::kernels

#endif // MPC_PASSES_LOWERING_KERNELS_CUSTOMKERNELS_H
