//===- StepGoldenTest.cpp - a training step against PyTorch -----*- C++ -*-===//
//
// The small GPT-2 of test/oracle, imported, differentiated and trained for some
// steps by the functions of the training phase, evaluated in double precision:
// loss, every gradient and the course of the loss are those of Hugging Face's
// model on PyTorch.
//
//===----------------------------------------------------------------------===//

#include "frontends/model/ModelSpec.h"
#include "gtest/gtest.h"
#include "passes/training/Passes.h"
#include "test/execution/OpInstances.h"
#include "test/oracle/Golden.h"
#include "test/oracle/NamedState.h"

using namespace mlir;
using namespace mpc;
using execution::Array;
using tfm::StateKind;

namespace {

// Those of gpt2_config.json and gpt2_training.textproto. Two microbatches; tp = 2
// pads the 13 tokens of the vocabulary to 14.
constexpr int64_t kBatch = 4, kSequence = 8, kMicrobatches = 2, kTp = 2;

ModelSpec getModel() {
  ModelSpec model;
  model.name = "gpt2_golden";
  model.layers = 2;
  model.hidden = 16;
  model.heads = 4;
  model.kvHeads = 4;
  model.headDim = 4;
  model.ffn = 64;
  model.vocabulary = 13;
  model.positions = kSequence;
  return model;
}

TrainingSpec getTraining() {
  TrainingSpec training;
  training.sequenceLength = kSequence;
  training.globalBatch = kBatch;
  training.learningRate = 0.01;
  training.minLearningRate = 0.01;
  training.warmupSteps = 0;
  training.decaySteps = 0;
  return training;
}

Array toArray(const Golden::Tensor &tensor) {
  Array array(tensor.shape);
  array.values = tensor.values;
  return array;
}

/// The tensor with zeros behind it in every dimension, of the given shape.
Array pad(const Golden::Tensor &tensor, ArrayRef<int64_t> shape) {
  Array padded = toArray(tensor);
  for (auto [dim, size] : llvm::enumerate(shape)) {
    SmallVector<int64_t> larger(padded.shape);
    larger[dim] = size;
    Array next(larger);
    next.insert(padded, dim, 0);
    padded = std::move(next);
  }
  return padded;
}

Array scalar(double value) { return Array({}, value); }

class StepGolden : public ::testing::Test {
protected:
  void SetUp() override {
    std::optional<Golden> numbers = readGolden(MPC_GOLDEN_FILE);
    ASSERT_TRUE(numbers) << MPC_GOLDEN_FILE;
    golden = std::move(*numbers);
    context = execution::makeContext();
    module = buildModel(
        context.get(), getModel(), getTraining(),
        tfm::StrategyAttr::get(context.get(), kTp, /*dp=*/1, kMicrobatches,
                               /*sequence_parallel=*/false, /*zero=*/0,
                               /*strict=*/false, /*reference=*/false,
                               /*pp=*/1, /*chunks=*/1, /*stages=*/{},
                               /*schedule=*/{}, /*table=*/{},
                               /*recompute=*/{}, /*attention=*/{}));
    PassManager pm(context.get());
    buildTrainingPipeline(pm);
    ASSERT_TRUE(succeeded(pm.run(*module)));
    initialize();
  }

  void initialize() {
    for (const auto &[name, type] : parameters()) {
      state[{StateKind::Master, name}] =
          pad(golden.parameters.at(name), type.getShape());
      for (StateKind kind : {StateKind::Moment1, StateKind::Moment2})
        state[{kind, name}] = Array(type.getShape());
    }
    state[{StateKind::InputScalar, "seed"}] = scalar(0);
    state[{StateKind::InputScalar, "learning_rate"}] = scalar(0.01);
    state[{StateKind::Counter, "step"}] = scalar(0);
  }

  std::vector<std::pair<std::string, RankedTensorType>> parameters() {
    std::vector<std::pair<std::string, RankedTensorType>> result;
    auto prologue = module->lookupSymbol<func::FuncOp>(tfm::kPrologue);
    for (BlockArgument argument : prologue.getArguments())
      if (auto parameter =
              tfm::getParameter(prologue, argument.getArgNumber()))
        result.push_back({parameter.getName().str(),
                          cast<RankedTensorType>(argument.getType())});
    return result;
  }

  void call(StringRef function) {
    ASSERT_TRUE(succeeded(
        callOnState(module->lookupSymbol<func::FuncOp>(function), state)));
  }

  /// The prologue and all microbatches of a step.
  void accumulate() {
    constexpr int64_t kSize = kBatch / kMicrobatches;
    Array labels({kMicrobatches, kSize, kSequence});
    labels.values = golden.labels.values;
    state[{StateKind::Batch, "step.labels"}] = labels;
    call(tfm::kPrologue);
    for (const auto &[name, type] : parameters())
      state[{StateKind::Accumulator, name}] = Array(type.getShape());
    state[{StateKind::Carry, "loss_sum"}] = scalar(0);
    for (int64_t begin = 0; begin < kBatch; begin += kSize) {
      Array positions({kSize, kSequence}), samples({kSize});
      for (int64_t i = 0; i < kSize * kSequence; ++i)
        positions.values[i] = i % kSequence;
      for (int64_t i = 0; i < kSize; ++i)
        samples.values[i] = begin + i;
      state[{StateKind::Batch, "positions"}] = positions;
      state[{StateKind::Batch, "samples"}] = samples;
      state[{StateKind::Batch, "ids"}] = toArray(golden.ids).slice(0, begin, kSize);
      state[{StateKind::Batch, "labels"}] =
          toArray(golden.labels).slice(0, begin, kSize);
      call(tfm::kForwardBackward);
    }
  }

  double get(StateKind kind, const std::string &name) {
    return state.at({kind, name}).values.at(0);
  }

  Golden golden;
  std::unique_ptr<MLIRContext> context;
  OwningOpRef<ModuleOp> module;
  NamedState state;
};

TEST_F(StepGolden, LossAndEveryGradientAreThoseOfPyTorch) {
  accumulate();
  EXPECT_EQ(get(StateKind::Metric, "valid_tokens"), golden.validTokens);
  // Computed in double precision on both sides, but the norms' epsilon is an f32
  // attribute here, off by 2.5e-8 of itself.
  EXPECT_NEAR(get(StateKind::Carry, "loss_sum") / golden.validTokens,
              golden.loss, 1e-8);
  EXPECT_EQ(parameters().size(), golden.gradients.size());
  for (const auto &[name, type] : parameters()) {
    const Array &found = state.at({StateKind::Accumulator, name});
    Array expected = pad(golden.gradients.at(name), type.getShape());
    double largest = 0, difference = 0;
    for (auto [x, y] : llvm::zip_equal(found.values, expected.values)) {
      largest = std::max(largest, std::fabs(y));
      difference = std::max(difference, std::fabs(x - y));
    }
    // The golden numbers have 8 digits.
    EXPECT_LE(difference, 1e-7 * largest + 1e-12) << name;
  }
}

TEST_F(StepGolden, StepsAreThoseOfPyTorch) {
  for (auto [i, step] : llvm::enumerate(golden.steps)) {
    accumulate();
    call(tfm::kUpdate);
    EXPECT_EQ(get(StateKind::Counter, "step"), double(i + 1));
    // Settings of the optimizer are f32 in the IR, which shows after some steps.
    EXPECT_NEAR(get(StateKind::Metric, "loss"), step.loss, 1e-6) << i;
    EXPECT_NEAR(get(StateKind::Metric, "grad_norm"), step.gradNorm, 1e-5) << i;
  }
}

} // namespace
