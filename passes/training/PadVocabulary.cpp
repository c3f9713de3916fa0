//===- PadVocabulary.cpp ----------------------------------------*- C++ -*-===//
//
// A vocabulary is rarely a multiple of anything, and the largest tensors are
// split over it. Padding is a change of sizes in the global view: the loss
// knows the true number of classes, and checkpoints hold the logical shape.
//
//===----------------------------------------------------------------------===//

#include "passes/training/Forward.h"
#include "passes/training/Passes.h"
#include "passes/training/ResizeFactor.h"

using namespace mlir;

namespace mpc {

#define GEN_PASS_DEF_PADVOCABULARYPASS
#include "passes/training/Passes.h.inc"

namespace {

bool isVocabulary(tfm::ParameterAttr parameter, int64_t dim) {
  return parameter &&
         parameter.getDims()[dim].getValue() == tfm::DimensionKind::Vocabulary;
}

LogicalResult verifyIsVocabulary(BlockArgument argument, int64_t dim) {
  auto function = cast<func::FuncOp>(argument.getOwner()->getParentOp());
  tfm::ParameterAttr parameter =
      tfm::getParameter(function, argument.getArgNumber());
  if (isVocabulary(parameter, dim))
    return success();
  InFlightDiagnostic error = function.emitOpError("argument #")
                             << argument.getArgNumber();
  if (parameter)
    error << " (parameter " << parameter.getName() << ")";
  return error << ": dimension " << dim << " of " << argument.getType()
               << " counts tokens of the vocabulary, expected only dimensions "
                  "of kind vocabulary to";
}

struct PadVocabularyPass : impl::PadVocabularyPassBase<PadVocabularyPass> {
  void runOnOperation() override {
    if (failed(pad()))
      signalPassFailure();
  }

  LogicalResult pad() {
    ModuleOp module = getOperation();
    FailureOr<func::FuncOp> forward = getForward(module);
    FailureOr<tfm::TrainingAttr> training = getRequiredTraining(module);
    FailureOr<StrategySizes> sizes = getStrategySizes(module);
    if (failed(forward) || failed(training) || failed(sizes))
      return failure();
    if (training->getVocabularyMultiple() < 1)
      return module.emitError("tfm.training has vocabulary_multiple = ")
             << training->getVocabularyMultiple() << ", expected at least 1";
    int64_t multiple = sizes->tp * training->getVocabularyMultiple();

    FactorResizer resizer(*forward);
    for (BlockArgument argument : forward->getArguments()) {
      tfm::ParameterAttr parameter =
          tfm::getParameter(*forward, argument.getArgNumber());
      if (!parameter)
        continue;
      auto type = cast<RankedTensorType>(argument.getType());
      for (int64_t dim = 0; dim < type.getRank(); ++dim)
        if (isVocabulary(parameter, dim) &&
            failed(resizer.resize(argument, dim,
                                  llvm::alignTo(type.getDimSize(dim), multiple),
                                  verifyIsVocabulary)))
          return failure();
    }
    resizer.apply();
    return success();
  }
};

} // namespace
} // namespace mpc
