//===- BuildModel.cpp - the forward pass of a model -------------*- C++ -*-===//
//
// Writes a resolved spec as `@forward`: parameters are the first arguments, the
// inputs of a batch the last, and the result is the loss summed over all tokens
// that have a label. An op's location is the name of the part of the model that
// it belongs to; messages of the runtime print it.
//
//===----------------------------------------------------------------------===//

#include "frontends/model/ModelSpec.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include <cmath>

using namespace mlir;
using namespace mpc::tfm;

namespace mpc {
namespace {

/// The FNV-1a hash that keys dropout: the same for a part of the model whatever
/// else the model has.
int32_t hashName(StringRef name) {
  uint32_t hash = 2166136261u;
  for (unsigned char byte : name)
    hash = (hash ^ byte) * 16777619u;
  return static_cast<int32_t>(hash);
}

struct Dim {
  DimensionKind kind;
  int64_t size;
};

class ModelBuilder {
public:
  ModelBuilder(MLIRContext *context, const ModelSpec &spec,
               const TrainingSpec &training)
      : builder(context), spec(spec), batch(training.globalBatch),
        sequence(*training.sequenceLength) {}

  /// Adds `@forward` to `module`.
  void build(ModuleOp module);

private:
  void addInputs();
  Value embed();
  Value attention(Value x, const std::string &block, int64_t layer);
  Value feedForward(Value x, const std::string &block);
  Value loss(Value logits);

  Value norm(Value x, const std::string &part);
  /// A product with a new weight [out..., in...] and, if the model has them, a
  /// bias. The weight is named `part`.weight.
  Value linear(Value x, const std::string &part, ArrayRef<Dim> out,
               ArrayRef<Dim> in, double deviation,
               std::optional<std::string> shortPart = std::nullopt);
  Value dropout(Value x, const std::string &part, double rate);
  /// The stream plus what a block writes to it.
  /// `reader` is the layer that reads the sum, if that is another one.
  Value addToStream(Value stream, Value x, const std::string &part,
                    std::optional<int64_t> reader = std::nullopt);
  Value iota(const std::string &part, ArrayRef<int64_t> shape);

  Value parameter(const std::string &name, ArrayRef<Dim> dims,
                  InitialKind initial, double value, bool decay);
  Value input(StateKind kind, StringRef name, ArrayRef<int64_t> shape);

  template <typename OpTy, typename... Args>
  OpTy create(const std::string &part, Args &&...args) {
    return tfm::build<OpTy>(builder, at(part), dist::Phase::Forward,
                            std::forward<Args>(args)...);
  }
  Location at(StringRef name) {
    return NameLoc::get(builder.getStringAttr(name));
  }
  RankedTensorType floats(ArrayRef<int64_t> shape) {
    return RankedTensorType::get(shape, builder.getF32Type());
  }
  RankedTensorType integers(ArrayRef<int64_t> shape) {
    return RankedTensorType::get(shape, builder.getI32Type());
  }
  FloatAttr f32(double value) { return builder.getF32FloatAttr(value); }

  double residualDeviation() const {
    return spec.initializerRange / std::sqrt(2.0 * spec.layers);
  }
  Dim hiddenDim() const { return {DimensionKind::Hidden, spec.hidden}; }
  Dim vocabularyDim() const {
    return {DimensionKind::Vocabulary, spec.vocabulary};
  }

