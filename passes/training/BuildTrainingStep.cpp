//===- BuildTrainingStep.cpp ------------------------------------*- C++ -*-===//
//
// A model is its forward pass; training it is three functions. This writes
// them, before anything is sharded: what is split over ranks later is these
// functions, gradients and optimizer included.
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/IRMapping.h"
#include "passes/training/Forward.h"
#include "passes/training/Passes.h"
#include "passes/training/ReverseMode.h"
#include "passes/training/StepFunction.h"

using namespace mlir;

namespace mpc {

#define GEN_PASS_DEF_BUILDTRAININGSTEPPASS
#include "passes/training/Passes.h.inc"

namespace {

using dist::Phase;
using tfm::StateKind;

/// A parameter of the model and its place among the arguments of @forward.
struct Parameter {
  tfm::ParameterAttr attr;
  /// Of its master, gradient and moments: f32.
  RankedTensorType type;
  RankedTensorType computeType;
  Location location;
  unsigned argument;
};

/// Writes the three functions from @forward.
class StepWriter {
public:
  StepWriter(func::FuncOp forward, tfm::TrainingAttr training,
             int64_t microbatches)
      : module(forward->getParentOfType<ModuleOp>()), forward(forward),
        training(training), microbatches(microbatches),
        scalar(RankedTensorType::get({}, Float32Type::get(getContext()))) {}

  LogicalResult write() {
    if (failed(collect()))
      return failure();
    writePrologue();
    if (failed(writeForwardBackward()))
      return failure();
    writeUpdate();
    return success();
  }

private:
  MLIRContext *getContext() { return module.getContext(); }

  tfm::BindingAttr bind(StateKind kind, StringRef name) {
    return tfm::BindingAttr::get(getContext(), kind,
                                 StringAttr::get(getContext(), name));
  }
  tfm::BindingAttr bind(StateKind kind, const Parameter &parameter) {
    return tfm::BindingAttr::get(getContext(), kind, parameter.attr.getName());
  }

  /// Finds the parameters and the labels, and checks what the functions rely
  /// on.
  LogicalResult collect() {
    for (BlockArgument argument : forward.getArguments()) {
      unsigned index = argument.getArgNumber();
      tfm::BindingAttr binding = tfm::getArgBinding(forward, index);
      if (tfm::ParameterAttr attr = tfm::getParameter(forward, index)) {
        auto type = cast<RankedTensorType>(argument.getType());
        if (!isa<FloatType>(type.getElementType()))
          return forward.emitOpError("parameter ")
                 << attr.getName() << " is " << type
                 << ", expected elements of f32, bf16 or f16";
        parameters.push_back({attr, type.clone(scalar.getElementType()), type,
                              argument.getLoc(), index});
      } else if (!binding) {
        return forward.emitOpError("argument #")
               << index
               << " is neither a parameter (tfm.parameter) nor bound "
                  "(tfm.binding)";
      } else if (binding == bind(StateKind::Batch, "labels")) {
        labels = dyn_cast<RankedTensorType>(argument.getType());
      }
    }
    if (parameters.empty())
      return forward.emitOpError("has no parameter, expected one to train");
    if (!labels || labels.getRank() == 0)
      return forward.emitOpError("has no batch input \"labels\", by which the "
                                 "tokens of the loss are counted");
    if (labels.getDimSize(0) * microbatches != training.getGlobalBatch())
      return forward.emitOpError("is for ")
             << labels.getDimSize(0) << " sequences, expected global_batch / "
             << "microbatches = " << training.getGlobalBatch() << " / "
             << microbatches;
    if (forward.getResultTypes() != ArrayRef<Type>(scalar))
      return forward.emitOpError("returns ")
             << forward.getResultTypes() << ", expected the loss, a " << scalar;
    return success();
  }

