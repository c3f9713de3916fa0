//===- Pipeline.cpp - the pipeline phase, in order --------------*- C++ -*-===//

#include "mlir/Pass/PassRegistry.h"
#include "passes/pipeline/Passes.h"
#include "passes/sharding/Passes.h"

using namespace mlir;

namespace mpc {

void buildPipelinePipeline(OpPassManager &pm) {
  pm.addPass(createSplitStagesPass());
  // What is sent and kept is typed like everything else.
  pm.addPass(createVerifyShardingsPass());
}

namespace {
#define GEN_PASS_REGISTRATION
#include "passes/pipeline/Passes.h.inc"
} // namespace

void registerPipeline() {
  registerPasses();
  PassPipelineRegistration<>("mpc-pipeline",
                             "Cuts the functions of a step into stages",
                             buildPipelinePipeline);
}

} // namespace mpc
