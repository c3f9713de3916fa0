//===- OpInstances.cpp - an example of every op -----------------*- C++ -*-===//
//
// To add an op, add a line here (or several, where attributes or ranks change
// what it does) and, if an operand must not be just any number, its name to
// makeOperand.
//
//===----------------------------------------------------------------------===//

#include "test/execution/OpInstances.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace mpc::execution {

#define F(shape) "tensor<" shape "xf32>"
#define I(shape) "tensor<" shape "xi32>"
#define SCALAR "tensor<f32>"
#define SEED "tensor<i32>"

// q, k, v, query positions, key positions, seed, samples, heads.
#define Q F("6x6x6x6x2")
#define KV F("6x6x6x2")
#define LSE F("6x6x6x6")
#define PLACES I("6x6") ", " I("6x6") ", " SEED ", " I("6") ", " I("6x6")
#define ATTENTION "(" Q ", " KV ", " KV ", " PLACES ") -> (" Q ", " LSE ")"
#define ATTENTION_GRAD                                                         \
  "(" Q ", " Q ", " KV ", " KV ", " Q ", " LSE ", " PLACES                     \
  ") -> (" Q ", " KV ", " KV ")"

// [b, k, g, s, t]; and with a head size that divides, [b, s, k, g, d] and [b, t, k, d].
#define SCORES F("6x6x6x6x6")
#define ROWS F("6x6x6x6x6")
#define KEYS F("6x6x6x6")