  OpBuilder builder;
  const ModelSpec &spec;
  int64_t batch, sequence;
  Block *body = nullptr;
  unsigned parameterCount = 0;
  SmallVector<DictionaryAttr> argAttrs;
  Value ids, labels, positions, samples, seed;
  Value table, rows, features, heads;
};

// ---------------------------------------------------------------- arguments

Value ModelBuilder::parameter(const std::string &name, ArrayRef<Dim> dims,
                              InitialKind initial, double value, bool decay) {
  SmallVector<DimensionKindAttr> kinds;
  SmallVector<int64_t> shape;
  for (const Dim &dim : dims) {
    kinds.push_back(DimensionKindAttr::get(builder.getContext(), dim.kind));
    shape.push_back(dim.size);
  }
  auto attribute = ParameterAttr::get(
      builder.getContext(), builder.getStringAttr(name), kinds, shape, initial,
      builder.getF64FloatAttr(value), decay);
  argAttrs.insert(argAttrs.begin() + parameterCount,
                  builder.getDictionaryAttr(builder.getNamedAttr(
                      TfmDialect::kParameterAttrName, attribute)));
  return body->insertArgument(parameterCount++, floats(shape), at(name));
}

Value ModelBuilder::input(StateKind kind, StringRef name,
                          ArrayRef<int64_t> shape) {
  auto binding =
      BindingAttr::get(builder.getContext(), kind, builder.getStringAttr(name));
  argAttrs.push_back(builder.getDictionaryAttr(
      builder.getNamedAttr(TfmDialect::kBindingAttrName, binding)));
  return body->addArgument(integers(shape), at(name));
}

void ModelBuilder::addInputs() {
  ids = input(StateKind::Batch, "ids", {batch, sequence});
  labels = input(StateKind::Batch, "labels", {batch, sequence});
  positions = input(StateKind::Batch, "positions", {batch, sequence});
  samples = input(StateKind::Batch, "samples", {batch});
  seed = input(StateKind::InputScalar, "seed", {});
}

// -------------------------------------------------------------------- parts

Value ModelBuilder::iota(const std::string &part, ArrayRef<int64_t> shape) {
  return create<dist::IotaOp>(part, integers(shape), TypeAttr());
}

Value ModelBuilder::norm(Value x, const std::string &part) {
  if (spec.norm == Norm::None)
    return x;
  const std::string name = "transformer." + part;
  Value weight = parameter(name + ".weight", {hiddenDim()},
                           InitialKind::Constant, 1, /*decay=*/false);
  Value bias =
      parameter(name + ".bias", {hiddenDim()}, InitialKind::Constant, 0,
                /*decay=*/false);
  auto statistic = floats({batch, sequence});
  return create<LayerNormOp>(part, x.getType(), statistic, statistic, x, weight,
                             bias, f32(spec.normEpsilon))
      .getOut();
}

Value ModelBuilder::linear(Value x, const std::string &part, ArrayRef<Dim> out,
                           ArrayRef<Dim> in, double deviation,
                           std::optional<std::string> shortPart) {
  const std::string where = shortPart.value_or(part);
  const std::string name = "transformer." + part;
  SmallVector<Dim> dims(out);
  llvm::append_range(dims, in);
  Value weight =
      parameter(name + ".weight", dims, InitialKind::Normal, deviation,
                /*decay=*/true);
  SmallVector<int64_t> shape{batch, sequence};
  for (const Dim &dim : out)
    shape.push_back(dim.size);
  Value y = create<LinearOp>(where, floats(shape), x, weight);
  if (!spec.bias)
    return y;
  Value bias =
      parameter(name + ".bias", out, InitialKind::Constant, 0, /*decay=*/false);
  return create<BiasAddOp>(where, y.getType(), y, bias);
}

Value ModelBuilder::dropout(Value x, const std::string &part, double rate) {
  if (rate == 0)
    return x;
  if (!features)
    features = iota("features", {spec.hidden});
  return create<DropoutOp>(part, x.getType(), x, seed, samples, positions,
                           features, f32(rate),
                           builder.getI32IntegerAttr(hashName(part)));
}

Value ModelBuilder::addToStream(Value stream, Value x, const std::string &part,
                                std::optional<int64_t> reader) {
  Value sum = create<AddOp>(part, stream.getType(), stream, x);
  return create<ResidualOp>(part, sum.getType(), sum,
                            reader ? builder.getI64IntegerAttr(*reader)
                                   : IntegerAttr());
}

Value ModelBuilder::embed() {
  auto type = floats({batch, sequence, spec.hidden});
  rows = iota("wte.rows", {spec.vocabulary});
  table = parameter("transformer.wte.weight", {vocabularyDim(), hiddenDim()},
                    InitialKind::Normal, spec.initializerRange, /*decay=*/true);
  Value x = create<EmbeddingOp>("wte", type, table, ids, rows);
  if (spec.positions != 0) {
    Value places =
        parameter("transformer.wpe.weight",
                  {{DimensionKind::Position, spec.positions}, hiddenDim()},
                  InitialKind::Normal, spec.initializerRange,
                  /*decay=*/true);
    Value place = create<EmbeddingOp>("wpe", type, places, positions,
                                      iota("wpe.rows", {spec.positions}));
    x = create<AddOp>("embedding", type, x, place);
  }
  x = dropout(x, "drop", spec.embeddingDropout);
  return create<ResidualOp>("embedding", type, x,
                            builder.getI64IntegerAttr(0));
}

Value ModelBuilder::attention(Value x, const std::string &block,
                              int64_t layer) {
  const std::string part = block + ".attn";
  const int64_t groupSize = spec.heads / spec.kvHeads;
  const Dim kv{DimensionKind::KvHeads, spec.kvHeads};
  const Dim group{DimensionKind::HeadGroup, groupSize};
  const Dim d{DimensionKind::HeadDim, spec.headDim};
  const std::string fused = part + ".c_attn";
  Value q = linear(x, fused + ".q", {kv, group, d}, {hiddenDim()},
                   spec.initializerRange, fused);
  Value k = linear(x, fused + ".k", {kv, d}, {hiddenDim()},
                   spec.initializerRange, fused);
  Value v = linear(x, fused + ".v", {kv, d}, {hiddenDim()},
                   spec.initializerRange, fused);
  if (!heads)
    heads = iota("heads", {spec.kvHeads, groupSize});
  double scale = spec.scaleByHeadDim ? 1 / std::sqrt(double(spec.headDim)) : 1;
  if (spec.scaleByLayer)
    scale /= layer + 1;
  auto logsumexp = floats({batch, sequence, spec.kvHeads, groupSize});
  Value y =
      create<AttentionOp>(part, q.getType(), logsumexp, q, k, v, positions,
                          positions, seed, samples, heads, f32(scale),
                          builder.getBoolAttr(true), f32(spec.attentionDropout),
                          builder.getI32IntegerAttr(hashName(part)))
          .getOut();
  y = linear(y, part + ".c_proj", {hiddenDim()}, {kv, group, d},
             residualDeviation());
  return dropout(y, part + ".resid_dropout", spec.residualDropout);
}

Value ModelBuilder::feedForward(Value x, const std::string &block) {
  const std::string part = block + ".mlp";
  const Dim ffn{DimensionKind::Ffn, spec.ffn};
  Value y =
      linear(x, part + ".c_fc", {ffn}, {hiddenDim()}, spec.initializerRange);
  const std::string act = part + ".act";
  switch (spec.activation) {
  case Activation::GeluTanh:
    y = create<GeluOp>(act, y.getType(), y,
                       GeluFormAttr::get(builder.getContext(), GeluForm::Tanh));
    break;
  case Activation::Gelu:
    y = create<GeluOp>(act, y.getType(), y,
                       GeluFormAttr::get(builder.getContext(), GeluForm::Erf));
    break;
  case Activation::Relu:
    y = create<ReluOp>(act, y.getType(), y);
    break;
  case Activation::Silu:
    y = create<SiluOp>(act, y.getType(), y);
    break;
  }
  y = linear(y, part + ".c_proj", {hiddenDim()}, {ffn}, residualDeviation());
  return dropout(y, part + ".dropout", spec.residualDropout);
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
  for (int64_t layer = 0; layer < spec.layers; ++layer) {
    const std::string block = "h." + std::to_string(layer);
    if (spec.heads != 0)
      x = addToStream(x, attention(norm(x, block + ".ln_1"), block, layer),
                      block + ".attn");
    x = addToStream(x, feedForward(norm(x, block + ".ln_2"), block),
                    block + ".mlp", layer + 1);
  }
  x = norm(x, "ln_f");
  Value head = spec.tiedEmbedding
                   ? table
                   : parameter("lm_head.weight", {vocabularyDim(), hiddenDim()},
                               InitialKind::Normal, spec.initializerRange,
                               /*decay=*/true);
  Value logits = create<LinearOp>(
      "lm_head", floats({batch, sequence, spec.vocabulary}), x, head);
  Value total = loss(logits);
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
  if (strategy)
    setStrategy(*module, strategy);
  return module;
}

} // namespace mpc