  /// @prologue: what is known before the first microbatch.
  void writePrologue() {
    StepFunction function(module, forward.getLoc(), tfm::kPrologue);
    SmallVector<Value> masters;
    for (const Parameter &parameter : parameters)
      masters.push_back(function.addArgument(
          parameter.type, bind(StateKind::Master, parameter),
          parameter.location, parameter.attr));
    SmallVector<int64_t> shape = {microbatches};
    llvm::append_range(shape, labels.getShape());
    Location location = forward.getLoc();
    Value stepLabels = function.addArgument(
        labels.clone(shape), bind(StateKind::Batch, "step.labels"), location);

    OpBuilder &builder = function.getBuilder();
    Value valid = tfm::build<tfm::CountValidOp>(
        builder, location, Phase::Prologue, scalar, stepLabels);
    Value inverse = tfm::build<tfm::ReciprocalOp>(
        builder, location, Phase::Prologue, scalar, valid);

    for (auto [parameter, master] : llvm::zip_equal(parameters, masters))
      function.addResult(toComputeType(builder, parameter, master),
                         bind(StateKind::Compute, parameter));
    if (isLossScaled()) {
      Value lossScale = function.addArgument(
          scalar, bind(StateKind::Counter, "loss_scale"), location);
      function.addResult(tfm::build<tfm::ScaleOp>(builder, location,
                                                  Phase::Prologue, scalar,
                                                  inverse, lossScale),
                         bind(StateKind::Carry, "scaled_inverse_count"));
    }
    function.addResult(valid, bind(StateKind::Metric, "valid_tokens"));
    function.addResult(inverse, bind(StateKind::Carry, "inverse_count"));
    function.finish();
  }

  /// @forward_backward: one microbatch.
  LogicalResult writeForwardBackward() {
    StepFunction function(module, forward.getLoc(), tfm::kForwardBackward);
    IRMapping mapping;
    SmallVector<BlockArgument> computes, accumulators;
    for (const Parameter &parameter : parameters) {
      computes.push_back(function.addArgument(
          parameter.computeType, bind(StateKind::Compute, parameter),
          parameter.location));
      mapping.map(forward.getArgument(parameter.argument), computes.back());
    }
    for (const Parameter &parameter : parameters)
      accumulators.push_back(function.addArgument(
          parameter.type, bind(StateKind::Accumulator, parameter),
          parameter.location));
    Location location = forward.getLoc();
    Value lossSum = function.addArgument(
        scalar, bind(StateKind::Carry, "loss_sum"), location);
    for (BlockArgument argument : forward.getArguments())
      if (!mapping.contains(argument))
        mapping.map(argument,
                    function.addArgument(
                        argument.getType(),
                        tfm::getArgBinding(forward, argument.getArgNumber()),
                        argument.getLoc()));
    Value cotangent = function.addArgument(
        scalar,
        bind(StateKind::Carry,
             isLossScaled() ? "scaled_inverse_count" : "inverse_count"),
        location);

    OpBuilder &builder = function.getBuilder();
    Block &body = forward.getBody().front();
    for (Operation &op : body.without_terminator())
      builder.clone(op, mapping);
    Value loss = mapping.lookup(body.getTerminator()->getOperand(0));
    Value newLossSum = tfm::build<tfm::AccumulateOp>(
        builder, loss.getLoc(), Phase::Forward, scalar, lossSum, loss);

    // Each gradient is added to its accumulator at once: it need not live on.
    SmallVector<Value> accumulated(parameters.size());
    auto accumulate = [&](BlockArgument compute, Value gradient) {
      unsigned index = compute.getArgNumber();
      accumulated[index] = tfm::build<tfm::AccumulateOp>(
          builder, gradient.getLoc(), Phase::Weight, gradient.getType(),
          accumulators[index], gradient);
    };
    if (failed(buildBackwardPass(builder, loss, cotangent, computes,
                                 accumulate)))
      return failure();

    for (auto [parameter, value] : llvm::zip_equal(parameters, accumulated)) {
      if (!value)
        return forward.emitOpError("parameter ")
               << parameter.attr.getName()
               << " has no gradient, the loss does not depend on it";
      function.addResult(value, bind(StateKind::Accumulator, parameter));
    }
    function.addResult(newLossSum, bind(StateKind::Carry, "loss_sum"));
    function.finish();
    return success();
  }

