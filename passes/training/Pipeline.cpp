//===- Pipeline.cpp - the passes of training, in order ----------*- C++ -*-===//

#include "passes/training/Passes.h"

using namespace mlir;

namespace mpc {

void buildTrainingPipeline(OpPassManager &pm) {
  // Sizes first, while there is one function and no gradient to carry them to; the
  // vocabulary before the batch, so that with `strict` one error can list every
  // size of the step that does not divide.
  pm.addPass(createPadVocabularyPass());
  pm.addPass(createSplitMicrobatchesPass());
  // Before gradients, so that each of its parts has one.
  pm.addPass(createUnfuseAttentionPass());
  pm.addPass(createSetPrecisionPass());
  pm.addPass(createBuildTrainingStepPass());
  // Before sharding, so that what is computed again is communicated again.
  pm.addPass(createRecomputePass());
  pm.addPass(createVerifyTrainingPass());
}

namespace {
#define GEN_PASS_REGISTRATION
#include "passes/training/Passes.h.inc"
} // namespace

void registerTraining() {
  registerPasses();
  PassPipelineRegistration<>(
      "mpc-training", "Turns an imported model into the functions of a step",
      buildTrainingPipeline);
}

} // namespace mpc
