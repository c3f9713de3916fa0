//===- Pipeline.cpp - the sharding phase, in order --------------*- C++ -*-===//

#include "dialects/dist/IR/Dist.h"
#include "mlir/Pass/PassRegistry.h"
#include "passes/sharding/Passes.h"

using namespace mlir;

namespace mpc {

void buildShardingPipeline(OpPassManager &pm) {
  pm.addPass(createSpreadShardingsPass());
  // Reshards still say what they are for, and the gate proves what they became.
  pm.addPass(createOptimizeReshardsPass());
  // The gate: from here to partitioning every type is proven against its rule.
  pm.addPass(createVerifyShardingsPass());
}

namespace {
#define GEN_PASS_REGISTRATION
#include "passes/sharding/Passes.h.inc"
} // namespace

void registerSharding() {
  registerPasses();
  PassPipelineRegistration<>("mpc-sharding",
                             "Spreads shardings from pins and verifies them",
                             buildShardingPipeline);
}

} // namespace mpc