static constexpr OpInstance kInstances[] = {
    {"embedding",
     "(" F("12x6") ", " I("6x6") ", " I("12") ") -> " F("6x6x6"), ""},
    {"embedding_grad",
     "(" F("6x6x6") ", " I("6x6") ", " I("12") ") -> " F("12x6"), ""},
    {"dropout",
     "(" F("6x6x6") ", " SEED ", " I("6") ", " I("6x6") ", " I("6") ") -> "
     F("6x6x6"), "rate = 0.25 : f32, key = 77 : i32"},
    {"layer_norm",
     "(" F("6x6x6") ", " F("6") ", " F("6") ") -> (" F("6x6x6") ", " F("6x6")
     ", " F("6x6") ")", "epsilon = 1.0e-5 : f32"},
    {"layer_norm_input_grad",
     "(" F("6x6x6") ", " F("6x6x6") ", " F("6") ", " F("6x6") ", " F("6x6")
     ") -> " F("6x6x6"), ""},
    {"layer_norm_param_grad",
     "(" F("6x6x6") ", " F("6x6x6") ", " F("6x6") ", " F("6x6") ") -> ("
     F("6") ", " F("6") ")", ""},
    {"linear", "(" F("6x6x12") ", " F("6x12") ") -> " F("6x6x6"), ""},
    {"linear", "(" F("6x6x6") ", " F("6x6x6x6") ") -> " F("6x6x6x6x6"), ""},
    {"linear", "(" F("6x6x6x6x6") ", " F("6x6x6x6") ") -> " F("6x6x6"), ""},
    {"linear_input_grad", "(" F("6x6x6") ", " F("6x12") ") -> " F("6x6x12"),
     ""},
    {"linear_input_grad",
     "(" F("6x6x6x6x6") ", " F("6x6x6x6") ") -> " F("6x6x6"), ""},
    {"linear_weight_grad", "(" F("6x6x6") ", " F("6x6x12") ") -> " F("6x12"),
     ""},
    {"linear_weight_grad",
     "(" F("6x6x6x6") ", " F("6x6x6x6") ") -> " F("6x6x6x6"), ""},
    {"bias_add", "(" F("6x6x6") ", " F("6") ") -> " F("6x6x6"), ""},
    {"bias_add", "(" F("6x6x6x6") ", " F("6x6") ") -> " F("6x6x6x6"), ""},
    {"bias_grad", "(" F("6x6x6") ") -> " F("6"), ""},
    {"bias_grad", "(" F("6x6x6x6") ") -> " F("6x6"), ""},
    {"add", "(" F("6x6x6") ", " F("6x6x6") ") -> " F("6x6x6"), ""},
    {"add", "(" SCALAR ", " SCALAR ") -> " SCALAR, ""},
    {"accumulate", "(" F("6x6") ", " F("6x6") ") -> " F("6x6"), ""},
    {"accumulate", "(" SCALAR ", " SCALAR ") -> " SCALAR, ""},
    {"cast", "(" F("6x6") ") -> " F("6x6"), ""},
    {"scale", "(" F("6x6") ", " SCALAR ") -> " F("6x6"), ""},
    {"scale", "(" SCALAR ", " SCALAR ") -> " SCALAR, ""},
    {"gelu", "(" F("6x6x6") ") -> " F("6x6x6"),
     "form = #tfm.gelu_form<tanh>"},
    {"gelu", "(" F("6x6x6") ") -> " F("6x6x6"), "form = #tfm.gelu_form<erf>"},
    {"gelu_grad", "(" F("6x6x6") ", " F("6x6x6") ") -> " F("6x6x6"),
     "form = #tfm.gelu_form<tanh>"},
    {"gelu_grad", "(" F("6x6x6") ", " F("6x6x6") ") -> " F("6x6x6"),
     "form = #tfm.gelu_form<erf>"},
    {"relu", "(" F("6x6x6") ") -> " F("6x6x6"), ""},
    {"relu_grad", "(" F("6x6x6") ", " F("6x6x6") ") -> " F("6x6x6"), ""},
    {"silu", "(" F("6x6x6") ") -> " F("6x6x6"), ""},
    {"silu_grad", "(" F("6x6x6") ", " F("6x6x6") ") -> " F("6x6x6"), ""},
    {"residual", "(" F("6x6x6") ") -> " F("6x6x6"), ""},
    {"attention", ATTENTION,
     "scale = 0.5 : f32, causal = false, rate = 0.0 : f32, key = 0 : i32"},
    {"attention", ATTENTION,
     "scale = 0.5 : f32, causal = true, rate = 0.25 : f32, key = 7 : i32"},
    {"attention_grad", ATTENTION_GRAD,
     "scale = 0.5 : f32, causal = true, rate = 0.25 : f32, key = 7 : i32"},
    {"attention_scores", "(" ROWS ", " KEYS ") -> " SCORES, ""},
    {"attention_context", "(" SCORES ", " KEYS ") -> " ROWS, ""},
    {"attention_key_grad", "(" SCORES ", " ROWS ") -> " KEYS, ""},
    {"masked_softmax", "(" SCORES ", " I("6x6") ", " I("6x6") ") -> " SCORES,
     "scale = 0.5 : f32, causal = false"},
    {"masked_softmax", "(" SCORES ", " I("6x6") ", " I("6x6") ") -> " SCORES,
     "scale = 0.5 : f32, causal = true"},
    {"masked_softmax_grad", "(" SCORES ", " SCORES ") -> " SCORES,
     "scale = 0.5 : f32"},
    {"attention_dropout",
     "(" SCORES ", " SEED ", " I("6") ", " I("6x6") ", " I("6x6") ", " I("6x6")
     ") -> " SCORES, "rate = 0.25 : f32, key = 7 : i32"},
    {"row_max", "(" F("6x6x12") ", " I("12") ") -> " F("6x6"),
     "classes = 11 : i64"},
    {"exp_sum", "(" F("6x6x12") ", " F("6x6") ", " I("12") ") -> " F("6x6"),
     "classes = 11 : i64"},
    {"exp_sum_grad",
     "(" F("6x6") ", " F("6x6x12") ", " F("6x6") ", " I("12") ") -> "
     F("6x6x12"), "classes = 11 : i64"},
    {"pick", "(" F("6x6x12") ", " I("6x6") ", " I("12") ") -> " F("6x6"), ""},
    {"pick_grad", "(" F("6x6") ", " I("6x6") ", " I("12") ") -> " F("6x6x12"),
     ""},
    {"nll",
     "(" F("6x6") ", " F("6x6") ", " F("6x6") ", " I("6x6") ") -> " F("6x6"),
     ""},
    {"nll_grad",
     "(" F("6x6") ", " F("6x6") ", " I("6x6") ") -> (" F("6x6") ", " F("6x6")
     ")", ""},
    {"sum_all", "(" F("6x6") ") -> " SCALAR, ""},
    {"broadcast", "(" SCALAR ") -> " F("6x6"), ""},
    {"count_valid", "(" I("6x6x6") ") -> " SCALAR, ""},
    {"sum_squares", "(" F("6x6") ") -> " SCALAR, ""},
    {"sqrt", "(" SCALAR ") -> " SCALAR, ""},
    {"reciprocal", "(" SCALAR ") -> " SCALAR, ""},
    {"clip_factor", "(" SCALAR ") -> " SCALAR, "max_norm = 0.5 : f32"},
    {"count_step", "(" SCALAR ", " SCALAR ") -> " SCALAR, ""},
    {"bias_correction", "(" SCALAR ") -> " SCALAR, "beta = 0.9 : f64"},
    {"valid_if_finite", "(" SCALAR ", " SCALAR ") -> " SCALAR, ""},
    {"update_loss_scale",
     "(" SCALAR ", " SCALAR ", " SCALAR ") -> (" SCALAR ", " SCALAR ")",
     "window = 3 : i64"},
    {"sgd",
     "(" F("6x6") ", " F("6x6") ", " SCALAR ", " SCALAR ", " SCALAR ") -> "
     F("6x6"), "weight_decay = 0.1 : f32"},
    {"adamw",
     "(" F("6x6") ", " F("6x6") ", " F("6x6") ", " F("6x6") ", " SCALAR ", "
     SCALAR ", " SCALAR ", " SCALAR ", " SCALAR ") -> (" F("6x6") ", " F("6x6")
     ", " F("6x6") ")",
     "beta1 = 0.9 : f32, beta2 = 0.95 : f32, epsilon = 1.0e-8 : f32, "
     "weight_decay = 0.1 : f32"},
};

