//===- NamedState.cpp - a training step on named state ----------*- C++ -*-===//

#include "test/oracle/NamedState.h"
#include "test/execution/Evaluator.h"

using namespace mlir;

namespace mpc {

LogicalResult callOnState(func::FuncOp function, NamedState &state) {
  SmallVector<execution::Array> arguments;
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    tfm::BindingAttr binding = tfm::getArgBinding(function, i);
    auto found = state.find({binding.getKind(), binding.getName().str()});
    if (found == state.end())
      return function.emitOpError("has no value for ") << binding;
    arguments.push_back(found->second);
  }
  FailureOr<SmallVector<execution::Array>> results =
      execution::callGlobally(function, arguments);
  if (failed(results))
    return failure();
  for (auto [i, result] : llvm::enumerate(*results)) {
    tfm::BindingAttr binding = tfm::getResultBinding(function, i);
    state[{binding.getKind(), binding.getName().str()}] = std::move(result);
  }
  return success();
}

} // namespace mpc
