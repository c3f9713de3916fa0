//===- Import.cpp - from model descriptions to MLIR -------------*- C++ -*-===//

#include "frontends/huggingface/Config.h"
#include "frontends/spec/ReadSpec.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Verifier.h"
#include "tools/mpc-translate/Translation.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace mpc {
namespace {

LogicalResult readTrainingFile(const TranslationRequest &request,
                               SettingOrigins &origins,
                               TrainingSpec &training) {
  if (request.trainingFile.empty())
    return success();
  unsigned id = openFile(request.sources, request.trainingFile, kMostBytes);
  if (id == 0)
    return failure();
  return readTraining(*request.sources.getMemoryBuffer(id), origins, training);
}

/// Checks the model with its training, and prints the module.
LogicalResult printModel(const TranslationRequest &request, ModelSpec &model,
                         TrainingSpec &training, tfm::StrategyAttr strategy,
                         const SettingOrigins &origins, raw_ostream &output) {
  if (failed(resolve(model, training, origins)))
    return failure();
  OwningOpRef<ModuleOp> module =
      buildModel(request.context, model, training, strategy);
  if (failed(verify(*module)))
    return failure();
  // Locations are the names of the parts of the model, which messages of the
  // runtime print.
  module->print(output,
                OpPrintingFlags().enableDebugInfo().printNameLocAsPrefix());
  return success();
}

SettingOrigins originsOf(const TranslationRequest &request) {
  return SettingOrigins(FileLineColLoc::get(
      request.context, request.getInput().getBufferIdentifier(), 1, 1));
}

} // namespace

LogicalResult importHuggingFace(const TranslationRequest &request,
                                raw_ostream &output) {
  SettingOrigins origins = originsOf(request);
  FailureOr<HuggingFaceModel> model =
      readHuggingFaceConfig(request.getInput(), origins);
  TrainingSpec training;
  if (failed(model) || failed(readTrainingFile(request, origins, training)) ||
      failed(
          printModel(request, model->spec, training, nullptr, origins, output)))
    return failure();
  // No config.json says it.
  if (model->spec.tokens.mask && !training.tokens.mask)
    model->assumed.push_back("mask_token = " +
                             std::to_string(*model->spec.tokens.mask));
  if (!model->assumed.empty())
    llvm::errs() << "mpc-translate: note: "
                 << request.getInput().getBufferIdentifier()
                 << " does not say, so it is as the family has it: "
                 << llvm::join(model->assumed, ", ") << "\n";
  return success();
}

LogicalResult importSpec(const TranslationRequest &request,
                         raw_ostream &output) {
  SettingOrigins origins = originsOf(request);
  FailureOr<JobSpec> job = readJob(request.getInput(), origins);
  if (failed(job) || failed(readTrainingFile(request, origins, job->training)))
    return failure();
  tfm::StrategyAttr strategy;
  if (job->strategy) {
    request.context->loadDialect<tfm::TfmDialect>();
    strategy = makeStrategy(request.context, *job->strategy);
  }
  return printModel(request, job->model, job->training, strategy, origins,
                    output);
}

} // namespace mpc