  /// @update: metrics, clipping, and the optimizer on every parameter.
  void writeUpdate() {
    StepFunction function(module, forward.getLoc(), tfm::kUpdate);
    auto addArguments = [&](StateKind kind) {
      SmallVector<Value> arguments;
      for (const Parameter &parameter : parameters)
        arguments.push_back(function.addArgument(
            parameter.type, bind(kind, parameter), parameter.location,
            kind == StateKind::Master ? parameter.attr : tfm::ParameterAttr()));
      return arguments;
    };
    auto addScalar = [&](StateKind kind, StringRef name) -> Value {
      return function.addArgument(scalar, bind(kind, name), forward.getLoc());
    };
    bool hasMoments = training.getOptimizer() == tfm::OptimizerKind::AdamW;
    SmallVector<Value> gradients = addArguments(StateKind::Accumulator);
    SmallVector<Value> masters = addArguments(StateKind::Master);
    SmallVector<Value> moments1, moments2;
    if (hasMoments) {
      moments1 = addArguments(StateKind::Moment1);
      moments2 = addArguments(StateKind::Moment2);
    }
    Value lossSum = addScalar(StateKind::Carry, "loss_sum");
    Value inverse = addScalar(StateKind::Carry, "inverse_count");
    Value valid = addScalar(StateKind::Metric, "valid_tokens");
    Value step = addScalar(StateKind::Counter, "step");
    Value learningRate = addScalar(StateKind::InputScalar, "learning_rate");

    OpBuilder &builder = function.getBuilder();
    Value norm = buildNorm(builder, gradients);
    LossScaling scaling;
    if (isLossScaled())
      scaling = buildLossScaling(builder, addScalar, norm, valid);
    Value clip = buildUpdateOp<tfm::ClipFactorOp>(
        builder, scalar, norm,
        builder.getF32FloatAttr(toF32(training.getClipNorm())));
    if (isLossScaled())
      clip = buildUpdateOp<tfm::ScaleOp>(builder, scalar, clip, scaling.inverse);
    Value newStep =
        buildUpdateOp<tfm::CountStepOp>(builder, scalar, step, valid);
    Value loss = buildUpdateOp<tfm::ScaleOp>(builder, scalar, lossSum, inverse);

    if (hasMoments)
      buildAdamW(builder, gradients, clip, learningRate, newStep, valid,
                 masters, moments1, moments2);
    else
      buildSgd(builder, gradients, clip, learningRate, valid, masters);

    auto addResults = [&](ArrayRef<Value> values, StateKind kind) {
      for (auto [parameter, value] : llvm::zip(parameters, values))
        function.addResult(value, bind(kind, parameter));
    };
    addResults(masters, StateKind::Master);
    addResults(moments1, StateKind::Moment1);
    addResults(moments2, StateKind::Moment2);
    function.addResult(newStep, bind(StateKind::Counter, "step"));
    function.addResult(loss, bind(StateKind::Metric, "loss"));
    function.addResult(norm, bind(StateKind::Metric, "grad_norm"));
    if (isLossScaled()) {
      function.addResult(scaling.newScale,
                         bind(StateKind::Counter, "loss_scale"));
      function.addResult(scaling.newGoodSteps,
                         bind(StateKind::Counter, "good_steps"));
    }
    function.finish();
  }

  bool isLossScaled() const {
    return training.getPrecision() == tfm::Precision::F16;
  }

  static Value toComputeType(OpBuilder &builder, const Parameter &parameter,
                             Value master) {
    if (parameter.type == parameter.computeType)
      return master;
    return tfm::build<tfm::CastOp>(builder, parameter.location, Phase::Prologue,
                                   parameter.computeType, master);
  }

  /// What a scaled loss adds to an update.
  struct LossScaling {
    Value inverse, newScale, newGoodSteps;
  };

  /// Takes the scale out of `norm`, and lets `valid` be 0 if that is not finite.
  LossScaling
  buildLossScaling(OpBuilder &builder,
                   llvm::function_ref<Value(StateKind, StringRef)> addScalar,
                   Value &norm, Value &valid) {
    Value scale = addScalar(StateKind::Counter, "loss_scale");
    Value goodSteps = addScalar(StateKind::Counter, "good_steps");
    LossScaling scaling;
    scaling.inverse =
        buildUpdateOp<tfm::ReciprocalOp>(builder, scalar, scale);
    auto next = buildUpdateOp<tfm::UpdateLossScaleOp>(
        builder, scalar, scalar, scale, goodSteps, norm,
        builder.getI64IntegerAttr(training.getLossScaleWindow()));
    scaling.newScale = next.getNewScale();
    scaling.newGoodSteps = next.getNewGoodSteps();
    valid = buildUpdateOp<tfm::ValidIfFiniteOp>(builder, scalar, valid, norm);
    norm = buildUpdateOp<tfm::ScaleOp>(builder, scalar, norm, scaling.inverse);
    return scaling;
  }

