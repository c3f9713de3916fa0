//===- Passes.h - the lowering phase ----------------------------*- C++ -*-===//

#ifndef MPC_PASSES_LOWERING_PASSES_H
#define MPC_PASSES_LOWERING_PASSES_H

#include "dialects/exec/IR/Exec.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"
#include "passes/lowering/kernels/CompileKernels.h"
#include "llvm/Support/CommandLine.h"

namespace mpc {

#define GEN_PASS_DECL
#include "passes/lowering/Passes.h.inc"

/// The passes of lowering up to kernels, which nothing has compiled yet.
void buildKernelFormation(mlir::OpPassManager &pm);

/// One rank's program → kernels and command lists on slices of memory.
void buildLoweringPipeline(mlir::OpPassManager &pm, kernels::Cpu cpu);

/// Registers the passes and `--mpc-lowering`.
void registerLowering();

} // namespace mpc

#endif // MPC_PASSES_LOWERING_PASSES_H
