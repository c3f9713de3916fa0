//===- Passes.h - the sharding phase ----------------------------*- C++ -*-===//

#ifndef MPC_PASSES_SHARDING_PASSES_H
#define MPC_PASSES_SHARDING_PASSES_H

#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"

namespace mpc {

#define GEN_PASS_DECL
#include "passes/sharding/Passes.h.inc"

/// Global view with pins → sharded types with explicit reshards, verified.
void buildShardingPipeline(mlir::OpPassManager &pm);

/// Registers the passes and `--mpc-sharding`.
void registerSharding();

} // namespace mpc

#endif // MPC_PASSES_SHARDING_PASSES_H
