//===- TransformerOps.cpp - verifiers and rules -----------------*- C++ -*-===//
//
// The rules of ops of any rank, and what types alone do not say. Gradients and
// decompositions have files of their own.
//
//===----------------------------------------------------------------------===//

#include "dialects/transformer/IR/Transformer.h"

using namespace mlir;

namespace mpc::tfm {

static int64_t rankOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getRank();
}

// --------------------------------------------------------------- products
//
// An activation has two leading dimensions, b and s, then features; a weight has
// the result's features o0 o1 …, then the contracted ones c0 c1 ….

static constexpr int64_t kBatchDims = 2;

/// `rows` is b and s followed by features. Checks that weight = o… c… fits.
static LogicalResult verifyRanks(Operation *op, Value x, Value w, Value out) {
  int64_t contracted = rankOf(x) - kBatchDims, kept = rankOf(out) - kBatchDims;
  if (contracted < 1 || kept < 1 || rankOf(w) != contracted + kept) // C1
    return op->emitOpError("has x of rank ")
           << rankOf(x) << ", w of rank " << rankOf(w) << " and out of rank "
           << rankOf(out)
           << "; expected b, s and features in x and out, and the features of "
              "out, then of x, in w";
  return success();
}

int64_t LinearOp::getContractedCount() { return rankOf(getX()) - kBatchDims; }

LogicalResult LinearOp::verify() {
  return verifyRanks(*this, getX(), getW(), getOut());
}

static std::string contractionRule(int64_t kept, int64_t contracted) {
  std::string o = getFactorNames("o", kept);
  std::string c = getFactorNames("c", contracted);
  return "x: b s " + c + ", w: " + o + " " + c + " -> out: b s " + o +
         " | reduce " + c + " | linear x; w";
}

std::string LinearOp::getShardingRuleText() {
  return contractionRule(rankOf(getOut()) - kBatchDims, getContractedCount());
}

int64_t LinearInputGradOp::getContractedCount() {
  return rankOf(getOutGrad()) - kBatchDims;
}

LogicalResult LinearInputGradOp::verify() {
  return verifyRanks(*this, getXGrad(), getW(), getOutGrad());
}

std::string LinearInputGradOp::getShardingRuleText() {
  std::string o = getFactorNames("o", getContractedCount());
  std::string c = getFactorNames("c", rankOf(getXGrad()) - kBatchDims);
  return "out_grad: b s " + o + ", w: " + o + " " + c + " -> x_grad: b s " + c +
         " | reduce " + o + " | linear out_grad; w";
}

LogicalResult LinearWeightGradOp::verify() {
  return verifyRanks(*this, getX(), getWGrad(), getOutGrad());
}

std::string LinearWeightGradOp::getShardingRuleText() {
  std::string o = getFactorNames("o", rankOf(getOutGrad()) - kBatchDims);
  std::string c = getFactorNames("c", rankOf(getX()) - kBatchDims);
  return "out_grad: b s " + o + ", x: b s " + c + " -> w_grad: " + o + " " + c +
         " | reduce b s | linear out_grad; x";
}

// ------------------------------------------------------------------- bias

static LogicalResult verifyBiasRanks(Operation *op, Value rows, Value bias) {
  if (rankOf(bias) < 1 || rankOf(bias) >= rankOf(rows)) // C1
    return op->emitOpError("has a bias of rank ")
           << rankOf(bias) << " for a tensor of rank " << rankOf(rows)
           << ", expected at least 1 and fewer";
  return success();
}

LogicalResult BiasAddOp::verify() {
  return verifyBiasRanks(*this, getX(), getBias());
}

std::string BiasAddOp::getShardingRuleText() {
  int64_t trailing = rankOf(getBias());
  std::string rows = getFactorNames("r", rankOf(getX()) - trailing);
  std::string o = getFactorNames("o", trailing);
  return "x: " + rows + " " + o + ", bias: " + o + " -> out: " + rows + " " + o +
         " | linear x bias";
}

LogicalResult BiasGradOp::verify() {
  return verifyBiasRanks(*this, getOutGrad(), getBiasGrad());
}

std::string BiasGradOp::getShardingRuleText() {
  int64_t trailing = rankOf(getBiasGrad());
  std::string rows = getFactorNames("r", rankOf(getOutGrad()) - trailing);
  std::string o = getFactorNames("o", trailing);
  return "out_grad: " + rows + " " + o + " -> bias_grad: " + o + " | reduce " +
         rows + " | linear out_grad";
}

// -------------------------------------------------------------- pointwise

