//===- Pipeline.cpp - the lowering phase, in order --------------*- C++ -*-===//

#include "mlir/Pass/PassRegistry.h"
#include "passes/lowering/Passes.h"

using namespace mlir;

namespace mpc {

void buildLoweringPipeline(OpPassManager &pm) {
  // Before the first microbatch loses its accumulators: its first part writes
  // them, the others add.
  pm.addPass(createSplitAccumulationsPass());
  pm.addPass(createSpecializeMicrobatchesPass());
  // So that the kernels of all layers are equal.
  pm.addPass(createHoistDropoutKeysPass());
  pm.addPass(createFormKernelsPass());
  pm.addPass(createAssignMemoryPass());
  pm.addPass(createVerifyExecPass());
}

namespace {
#define GEN_PASS_REGISTRATION
#include "passes/lowering/Passes.h.inc"
} // namespace

void registerLowering() {
  registerPasses();
  PassPipelineRegistration<>("mpc-lowering",
                             "Turns one rank's program into command lists",
                             buildLoweringPipeline);
}

} // namespace mpc
