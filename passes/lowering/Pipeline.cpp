//===- Pipeline.cpp - the lowering phase, in order --------------*- C++ -*-===//

#include "mlir/Pass/PassRegistry.h"
#include "passes/lowering/Passes.h"

using namespace mlir;

namespace mpc {

void buildKernelFormation(OpPassManager &pm) {
  // Before the first microbatch loses its accumulators: its first part writes
  // them, the others add.
  pm.addPass(createSplitAccumulationsPass());
  pm.addPass(createSpecializeMicrobatchesPass());
  // So that communication over data is under way while a microbatch is computed.
  pm.addPass(createStartGathersPass());
  pm.addPass(createStartReductionsPass());
  // So that the kernels of all layers are equal.
  pm.addPass(createHoistDropoutKeysPass());
  pm.addPass(createFormKernelsPass());
}

void buildLoweringPipeline(OpPassManager &pm, kernels::Cpu cpu) {
  buildKernelFormation(pm);
  // Before memory: the schedule of a kernel says what it can do in place.
  pm.addPass(createCompileKernelsPass({cpu}));
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
                             [](OpPassManager &pm) {
                               buildLoweringPipeline(pm,
                                                     kernels::Cpu::Baseline);
                             });
}

} // namespace mpc
