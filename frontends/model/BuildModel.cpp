//===- BuildModel.cpp - the forward pass of a model -------------*- C++ -*-===//
//
// Writes a resolved spec as `@forward`: parameters are the first arguments, the
// inputs of a batch the last, and the result is the loss summed over all tokens
// that have a label.
//
//===----------------------------------------------------------------------===//

#include "frontends/model/PartBuilder.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include <cmath>

using namespace mlir;
using namespace mpc::tfm;

namespace mpc {
namespace {

class ModelBuilder : private PartBuilder {
public:
  using PartBuilder::PartBuilder;

  /// Adds `@forward` to `module`.
  void build(ModuleOp module);

private:
  void addInputs();
  Value embed();
  Value layer(Value stream, int64_t number);
  Value attention(Value x, const std::string &layer, int64_t number);
  Value feedForward(Value x, const std::string &layer);
  Value logits(Value x);
  Value loss(Value logits);

  /// A row of a new table for each token, added to `x`.
  Value addLookup(Value x, StringRef part, Dim rows, Value ids,
                  int32_t firstRow);
  /// The stream after a block whose ops `write` builds from what it reads.
  /// `reader` is the layer that reads the stream next, if it is another one.
  Value block(Value stream, const std::string &part,
              const std::string &normPart, std::optional<int64_t> reader,
              llvm::function_ref<Value(Value)> write);

  /// Of the matrices that write to the stream. Where it is the sum of all
  /// blocks, it keeps its size so.
  double writerDeviation() const {
    return spec.norm == Norm::Post
               ? spec.initializerRange
               : spec.initializerRange / std::sqrt(2.0 * spec.layers);
  }

