//===- GradientTest.cpp - gradients against differences ---------*- C++ -*-===//
//
// What each op contributes to the backward pass, and a whole model's gradients,
// against central differences in double precision.
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/IRMapping.h"
#include "test/execution/OpInstances.h"
#include "test/execution/TrainingStep.h"
#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace mpc;
using namespace mpc::execution;

namespace {

/// Of central differences, whose error is a few times kStep² and 1e-16 / kStep.
constexpr double kStep = 1e-4, kTolerance = 1e-6;

Array makeRandom(ArrayRef<int64_t> shape, Random &random) {
  Array array(shape);
  for (double &value : array.values)
    value = random.uniform(-1, 1);
  return array;
}

/// Directions that together see every element, and some elements alone.
std::vector<Array> makeDirections(ArrayRef<int64_t> shape, Random &random) {
  std::vector<Array> directions;
  for (int i = 0; i < 3; ++i)
    directions.push_back(makeRandom(shape, random));
  for (int i = 0; i < 12; ++i) {
    Array &unit = directions.emplace_back(shape);
    unit.values[random.integer(0, unit.values.size() - 1)] = 1;
  }
  return directions;
}

/// Which results have a cotangent in a model; the others are what backward needs.
unsigned getDifferentiatedResults(Operation *op) {
  return isa<tfm::AttentionOp, tfm::LayerNormOp>(op) ? 1 : op->getNumResults();
}

/// Operands whose cotangent is left out since in a model it is zero: a maximum
/// only shifts a softmax (`ShiftsOfASoftmaxCancel` below).
bool isShift(Operation *op, unsigned operand) {
  return (isa<tfm::RowMaxOp>(op) && operand == 0) ||
         (isa<tfm::ExpSumOp, tfm::NllOp>(op) && operand == 1);
}

class GradientTest : public ::testing::TestWithParam<OpInstance> {
protected:
  GradientTest() : context(makeContext()), instance(context.get(), GetParam()) {}

  /// A function of the op's operands, then the cotangents of its results, that
  /// returns the operands' cotangents; `has` says which it returns.
  OwningOpRef<func::FuncOp> buildGradient(SmallVectorImpl<bool> &has) {
    Operation *op = instance.getOp();
    unsigned count = getDifferentiatedResults(op);
    SmallVector<Type> types(op->getOperandTypes());
    llvm::append_range(types, TypeRange(op->getResultTypes()).take_front(count));
    OpBuilder builder(context.get());
    auto function = func::FuncOp::create(op->getLoc(), "gradient",
                                         builder.getFunctionType(types, {}));
    Block *block = function.addEntryBlock();
    builder.setInsertionPointToEnd(block);
    IRMapping mapping;
    mapping.map(op->getOperands(),
                block->getArguments().take_front(op->getNumOperands()));
    auto copy = cast<GradientOpInterface>(builder.clone(*op, mapping));
    SmallVector<Value> cotangents(block->getArguments().take_back(count));
    cotangents.resize(op->getNumResults());
    SmallVector<bool> wanted(op->getNumOperands(), true);
    SmallVector<Value> grads =
        copy.buildGradients(builder, cotangents, wanted);
    SmallVector<Value> returned;
    for (Value grad : grads) {
      has.push_back(!!grad);
      if (grad)
        returned.push_back(grad);
    }
    func::ReturnOp::create(builder, op->getLoc(), returned);
    function.setType(
        builder.getFunctionType(types, TypeRange(ValueRange(returned))));
    return function;
  }

