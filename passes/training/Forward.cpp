//===- Forward.cpp - what a model's module holds ----------------*- C++ -*-===//

#include "passes/training/Forward.h"

using namespace mlir;

namespace mpc {

FailureOr<func::FuncOp> getForward(ModuleOp module) {
  auto function = module.lookupSymbol<func::FuncOp>(tfm::kForward);
  if (!function)
    return module.emitError("module has no function @") << tfm::kForward;
  if (!llvm::hasSingleElement(function.getBody()))
    return function.emitOpError("has ") << function.getBody().getBlocks().size()
                                        << " blocks, expected a body of 1";
  return function;
}

FailureOr<tfm::TrainingAttr> getRequiredTraining(ModuleOp module) {
  tfm::TrainingAttr training = tfm::getTraining(module);
  if (!training)
    return module.emitError("module has no ")
           << tfm::TfmDialect::kTrainingAttrName;
  return training;
}

FailureOr<StrategySizes> getStrategySizes(ModuleOp module) {
  StrategySizes sizes;
  if (tfm::StrategyAttr strategy = tfm::getStrategy(module))
    sizes = {strategy.getTp(), strategy.getDp(), strategy.getMicrobatches()};
  for (auto [name, size] : {std::pair("tp", sizes.tp),
                            {"dp", sizes.dp},
                            {"microbatches", sizes.microbatches}})
    if (size < 1)
      return module.emitError("tfm.strategy has ")
             << name << " = " << size << ", expected at least 1";
  return sizes;
}

} // namespace mpc
