// Emits a scheduled kernel as a function of loops, in the dialects scf, arith,
// math and llvm.
#ifndef MPC_PASSES_LOWERING_KERNELS_KERNELEMITTER_H
#define MPC_PASSES_LOWERING_KERNELS_KERNELEMITTER_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "passes/lowering/kernels/KernelParts.h"
#include "passes/lowering/kernels/Lanes.h"

namespace mpc::kernels {

/// What is known at the current place of a kernel: addresses, the row, and the
/// tensors that are one value.
struct RowState {
  /// Of each tensor in memory, its address; of each result, every address.
  llvm::SmallVector<mlir::Value> bases;
  llvm::SmallVector<llvm::SmallVector<mlir::Value>> resultBases;
  /// Of each tensor that is one value, the value.
  llvm::SmallVector<mlir::Value> scalars;
  /// Of each dimension of the rows, and of the block's: index of the row, or of
  /// the block's first iteration. Null for other dimensions.
  llvm::SmallVector<mlir::Value> rowIndex;
  /// Iterations of the block in this row, where not all blocks are alike.
  mlir::Value blockExtent;
};

/// Emits the loop nest of a group at the builder's place. Results that are one
/// value are put into `state`; those of the prologue are not stored.
mlir::LogicalResult emitNest(const Schedule &schedule, const Group &group,
                             RowState &state, mlir::OpBuilder &builder);

/// The arguments of a kernel's function, in its entry block.
struct KernelArguments {
  llvm::SmallVector<mlir::Value> inputs;
  llvm::SmallVector<mlir::Value> outputs;
  mlir::Value begin;
  mlir::Value end;
};

/// Makes `void symbol(ptr buffers, i64 begin, i64 end)` with an entry block
/// that loads the buffers' addresses, and sets the builder before its return.
mlir::LLVM::LLVMFuncOp createKernelFunction(mlir::OpBuilder &builder,
                                            mlir::func::FuncOp kernel,
                                            KernelArguments &arguments);

/// Emits the function of a kernel at the builder's place in a module.
mlir::LogicalResult emitKernel(mlir::func::FuncOp kernel,
                               const KernelParts &parts,
                               mlir::OpBuilder &builder);

} // namespace mpc::kernels

#endif // MPC_PASSES_LOWERING_KERNELS_KERNELEMITTER_H
