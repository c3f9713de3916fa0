//===- Pipeline.cpp - the partition phase, in order -------------*- C++ -*-===//

#include "mlir/Pass/PassRegistry.h"
#include "passes/partition/Passes.h"

using namespace mlir;

namespace mpc {

void buildPartitionPipeline(OpPassManager &pm) {
  pm.addPass(createPartitionPass());
  // The mirror of mpc-verify-shardings: nothing global is left.
  pm.addPass(createVerifyPartitionedPass());
}

namespace {
#define GEN_PASS_REGISTRATION
#include "passes/partition/Passes.h.inc"
} // namespace

void registerPartition() {
  registerPasses();
  PassPipelineRegistration<>("mpc-partitioning",
                             "Turns a sharded module into one rank's program",
                             buildPartitionPipeline);
}

} // namespace mpc
