//===- Passes.h - from a forward pass to a training step --------*- C++ -*-===//

#ifndef MPC_PASSES_TRAINING_PASSES_H
#define MPC_PASSES_TRAINING_PASSES_H

#include "dialects/transformer/IR/Transformer.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"

namespace mpc {

#define GEN_PASS_DECL
#include "passes/training/Passes.h.inc"

/// Turns an imported module into the three functions of a training step.
void buildTrainingPipeline(mlir::OpPassManager &pm);

/// Registers the passes of this phase and `--mpc-training`.
void registerTraining();

} // namespace mpc

#endif // MPC_PASSES_TRAINING_PASSES_H
