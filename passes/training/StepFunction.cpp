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
  // All attributes at once: one by one would be quadratic.
  SmallVector<DictionaryAttr> argumentAttrs, resultAttrs;
  for (auto [binding, parameter] :
       llvm::zip_equal(argumentBindings, parameters)) {
    NamedAttrList attributes;
    attributes.set(tfm::TfmDialect::kBindingAttrName, binding);
    if (parameter)
      attributes.set(tfm::TfmDialect::kParameterAttrName, parameter);
    argumentAttrs.push_back(attributes.getDictionary(builder.getContext()));
  }
  for (tfm::BindingAttr binding : resultBindings) {
    NamedAttrList attributes;
    attributes.set(tfm::TfmDialect::kBindingAttrName, binding);
    resultAttrs.push_back(attributes.getDictionary(builder.getContext()));
  }
  function.setAllArgAttrs(argumentAttrs);
  function.setAllResultAttrs(resultAttrs);
}

} // namespace mpc
