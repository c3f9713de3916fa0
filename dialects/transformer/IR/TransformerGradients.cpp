//===- TransformerGradients.cpp - reverse mode, op by op --------*- C++ -*-===//
//
// What each op of a forward pass contributes to the backward pass. Cotangents are
// ordinary values in the global view; no op here knows that it may be sharded.
//
//===----------------------------------------------------------------------===//

#include "dialects/transformer/IR/Transformer.h"

using namespace mlir;

namespace mpc::tfm {

using dist::Phase;
using Grads = SmallVector<Value>;

/// Builds an op of the backward pass at the location of the op it belongs to.
template <typename OpTy, typename... Args>
static OpTy backward(OpBuilder &builder, Operation *of, Args &&...args) {
  return build<OpTy>(builder, of->getLoc(), Phase::Backward,
                     std::forward<Args>(args)...);
}

/// The same for what only the parameters' gradients need.
template <typename OpTy, typename... Args>
static OpTy weight(OpBuilder &builder, Operation *of, Args &&...args) {
  return build<OpTy>(builder, of->getLoc(), Phase::Weight,
                     std::forward<Args>(args)...);
}

/// The type in f32: of what is summed over tokens, or added before rounding.
static RankedTensorType widened(RankedTensorType type) {
  return type.clone(Float32Type::get(type.getContext()));
}

Grads EmbeddingOp::buildGradients(OpBuilder &builder, ArrayRef<Value> out,
                                  ArrayRef<bool> wanted) {
  Grads grads(3);
  if (wanted[0])
    grads[0] = weight<EmbeddingGradOp>(builder, *this,
                                       widened(getTable().getType()), out[0],
                                       getIds(), getRows());
  return grads;
}

Grads DropoutOp::buildGradients(OpBuilder &builder, ArrayRef<Value> out,
                                ArrayRef<bool>) {
  Grads grads(5);
  grads[0] = backward<DropoutOp>(builder, *this, getX().getType(), out[0],
                                 getSeed(), getSamples(), getPositions(),
                                 getFeatures(), getRateAttr(), getKeyAttr());
  return grads;
}

bool LayerNormOp::isStatistic(unsigned result) { return result > 0; }
Grads LayerNormOp::buildGradients(OpBuilder &builder, ArrayRef<Value> out,
                                  ArrayRef<bool> wanted) {
  Grads grads(3);
  if (wanted[0])
    grads[0] = backward<LayerNormInputGradOp>(
        builder, *this, getX().getType(), out[0], getX(), getWeight(),
        getMean(), getRstd());
  if (wanted[1] || wanted[2]) {
    auto op = weight<LayerNormParamGradOp>(
        builder, *this, widened(getWeight().getType()),
        widened(getBias().getType()), out[0], getX(), getMean(), getRstd());
    grads[1] = op.getWeightGrad();
    grads[2] = op.getBiasGrad();
  }
  return grads;
}

Grads LinearOp::buildGradients(OpBuilder &builder, ArrayRef<Value> out,
                               ArrayRef<bool> wanted) {
  Grads grads(2);
  if (wanted[0])
    grads[0] = backward<LinearInputGradOp>(builder, *this, getX().getType(),
                                           out[0], getW());
  if (wanted[1])
    grads[1] = weight<LinearWeightGradOp>(
        builder, *this, widened(getW().getType()), out[0], getX());
  return grads;
}

Grads BiasAddOp::buildGradients(OpBuilder &builder, ArrayRef<Value> out,
                                ArrayRef<bool> wanted) {
  Grads grads = {out[0], Value()};
  if (wanted[1])
    grads[1] =
        weight<BiasGradOp>(builder, *this, widened(getBias().getType()), out[0]);
  return grads;
}

Grads AddOp::buildGradients(OpBuilder &, ArrayRef<Value> out, ArrayRef<bool>) {
  return {out[0], out[0]};
}

Grads GeluOp::buildGradients(OpBuilder &builder, ArrayRef<Value> out,
                             ArrayRef<bool>) {
  return {backward<GeluGradOp>(builder, *this, getX().getType(), out[0], getX(),
                               getFormAttr())};
}

Grads ReluOp::buildGradients(OpBuilder &builder, ArrayRef<Value> out,
                             ArrayRef<bool>) {
  return {backward<ReluGradOp>(builder, *this, getX().getType(), out[0],
                               getX())};
}

Grads SiluOp::buildGradients(OpBuilder &builder, ArrayRef<Value> out,
                             ArrayRef<bool>) {
  return {backward<SiluGradOp>(builder, *this, getX().getType(), out[0],
                               getX())};
}

Grads ResidualOp::buildGradients(OpBuilder &builder, ArrayRef<Value> out,
                                 ArrayRef<bool>) {
  return {backward<ResidualOp>(builder, *this, getX().getType(), out[0],
                               /*layer=*/IntegerAttr())};
}

bool AttentionOp::isStatistic(unsigned result) { return result > 0; }
Grads AttentionOp::buildGradients(OpBuilder &builder, ArrayRef<Value> out,
                                  ArrayRef<bool>) {
  auto op = backward<AttentionGradOp>(
      builder, *this, getQ().getType(), getK().getType(), getV().getType(),
      out[0], getQ(), getK(), getV(), getOut(), getLogsumexp(),
      getQueryPositions(), getKeyPositions(), getSeed(), getSamples(),
      getHeads(), getScaleAttr(), getCausalAttr(), getRateAttr(), getKeyAttr());
  Grads grads(8);
  grads[0] = op.getQGrad();
  grads[1] = op.getKGrad();
  grads[2] = op.getVGrad();
  return grads;
}

Grads AttentionScoresOp::buildGradients(OpBuilder &builder,
                                        ArrayRef<Value> out,
                                        ArrayRef<bool> wanted) {
  Grads grads(2);
  if (wanted[0])
    grads[0] = backward<AttentionContextOp>(builder, *this, getQ().getType(),
                                            out[0], getK());
  if (wanted[1])
    grads[1] = backward<AttentionKeyGradOp>(builder, *this, getK().getType(),
                                            out[0], getQ());
  return grads;
}

Grads AttentionContextOp::buildGradients(OpBuilder &builder,
                                         ArrayRef<Value> out,
                                         ArrayRef<bool> wanted) {
  Grads grads(2);
  if (wanted[0])
    grads[0] = backward<AttentionScoresOp>(
        builder, *this, getWeights().getType(), out[0], getValues());
  if (wanted[1])
    grads[1] = backward<AttentionKeyGradOp>(
        builder, *this, getValues().getType(), getWeights(), out[0]);
  return grads;
}

Grads MaskedSoftmaxOp::buildGradients(OpBuilder &builder, ArrayRef<Value> out,
                                      ArrayRef<bool>) {
  Grads grads(3);
  grads[0] = backward<MaskedSoftmaxGradOp>(builder, *this,
                                           getScores().getType(), out[0],
                                           getProbabilities(), getScaleAttr());
  return grads;
}

Grads AttentionDropoutOp::buildGradients(OpBuilder &builder,
                                         ArrayRef<Value> out, ArrayRef<bool>) {
  Grads grads(6);
  grads[0] = backward<AttentionDropoutOp>(
      builder, *this, getX().getType(), out[0], getSeed(), getSamples(),
      getHeads(), getQueryPositions(), getKeyPositions(), getRateAttr(),
      getKeyAttr());
  return grads;
}

bool RowMaxOp::isStatistic(unsigned) { return true; }
Grads RowMaxOp::buildGradients(OpBuilder &, ArrayRef<Value>, ArrayRef<bool>) {
  return Grads(2); // Only shifts a softmax: its cotangents cancel.
}

bool ExpSumOp::isStatistic(unsigned) { return true; }
Grads ExpSumOp::buildGradients(OpBuilder &builder, ArrayRef<Value> out,
                               ArrayRef<bool> wanted) {
  Grads grads(3);
  if (wanted[0])
    grads[0] = backward<ExpSumGradOp>(builder, *this, widened(getX().getType()),
                                      out[0], getX(), getMax(), getRows(),
                                      getClassesAttr());
  return grads;
}

bool PickOp::isStatistic(unsigned) { return true; }
Grads PickOp::buildGradients(OpBuilder &builder, ArrayRef<Value> out,
                             ArrayRef<bool> wanted) {
  Grads grads(3);
  if (wanted[0])
    grads[0] = backward<PickGradOp>(builder, *this, widened(getX().getType()),
                                    out[0], getLabels(), getRows());
  return grads;
}

bool NllOp::isStatistic(unsigned) { return true; }
Grads NllOp::buildGradients(OpBuilder &builder, ArrayRef<Value> out,
                            ArrayRef<bool>) {
  auto op = backward<NllGradOp>(builder, *this, getExpSum().getType(),
                                getPick().getType(), out[0], getExpSum(),
                                getLabels());
  Grads grads(4);
  grads[0] = op.getExpSumGrad();
  grads[2] = op.getPickGrad();
  return grads;
}

bool SumAllOp::isStatistic(unsigned) { return true; }
Grads SumAllOp::buildGradients(OpBuilder &builder, ArrayRef<Value> out,
                               ArrayRef<bool>) {
  return {backward<BroadcastOp>(builder, *this, getX().getType(), out[0])};
}

} // namespace mpc::tfm
