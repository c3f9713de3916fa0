//===- VerifyTraining.cpp ---------------------------------------*- C++ -*-===//
//
// What every later phase relies on: the three functions, and state that is
// named and typed the same wherever it is read or written.
//
//===----------------------------------------------------------------------===//

#include "passes/training/Passes.h"

using namespace mlir;

namespace mpc {

#define GEN_PASS_DEF_VERIFYTRAININGPASS
#include "passes/training/Passes.h.inc"

namespace {

/// The gate. State is known by its binding, which stands for (kind, name).
class TrainingVerifier {
public:
  LogicalResult run(ModuleOp module) {
    for (Operation &op : module.getOps())
      if (failed(verifyIsStepFunction(&op)))
        return failure();
    for (StringRef name : {tfm::kPrologue, tfm::kForwardBackward, tfm::kUpdate})
      if (!module.lookupSymbol<func::FuncOp>(name))
        return module.emitError("module has no function @") << name;
    for (auto function : module.getOps<func::FuncOp>())
      if (failed(verify(function)))
        return failure();
    return success();
  }

private:
  static LogicalResult verifyIsStepFunction(Operation *op) {
    auto function = dyn_cast<func::FuncOp>(op);
    if (!function)
      return op->emitOpError("stands beside the functions of a training step, "
                             "expected only functions");
    StringRef name = function.getName();
    if (name != tfm::kPrologue && name != tfm::kForwardBackward &&
        name != tfm::kUpdate)
      return function.emitOpError("@")
             << name << " is none of @" << tfm::kPrologue << ", @"
             << tfm::kForwardBackward << ", @" << tfm::kUpdate;
    if (!llvm::hasSingleElement(function.getBody()))
      return function.emitOpError("@")
             << name << " has " << function.getBody().getBlocks().size()
             << " blocks, expected a body of 1";
    return success();
  }

  LogicalResult verify(func::FuncOp function) {
    DenseMap<Attribute, unsigned> read, written;
    for (unsigned i = 0; i < function.getNumArguments(); ++i) {
      tfm::BindingAttr binding = tfm::getArgBinding(function, i);
      if (failed(verifyState(function, "argument", i, binding,
                             function.getArgumentTypes()[i], read)))
        return failure();
      if (binding.getKind() == tfm::StateKind::Master &&
          !tfm::getParameter(function, i))
        return function.emitOpError("argument #")
               << i << " is the master of " << binding.getName()
               << " and has no " << tfm::TfmDialect::kParameterAttrName;
    }
    for (unsigned i = 0; i < function.getNumResults(); ++i)
      if (failed(verifyState(function, "result", i,
                             tfm::getResultBinding(function, i),
                             function.getResultTypes()[i], written)))
        return failure();
    return success();
  }

  /// `seen` are the states of the earlier arguments (or results) of `function`.
  LogicalResult verifyState(func::FuncOp function, StringRef role,
                            unsigned index, tfm::BindingAttr binding, Type type,
                            DenseMap<Attribute, unsigned> &seen) {
    if (!binding)
      return function.emitOpError() << role << " #" << index << " has no "
                                    << tfm::TfmDialect::kBindingAttrName;
    if (auto [it, isNew] = seen.try_emplace(binding, index); !isNew)
      return function.emitOpError()
             << role << " #" << index << " is bound to " << binding
             << ", and so is " << role << " #" << it->second;
    auto [it, isNew] = states.try_emplace(binding, type, function);
    if (!isNew && it->second.first != type) {
      InFlightDiagnostic error = function.emitOpError()
                                 << role << " #" << index << " (" << binding
                                 << ") is " << type << ", expected "
                                 << it->second.first;
      error.attachNote(it->second.second.getLoc())
          << "as in @" << it->second.second.getName();
      return error;
    }
    return success();
  }

  DenseMap<Attribute, std::pair<Type, func::FuncOp>> states;
};

struct VerifyTrainingPass : impl::VerifyTrainingPassBase<VerifyTrainingPass> {
  void runOnOperation() override {
    markAllAnalysesPreserved();
    if (failed(TrainingVerifier().run(getOperation())))
      signalPassFailure();
  }
};

} // namespace
} // namespace mpc