  Value ids, labels, tokenTypes;
  Value table, rows, heads;
};

void ModelBuilder::addInputs() {
  ids = input(StateKind::Batch, "ids", {batch, sequence});
  labels = input(StateKind::Batch, "labels", {batch, sequence});
  positions = input(StateKind::Batch, "positions", {batch, sequence});
  samples = input(StateKind::Batch, "samples", {batch});
  if (spec.tokenTypes != 0)
    tokenTypes = input(StateKind::Batch, "token_types", {batch, sequence});
  seed = input(StateKind::InputScalar, "seed", {});
}

// ------------------------------------------------------------------- before

Value ModelBuilder::addLookup(Value x, StringRef part, Dim rows, Value ids,
                              int32_t firstRow) {
  const std::string name = part.str();
  Value entries = matrix(inModel(name) + ".weight", {rows, hiddenDim()},
                         spec.initializerRange);
  Value found =
      create<EmbeddingOp>(name, x.getType(), entries, ids,
                          iota(name + ".rows", {rows.size}, firstRow));
  return create<AddOp>("embedding", x.getType(), x, found);
}

Value ModelBuilder::embed() {
  const std::string tokens = names.tokens.str();
  auto type = floats({batch, sequence, spec.hidden});
  rows = iota(tokens + ".rows", {spec.vocabulary});
  table = matrix(inModel(tokens) + ".weight", {vocabularyDim(), hiddenDim()},
                 spec.initializerRange);
  Value x = create<EmbeddingOp>(tokens, type, table, ids, rows);
  if (spec.positions != 0)
    x = addLookup(x, names.positions, {DimensionKind::Position, spec.positions},
                  positions, -spec.firstPosition);
  if (spec.tokenTypes != 0)
    x = addLookup(x, names.tokenTypes,
                  {DimensionKind::TokenType, spec.tokenTypes}, tokenTypes, 0);
  if (spec.embeddingNorm)
    x = norm(mark(x, "embedding"), names.embeddingNorm.str());
  x = dropout(x, names.embeddingDropout.str(), spec.embeddingDropout);
  return mark(x, "embedding", 0);
}

// ------------------------------------------------------------------- layers

Value ModelBuilder::block(Value stream, const std::string &part,
                          const std::string &normPart,
                          std::optional<int64_t> reader,
                          llvm::function_ref<Value(Value)> write) {
  const bool follows = spec.norm == Norm::Post;
  // The mark collects the cotangents of all that the block reads, so that they
  // are one reduction.
  Value x = write(follows ? mark(stream, part) : norm(stream, normPart));
  Value sum = create<AddOp>(part, stream.getType(), stream, x);
  if (!follows)
    return mark(sum, part, reader);
  return mark(norm(mark(sum, part), normPart), part, reader);
}

Value ModelBuilder::attention(Value x, const std::string &layer,
                              int64_t number) {
  auto inLayer = [&](StringRef part) { return layer + part.str(); };
  const std::string part = inLayer(names.attention);
  const int64_t groupSize = spec.heads / spec.kvHeads;
  const Dim kv{DimensionKind::KvHeads, spec.kvHeads};
  const Dim group{DimensionKind::HeadGroup, groupSize};
  const Dim d{DimensionKind::HeadDim, spec.headDim};
  auto project = [&](StringRef name, ArrayRef<Dim> out) {
    StringRef place =
        names.fusedQueryKeyValue.empty() ? name : names.fusedQueryKeyValue;
    return linear(x, inLayer(name), out, {hiddenDim()}, spec.initializerRange,
                  inLayer(place));
  };
  Value q = project(names.query, {kv, group, d});
  Value k = project(names.key, {kv, d});
  Value v = project(names.value, {kv, d});
  if (!heads)
    heads = iota("heads", {spec.kvHeads, groupSize});
  double scale = spec.scaleByHeadDim ? 1 / std::sqrt(double(spec.headDim)) : 1;
  if (spec.scaleByLayer)
    scale /= number + 1;
  auto logsumexp = floats({batch, sequence, spec.kvHeads, groupSize});
  const bool causal = spec.objective == Objective::CausalLm;
  Value y = create<AttentionOp>(part, q.getType(), logsumexp, q, k, v,
                                positions, positions, seed, samples, heads,
                                f32(scale), builder.getBoolAttr(causal),
                                f32(spec.attentionDropout), key(part))
                .getOut();
  y = linear(y, inLayer(names.attentionOutput), {hiddenDim()}, {kv, group, d},
             writerDeviation());
  return dropout(y, inLayer(names.attentionDropout), spec.residualDropout);
}

Value ModelBuilder::feedForward(Value x, const std::string &layer) {
  auto inLayer = [&](StringRef part) { return layer + part.str(); };
  const Dim ffn{DimensionKind::Ffn, spec.ffn};
  Value y = linear(x, inLayer(names.expand), {ffn}, {hiddenDim()},
                   spec.initializerRange);
  y = activation(y, inLayer(names.activation), spec.activation);
  y = linear(y, inLayer(names.contract), {hiddenDim()}, {ffn},
             writerDeviation());
  return dropout(y, inLayer(names.feedForwardDropout), spec.residualDropout);
}

Value ModelBuilder::layer(Value stream, int64_t number) {
  const std::string layer =
      names.layers.str() + "." + std::to_string(number) + ".";
  if (spec.heads != 0)
    stream = block(stream, layer + names.attention.str(),
                   layer + names.attentionNorm.str(), std::nullopt,
                   [&](Value x) { return attention(x, layer, number); });
  return block(stream, layer + names.feedForward.str(),
               layer + names.feedForwardNorm.str(), number + 1,
               [&](Value x) { return feedForward(x, layer); });
}

// -------------------------------------------------------------------- after

Value ModelBuilder::logits(Value x) {
  if (spec.norm == Norm::Pre)
    x = norm(x, names.finalNorm.str());
  if (spec.headTransform) {
    x = linear(x, names.headDense.str(), {hiddenDim()}, {hiddenDim()},
               spec.initializerRange);
    x = activation(x, names.headActivation.str(), spec.headActivation);
    x = norm(x, names.headNorm.str());
  }
  const std::string part = names.head.str();
  Value weight = spec.tiedEmbedding
                     ? table
                     : matrix(part + ".weight", {vocabularyDim(), hiddenDim()},
                              spec.initializerRange);
  Value scores = create<LinearOp>(
      part, floats({batch, sequence, spec.vocabulary}), x, weight);
  if (!spec.headBias)
    return scores;
  return create<BiasAddOp>(part, scores.getType(), scores,
                           bias(names.headBias.str(), {vocabularyDim()}));
}

Value ModelBuilder::loss(Value logits) {
  auto tokens = floats({batch, sequence});
  auto scalar = floats({});
  Value pick = create<PickOp>("loss", tokens, logits, labels, rows);
  if (spec.loss == Loss::LabelLogit)
    return create<SumAllOp>("loss", scalar, pick);
  IntegerAttr classes = builder.getI64IntegerAttr(spec.vocabulary);
  Value max = create<RowMaxOp>("loss", tokens, logits, rows, classes);
  Value expSum = create<ExpSumOp>("loss", tokens, logits, max, rows, classes);
  Value nll = create<NllOp>("loss", tokens, expSum, max, pick, labels);
  return create<SumAllOp>("loss", scalar, nll);
}

// -------------------------------------------------------------------- whole

void ModelBuilder::build(ModuleOp module) {
  builder.setInsertionPointToStart(module.getBody());
  auto function = func::FuncOp::create(builder, at(kForward), kForward,
                                       builder.getFunctionType({}, {}));
  body = function.addEntryBlock();
  builder.setInsertionPointToStart(body);
  addInputs();
  Value x = embed();
  for (int64_t number = 0; number < spec.layers; ++number)
    x = layer(x, number);
  Value total = loss(logits(x));
  func::ReturnOp::create(builder, at(kForward), total);
  function.setFunctionType(
      builder.getFunctionType(body->getArgumentTypes(), total.getType()));
  function.setAllArgAttrs(argAttrs);
}

TrainingAttr makeTraining(MLIRContext *context, const TrainingSpec &training,
                          int64_t vocabulary) {
  Builder builder(context);
  return TrainingAttr::get(
      context, *training.sequenceLength, training.globalBatch,
      training.optimizer, builder.getF64FloatAttr(training.learningRate),
      builder.getF64FloatAttr(*training.minLearningRate), training.warmupSteps,
      training.decaySteps, builder.getF64FloatAttr(training.beta1),
      builder.getF64FloatAttr(training.beta2),
      builder.getF64FloatAttr(training.epsilon),
      builder.getF64FloatAttr(training.weightDecay),
      builder.getF64FloatAttr(training.clipNorm), vocabulary,
      training.vocabularyMultiple, training.precision,
      training.precision == Precision::F16
          ? builder.getF64FloatAttr(*training.lossScale)
          : FloatAttr(),
      training.lossScaleWindow);
}

/// As Devlin et al. (2019) have it.
MaskingAttr makeMasking(MLIRContext *context, const TokenSpec &tokens) {
  Builder builder(context);
  return MaskingAttr::get(context, *tokens.mask, tokens.pad.value_or(-1),
                          builder.getDenseI64ArrayAttr(tokens.special),
                          /*rate=*/builder.getF64FloatAttr(0.15),
                          /*mask_share=*/builder.getF64FloatAttr(0.8),
                          /*random_share=*/builder.getF64FloatAttr(0.1));
}

} // namespace

OwningOpRef<ModuleOp> buildModel(MLIRContext *context, const ModelSpec &model,
                                 const TrainingSpec &training,
                                 StrategyAttr strategy) {
  context->loadDialect<func::FuncDialect, dist::DistDialect, TfmDialect>();
  OwningOpRef<ModuleOp> module =
      ModuleOp::create(UnknownLoc::get(context)); // All of it is no part of it.
  ModelBuilder(context, model, training).build(*module);
  setModelName(*module, model.name);
  setTraining(*module, makeTraining(context, training, model.vocabulary));
  if (model.objective == Objective::MaskedLm)
    setMasking(*module, makeMasking(context, model.tokens));
  if (strategy)
    setStrategy(*module, strategy);
  return module;
}

} // namespace mpc
