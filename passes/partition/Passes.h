//===- Passes.h - the partition phase ---------------------------*- C++ -*-===//

#ifndef MPC_PASSES_PARTITION_PASSES_H
#define MPC_PASSES_PARTITION_PASSES_H

#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"

namespace mpc {

#define GEN_PASS_DECL
#include "passes/partition/Passes.h.inc"

/// Sharded types → one rank's program with explicit collectives.
void buildPartitionPipeline(mlir::OpPassManager &pm);

/// Registers the passes and `--mpc-partitioning`.
void registerPartition();

} // namespace mpc

#endif // MPC_PASSES_PARTITION_PASSES_H