  template <typename OpTy, typename... Args>
  OpTy buildUpdateOp(OpBuilder &builder, Args &&...args) {
    return tfm::build<OpTy>(builder, forward.getLoc(), Phase::Update,
                            std::forward<Args>(args)...);
  }

  /// The Euclidean norm of all gradients together, added in parameter order.
  Value buildNorm(OpBuilder &builder, ArrayRef<Value> gradients) {
    Value sum;
    for (Value gradient : gradients) {
      Value squares = tfm::build<tfm::SumSquaresOp>(
          builder, gradient.getLoc(), Phase::Update, scalar, gradient);
      sum = sum ? buildUpdateOp<tfm::AddOp>(builder, scalar, sum, squares)
                      .getOut()
                : squares;
    }
    return buildUpdateOp<tfm::SqrtOp>(builder, scalar, sum);
  }

  static float toF32(FloatAttr attr) { return attr.getValueAsDouble(); }

  FloatAttr getWeightDecay(OpBuilder &builder, const Parameter &parameter) {
    return builder.getF32FloatAttr(
        parameter.attr.getDecay() ? toF32(training.getWeightDecay()) : 0.0f);
  }

  /// Replaces `masters` by the updated ones.
  void buildSgd(OpBuilder &builder, ArrayRef<Value> gradients, Value clip,
                Value learningRate, Value valid,
                MutableArrayRef<Value> masters) {
    for (auto [parameter, gradient, master] :
         llvm::zip_equal(parameters, gradients, masters))
      master = tfm::build<tfm::SgdOp>(builder, parameter.location,
                                      Phase::Update, parameter.type, master,
                                      gradient, clip, learningRate, valid,
                                      getWeightDecay(builder, parameter));
  }

  /// Replaces masters and moments by the updated ones. `step` counts this
  /// update.
  void buildAdamW(OpBuilder &builder, ArrayRef<Value> gradients, Value clip,
                  Value learningRate, Value step, Value valid,
                  MutableArrayRef<Value> masters,
                  MutableArrayRef<Value> moments1,
                  MutableArrayRef<Value> moments2) {
    auto correction = [&](FloatAttr beta) -> Value {
      return buildUpdateOp<tfm::BiasCorrectionOp>(
          builder, scalar, step,
          builder.getF64FloatAttr(beta.getValueAsDouble()));
    };
    Value correction1 = correction(training.getBeta1());
    Value correction2 = correction(training.getBeta2());
    for (auto [parameter, gradient, master, moment1, moment2] :
         llvm::zip_equal(parameters, gradients, masters, moments1, moments2)) {
      auto op = tfm::build<tfm::AdamWOp>(
          builder, parameter.location, Phase::Update, parameter.type,
          parameter.type, parameter.type, master, moment1, moment2, gradient,
          clip, learningRate, correction1, correction2, valid,
          builder.getF32FloatAttr(toF32(training.getBeta1())),
          builder.getF32FloatAttr(toF32(training.getBeta2())),
          builder.getF32FloatAttr(toF32(training.getEpsilon())),
          getWeightDecay(builder, parameter));
      master = op.getNewParameter();
      moment1 = op.getNewMoment1();
      moment2 = op.getNewMoment2();
    }
  }

  ModuleOp module;
  func::FuncOp forward;
  tfm::TrainingAttr training;
  int64_t microbatches;
  RankedTensorType scalar;
  SmallVector<Parameter> parameters;
  RankedTensorType labels;
};

struct BuildTrainingStepPass
    : impl::BuildTrainingStepPassBase<BuildTrainingStepPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    FailureOr<func::FuncOp> forward = getForward(module);
    FailureOr<tfm::TrainingAttr> training = getRequiredTraining(module);
    FailureOr<StrategySizes> sizes = getStrategySizes(module);
    if (failed(forward) || failed(training) || failed(sizes))
      return signalPassFailure();
    if (failed(StepWriter(*forward, *training, sizes->microbatches).write()))
      return signalPassFailure();
    forward->erase();
  }
};

} // namespace
} // namespace mpc
