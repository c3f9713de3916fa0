//===- DecomposeOptimizer.cpp - clipping, SGD and AdamW as linalg ---------===//

#include "dialects/transformer/IR/LinalgBuilder.h"
#include "dialects/transformer/IR/Transformer.h"

using namespace mlir;

namespace mpc::tfm {

static Value mapScalar(Operation *op, OpBuilder &builder, ValueRange operands,
                       LinalgBuilder::Body body) {
  SmallVector<Dims> dims(operands.size() + 1);
  return LinalgBuilder(builder, op->getLoc())
      .map(dims, operands, op->getResult(0).getType(), body);
}

SmallVector<Value> SumSquaresOp::decompose(OpBuilder &builder,
                                           ValueRange operands) {
  LinalgBuilder b(builder, getLoc());
  return {b.sum({dimsBetween(0, getX().getType().getRank()), Dims()}, operands,
                getType(), [](ArrayRef<Scalar> in) { return in[0] * in[0]; })};
}

SmallVector<Value> SqrtOp::decompose(OpBuilder &builder, ValueRange operands) {
  return {mapScalar(*this, builder, operands,
                    [](ArrayRef<Scalar> in) { return sqrt(in[0]); })};
}

SmallVector<Value> ReciprocalOp::decompose(OpBuilder &builder,
                                           ValueRange operands) {
  return {mapScalar(*this, builder, operands, [](ArrayRef<Scalar> in) {
    return select(in[0] == 0.0, in[0].like(0), 1.0 / in[0]);
  })};
}

SmallVector<Value> ClipFactorOp::decompose(OpBuilder &builder,
                                           ValueRange operands) {
  double maxNorm = getMaxNorm().convertToDouble();
  return {mapScalar(*this, builder, operands, [&](ArrayRef<Scalar> in) {
    Scalar one = in[0].like(1);
    return maxNorm == 0 ? one : min(one, maxNorm / (in[0] + 1e-6));
  })};
}

SmallVector<Value> CountStepOp::decompose(OpBuilder &builder,
                                          ValueRange operands) {
  return {mapScalar(*this, builder, operands, [](ArrayRef<Scalar> in) {
    return select(in[1] > 0.0, in[0] + 1.0, in[0]);
  })};
}

/// NaN - NaN and ∞ - ∞ are no 0.
static Scalar isFinite(Scalar x) { return x - x == 0.0; }

SmallVector<Value> ValidIfFiniteOp::decompose(OpBuilder &builder,
                                              ValueRange operands) {
  return {mapScalar(*this, builder, operands, [](ArrayRef<Scalar> in) {
    return select(isFinite(in[1]), in[0], in[0].like(0));
  })};
}

SmallVector<Value> UpdateLossScaleOp::decompose(OpBuilder &builder,
                                                ValueRange operands) {
  constexpr double kLargest = 1 << 24;
  LinalgBuilder b(builder, getLoc());
  return b.mapMany(
      SmallVector<Dims>(5), operands, getResultTypes(),
      [&](ArrayRef<Scalar> in) {
        Scalar scale = in[0], zero = in[1].like(0), good = in[1] + 1.0;
        Scalar finite = isFinite(in[2]);
        Scalar grows = good >= double(getWindow());
        Scalar grown =
            select(grows, min(scale * 2.0, scale.like(kLargest)), scale);
        Scalar halved = max(scale * 0.5, scale.like(1));
        return SmallVector<Scalar>{
            select(finite, grown, halved),
            select(finite, select(grows, zero, good), zero)};
      });
}

SmallVector<Value> BiasCorrectionOp::decompose(OpBuilder &builder,
                                               ValueRange operands) {
  double beta = getBeta().convertToDouble();
  Type f64 = builder.getF64Type(), f32 = builder.getF32Type();
  return {mapScalar(*this, builder, operands, [&](ArrayRef<Scalar> in) {
    // beta^step by squaring, over the bits of step.
    Scalar step = toInteger(in[0]);
    Scalar power = convert(in[0], f64).like(1);
    double square = beta;
    for (unsigned bit = 0; bit != 24; ++bit, square *= square)
      power = power * select((step & step.like(1 << bit)) == 0.0, power.like(1),
                             power.like(square));
    return convert(1.0 - power, f32);
  })};
}

SmallVector<Value> SgdOp::decompose(OpBuilder &builder, ValueRange operands) {
  LinalgBuilder b(builder, getLoc());
  Dims all = dimsBetween(0, getParameter().getType().getRank()), none;
  double decay = getWeightDecay().convertToDouble();
  return {b.map({all, all, none, none, none, all}, operands, getType(),
                [&](ArrayRef<Scalar> in) {
                  Scalar parameter = in[0], gradient = in[2] * in[1];
                  Scalar step = in[3] * (gradient + decay * parameter);
                  return select(in[4] > 0.0, parameter - step, parameter);
                })};
}

SmallVector<Value> AdamWOp::decompose(OpBuilder &builder, ValueRange operands) {
  LinalgBuilder b(builder, getLoc());
  Dims all = dimsBetween(0, getParameter().getType().getRank()), none;
  float beta1 = getBeta1().convertToFloat(),
        beta2 = getBeta2().convertToFloat();
  double decay = getWeightDecay().convertToDouble();
  double epsilon = getEpsilon().convertToDouble();
  return b.mapMany(
      {all, all, all, all, none, none, none, none, none, all, all, all},
      operands, getResultTypes(), [&](ArrayRef<Scalar> in) {
        Scalar parameter = in[0], gradient = in[3] * in[4], rate = in[5];
        Scalar moment1 = beta1 * in[1] + (1 - beta1) * gradient;
        Scalar moment2 = beta2 * in[2] + (1 - beta2) * (gradient * gradient);
        Scalar root = sqrt(moment2 * (1.0 / in[7]));
        Scalar decayed = parameter * (1.0 - rate * decay);
        Scalar next = decayed - rate / in[6] * moment1 / (root + epsilon);
        Scalar valid = in[8] > 0.0;
        return SmallVector<Scalar>{select(valid, next, parameter),
                                   select(valid, moment1, in[1]),
                                   select(valid, moment2, in[2])};
      });
}

} // namespace mpc::tfm
