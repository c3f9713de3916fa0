//===- StepFunction.cpp - writing a function of a training step -*- C++ -*-===//

#include "passes/training/StepFunction.h"

using namespace mlir;

namespace mpc {

StepFunction::StepFunction(ModuleOp module, Location location, StringRef name)
    : builder(OpBuilder::atBlockEnd(module.getBody())) {
  function = func::FuncOp::create(builder, location, name,
                                  builder.getFunctionType({}, {}));
  builder.setInsertionPointToEnd(&function.getBody().emplaceBlock());
}

BlockArgument StepFunction::addArgument(Type type, tfm::BindingAttr binding,
                                        Location location,
                                        tfm::ParameterAttr parameter) {
  argumentBindings.push_back(binding);
  parameters.push_back(parameter);
  return function.getBody().front().addArgument(type, location);
}

void StepFunction::addResult(Value value, tfm::BindingAttr binding) {
  results.push_back(value);
  resultBindings.push_back(binding);
}

void StepFunction::finish() {
  func::ReturnOp::create(builder, function.getLoc(), results);
  function.setType(
      builder.getFunctionType(function.getBody().front().getArgumentTypes(),
                              ValueRange(results).getTypes()));
  for (auto [index, binding] : llvm::enumerate(argumentBindings))
    tfm::setArgBinding(function, index, binding);
  for (auto [index, parameter] : llvm::enumerate(parameters))
    if (parameter)
      tfm::setParameter(function, index, parameter);
  for (auto [index, binding] : llvm::enumerate(resultBindings))
    tfm::setResultBinding(function, index, binding);
}

} // namespace mpc
