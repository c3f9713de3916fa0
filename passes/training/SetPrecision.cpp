//===- SetPrecision.cpp -----------------------------------------*- C++ -*-===//
//
// Importers write models in f32. What a step computes them in is a setting of
// training: here activations and parameters become narrower, while there is
// one function and no gradient yet.
//
//===----------------------------------------------------------------------===//

#include "passes/training/Forward.h"
#include "passes/training/Passes.h"

using namespace mlir;

namespace mpc {

#define GEN_PASS_DEF_SETPRECISIONPASS
#include "passes/training/Passes.h.inc"

namespace {

FloatType getType(tfm::Precision precision, MLIRContext *context) {
  switch (precision) {
  case tfm::Precision::F32:
    return Float32Type::get(context);
  case tfm::Precision::BF16:
    return BFloat16Type::get(context);
  case tfm::Precision::F16:
    return Float16Type::get(context);
  }
  llvm_unreachable("all precisions are covered");
}

void setElementType(Value value, FloatType element) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (type && isa<FloatType>(type.getElementType()))
    value.setType(type.clone(element));
}

struct SetPrecisionPass : impl::SetPrecisionPassBase<SetPrecisionPass> {
  void runOnOperation() override {
    FailureOr<func::FuncOp> forward = getForward(getOperation());
    FailureOr<tfm::TrainingAttr> training = getRequiredTraining(getOperation());
    if (failed(forward) || failed(training))
      return signalPassFailure();
    if (training->getPrecision() == tfm::Precision::F32)
      return;
    FloatType element = getType(training->getPrecision(), &getContext());
    for (BlockArgument argument : forward->getArguments())
      setElementType(argument, element);
    for (Operation &op : forward->getBody().getOps())
      if (auto differentiable = dyn_cast<GradientOpInterface>(op))
        for (OpResult result : op.getResults())
          if (!differentiable.isStatistic(result.getResultNumber()))
            setElementType(result, element);
    forward->setFunctionType(FunctionType::get(
        &getContext(), forward->getBody().getArgumentTypes(),
        forward->getResultTypes()));
  }
};

} // namespace
} // namespace mpc