ArrayRef<OpInstance> getOpInstances() { return kInstances; }

std::string describe(const OpInstance &instance) {
  return "tfm." + instance.op.str() + " {" + instance.attributes.str() +
         "} : " + instance.types.str();
}

void PrintTo(const OpInstance &instance, std::ostream *os) {
  *os << describe(instance);
}

std::unique_ptr<MLIRContext> makeContext() {
  // One thread: the tests of one process are many and small.
  auto context =
      std::make_unique<MLIRContext>(MLIRContext::Threading::DISABLED);
  context->loadDialect<dist::DistDialect, tfm::TfmDialect, func::FuncDialect,
                       arith::ArithDialect, linalg::LinalgDialect,
                       math::MathDialect, tensor::TensorDialect>();
  return context;
}

BuiltInstance::BuiltInstance(MLIRContext *context, const OpInstance &instance) {
  // The types alone say how many operands and results there are.
  Type type = parseType(instance.types, context);
  auto function = cast<FunctionType>(type);
  std::string arguments, operands, results;
  for (auto [number, operand] : llvm::enumerate(function.getInputs())) {
    std::string comma = number ? ", " : "", name = "%a" + std::to_string(number);
    llvm::raw_string_ostream(arguments) << comma << name << ": " << operand;
    operands += comma + name;
  }
  for (auto [number, result] : llvm::enumerate(function.getResults()))
    llvm::raw_string_ostream(results)
        << (number ? ", " : "") << "%r#" << number;
  std::string resultTypes;
  llvm::raw_string_ostream stream(resultTypes);
  llvm::interleaveComma(function.getResults(), stream);
  std::string text = "func.func @f(" + arguments + ") -> (" + resultTypes +
                     ") {\n  %r:" + std::to_string(function.getNumResults()) +
                     " = tfm." + instance.op.str() + " " + operands + " {" +
                     instance.attributes.str() + "} : " + instance.types.str() +
                     "\n  return " + results + " : " + resultTypes + "\n}";
  module = parseSourceString<ModuleOp>(text, context);
  assert(module && "an instance is written wrongly");
}

func::FuncOp BuiltInstance::getFunction() const {
  return *module.get().getOps<func::FuncOp>().begin();
}

Operation *BuiltInstance::getOp() const {
  return &getFunction().getBody().front().front();
}

bool BuiltInstance::isFloat(unsigned operand) const {
  return isa<FloatType>(getElementTypeOrSelf(getOp()->getOperand(operand)));
}

/// Numbers that the operand of this name may be.
static double makeNumber(StringRef name, int64_t place, Random &random) {
  // Elements of these are numbered as `dist.iota` does.
  if (name == "rows" || name == "heads" || name == "features")
    return place;
  // These are positive.
  if (llvm::is_contained({"exp_sum", "rstd", "moment2", "norm", "valid",
                          "correction1", "correction2", "learning_rate",
                          "clip"},
                         name))
    return random.uniform(0.25, 1.25);
  if (name == "step")
    return random.integer(1, 20);
  if (name == "seed")
    return random.integer(-1000000, 1000000);
  if (name == "samples")
    return random.integer(0, 1000);
  if (name.ends_with("positions")) // -1 is padding.
    return random.integer(-1, 5);
  if (name == "ids" || name == "labels") // -1 and 12 are no row of a table.
    return random.integer(-1, 12);
  // Away from 0, where relu has a kink.
  double size = random.uniform(0.1, 1);
  return random.chance(0.5) ? size : -size;
}

SmallVector<Array> BuiltInstance::makeOperands(Random &random) const {
  SmallVector<Array> operands;
  const ShardingRule &rule = getShardingRule(getOp());
  for (auto [operand, tensor] :
       llvm::zip_equal(getOp()->getOperands(), rule.operands)) {
    Array &array = operands.emplace_back(
        cast<RankedTensorType>(operand.getType()).getShape());
    for (auto [place, value] : llvm::enumerate(array.values)) {
      value = makeNumber(tensor.name, place, random);
      // An integer that no case above names would be a mistake of this list.
      bool isInteger = getElementTypeOrSelf(operand).isInteger(32);
      assert((!isInteger || value == int64_t(value)) &&
             "makeNumber lacks an integer operand");
    }
  }
  return operands;
}

} // namespace mpc::execution