  std::unique_ptr<MLIRContext> context;
  BuiltInstance instance;
};

TEST_P(GradientTest, AgreesWithDifferences) {
  Operation *op = instance.getOp();
  Random random(7);
  SmallVector<Array> operands = instance.makeOperands(random);
  SmallVector<Array> cotangents;
  for (Type type :
       TypeRange(op->getResultTypes()).take_front(getDifferentiatedResults(op)))
    cotangents.push_back(
        makeRandom(cast<RankedTensorType>(type).getShape(), random));
  // The sum of all results' elements, weighted by the cotangents.
  auto evaluate = [&](ArrayRef<Array> at) {
    auto results = callGlobally(instance.getFunction(), at);
    double sum = 0;
    for (auto [cotangent, result] : llvm::zip(cotangents, *results))
      sum += dot(cotangent, result);
    return sum;
  };

  SmallVector<bool> has;
  OwningOpRef<func::FuncOp> function = buildGradient(has);
  SmallVector<Array> arguments = operands;
  llvm::append_range(arguments, cotangents);
  auto grads = callGlobally(*function, arguments);
  ASSERT_TRUE(succeeded(grads));
  unsigned next = 0;
  for (unsigned operand = 0; operand < operands.size(); ++operand) {
    if (!instance.isFloat(operand)) {
      EXPECT_FALSE(has[operand]);
      continue;
    }
    if (isShift(op, operand))
      continue;
    ASSERT_TRUE(has[operand]) << "operand " << operand;
    const Array &grad = (*grads)[next++];
    for (const Array &direction : makeDirections(operands[operand].shape, random)) {
      SmallVector<Array> there = operands, back = operands;
      there[operand] += scaled(direction, kStep);
      back[operand] += scaled(direction, -kStep);
      double difference = (evaluate(there) - evaluate(back)) / (2 * kStep);
      EXPECT_NEAR(dot(grad, direction), difference,
                  kTolerance * (1 + std::abs(difference)))
          << describe(GetParam()) << "\noperand " << operand;
    }
  }
}

std::vector<OpInstance> getDifferentiableInstances() {
  std::unique_ptr<MLIRContext> context = makeContext();
  std::vector<OpInstance> found;
  for (const OpInstance &instance : getOpInstances())
    if (isa<GradientOpInterface>(BuiltInstance(context.get(), instance).getOp()))
      found.push_back(instance);
  return found;
}

INSTANTIATE_TEST_SUITE_P(
    Tfm, GradientTest, ::testing::ValuesIn(getDifferentiableInstances()),
    [](const ::testing::TestParamInfo<OpInstance> &info) {
      return info.param.op.str() + "_" + std::to_string(info.index);
    });

// ------------------------------------------------------------ a whole model

class ModelGradient : public ::testing::TestWithParam<SmallModel> {
protected:
  void SetUp() override {
    step = buildSmallStep(context.get(), GetParam());
    ASSERT_TRUE(step);
    state = makeState(*step, random);
  }

  double getLoss(const State &at) {
    auto results = runStep(*step, at, dist::MeshAttr());
    return results->at("update metric loss 0").values[0];
  }

  Random random{11};
  std::unique_ptr<MLIRContext> context = makeContext();
  OwningOpRef<ModuleOp> step;
  State state;
};

TEST_P(ModelGradient, OfEveryParameterAgreesWithDifferences) {
  auto results = runStep(*step, state, dist::MeshAttr());
  ASSERT_TRUE(succeeded(results));
  unsigned parameters = 0;
  for (const auto &[binding, value] : State(state)) {
    if (binding.getKind() != tfm::StateKind::Master)
      continue;
    ++parameters;
    // What the last microbatch leaves is the gradient of the mean loss.
    const Array &grad =
        (*results)[("forward_backward accumulator " +
                    binding.getName().getValue() + " " +
                    Twine(kMicrobatches - 1))
                       .str()];
    Array direction = makeRandom(value.shape, random);
    State there = state, back = state;
    there[binding] += scaled(direction, kStep);
    back[binding] += scaled(direction, -kStep);
    double difference = (getLoss(there) - getLoss(back)) / (2 * kStep);
    EXPECT_NEAR(dot(grad, direction), difference, kTolerance)
        << binding.getName().str();
    EXPECT_NE(dot(grad, grad), 0) << binding.getName().str();
  }
  EXPECT_GT(parameters, 8u);
}

/// The loss does not depend on the largest logit, whose cotangent is left out.
TEST_P(ModelGradient, ShiftsOfASoftmaxCancel) {
  double before = getLoss(state);
  step->walk([](tfm::RowMaxOp op) {
    // Another shift: of fewer classes, so a smaller maximum in some rows.
    op.setClasses(3);
  });
  EXPECT_NEAR(getLoss(state), before, 1e-12);
}

INSTANTIATE_TEST_SUITE_P(Small, ModelGradient,
                         ::testing::Values(SmallModel::Gpt, SmallModel::Plain));

} // namespace
