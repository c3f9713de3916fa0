//===- SplitMicrobatches.cpp ------------------------------------*- C++ -*-===//
//
// Importers write the forward pass for the whole batch of a step, since they
// know of no strategy. Gradient accumulation runs it once a microbatch.
//
//===----------------------------------------------------------------------===//

#include "passes/planning/UndividedSizes.h"
#include "passes/training/Forward.h"
#include "passes/training/Passes.h"
#include "passes/training/ResizeFactor.h"

using namespace mlir;

namespace mpc {

#define GEN_PASS_DEF_SPLITMICROBATCHESPASS
#include "passes/training/Passes.h.inc"

namespace {

/// The values of `name` that divide `number` / `taken`, for an error message:
/// empty, or such as "dp one of 1, 2 for microbatches = 2, or ".
std::string legalValues(StringRef name, int64_t number, StringRef other,
                        int64_t taken) {
  if (number % taken != 0)
    return "";
  std::string text;
  for (int64_t divisor = 1; divisor <= number / taken; ++divisor)
    if (number / taken % divisor == 0)
      text += (text.empty() ? "" : ", ") + std::to_string(divisor);
  return (name + " one of " + text + " for " + other + " = " + Twine(taken) +
          ", or ")
      .str();
}

/// With `strict` an error here also lists what tp does not divide, one a line,
/// which `mpc-apply-strategy` would report next.
std::string listUndividedIfStrict(func::FuncOp forward) {
  tfm::StrategyAttr strategy =
      tfm::getStrategy(forward->getParentOfType<ModuleOp>());
  std::string text;
  if (strategy && strategy.getStrict())
    for (NamedSize size : findUndividedSizes(forward, strategy))
      text += "\n" + describeUndivided(size, strategy.getTp());
  return text;
}

LogicalResult verifyDivides(func::FuncOp forward, int64_t batch,
                            StrategySizes sizes) {
  auto module = forward->getParentOfType<ModuleOp>();
  auto [tp, dp, microbatches] = sizes;
  if (batch >= 1 && batch % microbatches == 0 && batch / microbatches % dp == 0)
    return success();
  if (batch < 1)
    return module.emitError("tfm.training has global_batch = ")
           << batch << ", expected at least 1";
  return module.emitError("global_batch = ")
         << batch << " does not divide by dp * microbatches = " << dp << " * "
         << microbatches << "; expected "
         << legalValues("dp", batch, "microbatches", microbatches)
         << legalValues("microbatches", batch, "dp", dp)
         << "another global_batch" << listUndividedIfStrict(forward);
}

/// Only batch inputs have a batch, and it is their first dimension.
LogicalResult verifyIsBatch(BlockArgument argument, int64_t dim) {
  auto function = cast<func::FuncOp>(argument.getOwner()->getParentOp());
  tfm::BindingAttr binding =
      tfm::getArgBinding(function, argument.getArgNumber());
  if (dim == 0 && binding && binding.getKind() == tfm::StateKind::Batch)
    return success();
  return function.emitOpError("argument #")
         << argument.getArgNumber() << ": dimension " << dim << " of "
         << argument.getType()
         << " counts sequences of the batch, expected only dimension 0 of "
            "batch inputs to";
}

struct SplitMicrobatchesPass
    : impl::SplitMicrobatchesPassBase<SplitMicrobatchesPass> {
  void runOnOperation() override {
    if (failed(split()))
      signalPassFailure();
  }

  LogicalResult split() {
    ModuleOp module = getOperation();
    FailureOr<func::FuncOp> forward = getForward(module);
    FailureOr<tfm::TrainingAttr> training = getRequiredTraining(module);
    FailureOr<StrategySizes> sizes = getStrategySizes(module);
    if (failed(forward) || failed(training) || failed(sizes))
      return failure();
    int64_t batch = training->getGlobalBatch();
    if (failed(verifyDivides(*forward, batch, *sizes)))
      return failure();

    FactorResizer resizer(*forward);
    for (BlockArgument argument : forward->getArguments()) {
      tfm::BindingAttr binding =
          tfm::getArgBinding(*forward, argument.getArgNumber());
      if (!binding || binding.getKind() != tfm::StateKind::Batch)
        continue;
      auto type = dyn_cast<RankedTensorType>(argument.getType());
      if (!type || type.getRank() == 0 || type.getDimSize(0) != batch)
        return forward->emitOpError("batch input ")
               << binding.getName() << " is " << argument.getType()
               << ", expected a first dimension of global_batch = " << batch;
      if (failed(resizer.resize(argument, 0, batch / sizes->microbatches,
                                verifyIsBatch)))
        return failure();
    }
    resizer.apply();
    return success();
  }
};

} // namespace
} // namespace mpc
