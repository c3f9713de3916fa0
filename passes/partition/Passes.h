//===- Passes.h - the partition phase ---------------------------*- C++ -*-===//

#ifndef MPC_PASSES_PARTITION_PASSES_H
#define MPC_PASSES_PARTITION_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"

namespace mpc {

#define GEN_PASS_DECL
#include "passes/partition/Passes.h.inc"

/// Sharded types → one rank's program with explicit collectives.
void buildPartitionPipeline(mlir::OpPassManager &pm);

/// Fails with a diagnostic if the module is already the program of the ranks,
/// in which there is nothing to shard or partition.
mlir::LogicalResult verifyIsNotLowered(mlir::ModuleOp module);

/// Registers the passes and `--mpc-partitioning`.
void registerPartition();

} // namespace mpc

#endif // MPC_PASSES_PARTITION_PASSES_H
