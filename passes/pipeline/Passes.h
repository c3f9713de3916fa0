//===- Passes.h - the pipeline phase ----------------------------*- C++ -*-===//

#ifndef MPC_PASSES_PIPELINE_PASSES_H
#define MPC_PASSES_PIPELINE_PASSES_H

#include "dialects/exec/IR/Exec.h"
#include "dialects/transformer/IR/Transformer.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"

namespace mpc {

#define GEN_PASS_DECL
#include "passes/pipeline/Passes.h.inc"

/// Adds the phase: from the functions of a step to those of its stages. Stages are
/// assigned before, by `mpc-assign-stages`, since gradients follow them.
void buildPipelinePipeline(mlir::OpPassManager &pm);

/// Registers the passes and `mpc-pipeline`.
void registerPipeline();

} // namespace mpc

#endif // MPC_PASSES_PIPELINE_PASSES_H