std::string AddOp::getShardingRuleText() {
  return getPointwiseRule({"a", "b"}, {"out"}, rankOf(getOut()), "linear a b");
}
std::string AccumulateOp::getShardingRuleText() {
  return getPointwiseRule({"accumulator", "addend"}, {"out"}, rankOf(getOut()),
                          "linear accumulator addend");
}
std::string CastOp::getShardingRuleText() {
  return getPointwiseRule({"x"}, {"out"}, rankOf(getOut()), "linear x");
}
std::string ScaleOp::getShardingRuleText() {
  std::string d = getFactorNames("d", rankOf(getOut()));
  return "x: " + d + ", factor: -> out: " + d + " | linear x; factor";
}
std::string GeluOp::getShardingRuleText() {
  return getPointwiseRule({"x"}, {"out"}, rankOf(getOut()));
}
std::string GeluGradOp::getShardingRuleText() {
  return getPointwiseRule({"out_grad", "x"}, {"out"}, rankOf(getOut()),
                          "linear out_grad");
}
std::string ReluOp::getShardingRuleText() {
  return getPointwiseRule({"x"}, {"out"}, rankOf(getOut()));
}
std::string ReluGradOp::getShardingRuleText() {
  return getPointwiseRule({"out_grad", "x"}, {"out"}, rankOf(getOut()),
                          "linear out_grad");
}
std::string SiluOp::getShardingRuleText() {
  return getPointwiseRule({"x"}, {"out"}, rankOf(getOut()));
}
std::string SiluGradOp::getShardingRuleText() {
  return getPointwiseRule({"out_grad", "x"}, {"out"}, rankOf(getOut()),
                          "linear out_grad");
}
std::string ResidualOp::getShardingRuleText() {
  return getPointwiseRule({"x"}, {"out"}, rankOf(getOut()), "linear x");
}

// -------------------------------------------------------- reductions to one

/// `name: d0 d1 … -> out: | reduce d0 d1 …` and further clauses.
static std::string fullReductionRule(StringRef name, Value x, StringRef more) {
  std::string d = getFactorNames("d", rankOf(x));
  std::string text = name.str() + ": " + d + " -> out:";
  if (!d.empty())
    text += " | reduce " + d;
  return text + more.str();
}

std::string SumAllOp::getShardingRuleText() {
  return fullReductionRule("x", getX(), " | linear x");
}
std::string BroadcastOp::getShardingRuleText() {
  return "x: -> out: " + getFactorNames("d", rankOf(getOut())) + " | linear x";
}
std::string CountValidOp::getShardingRuleText() {
  return fullReductionRule("labels", getLabels(), "");
}
std::string SumSquaresOp::getShardingRuleText() {
  return fullReductionRule("x", getX(), "");
}

// -------------------------------------------------------------- optimizer

std::string SgdOp::getShardingRuleText() {
  std::string d = getFactorNames("d", rankOf(getParameter()));
  return "parameter: " + d + ", gradient: " + d +
         ", clip:, learning_rate:, valid: -> new_parameter: " + d;
}
std::string AdamWOp::getShardingRuleText() {
  std::string d = getFactorNames("d", rankOf(getParameter()));
  return "parameter: " + d + ", moment1: " + d + ", moment2: " + d +
         ", gradient: " + d +
         ", clip:, learning_rate:, correction1:, correction2:, valid:"
         " -> new_parameter: " +
         d + ", new_moment1: " + d + ", new_moment2: " + d;
}

// ----------------------------------------------------------------- settings

/// `value` is at least 0 and below 1.
static LogicalResult verifyUnit(Operation *op, StringRef name,
                                const llvm::APFloat &value) {
  double number = value.convertToDouble();
  if (!(number >= 0 && number < 1))
    return op->emitOpError("has ")
           << name << " " << number << ", expected at least 0 and below 1";
  return success();
}

LogicalResult DropoutOp::verify() { return verifyUnit(*this, "rate", getRate()); }
LogicalResult AttentionOp::verify() {
  return verifyUnit(*this, "rate", getRate());
}
LogicalResult AttentionDropoutOp::verify() {
  return verifyUnit(*this, "rate", getRate());
}
LogicalResult BiasCorrectionOp::verify() {
  return verifyUnit(*this, "beta", getBeta());
}
LogicalResult ClipFactorOp::verify() {
  if (!(getMaxNorm().convertToDouble() >= 0)) // C1
    return emitOpError("has max_norm ")
           << getMaxNorm().convertToDouble() << ", expected at least 0";
  return success();
}

LogicalResult UpdateLossScaleOp::verify() {
  if (getWindow() < 1) // C1
    return emitOpError("has window ") << getWindow() << ", expected at least 1";
  return success();
}

} // namespace mpc::tfm
