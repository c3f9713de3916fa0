//===- DecomposeLoss.cpp - cross entropy's statistics as linalg -----------===//

#include "dialects/transformer/IR/LinalgBuilder.h"
#include "dialects/transformer/IR/Transformer.h"

using namespace mlir;

namespace mpc::tfm {

/// `x` in columns that are not padding, `otherwise` in those that are.
static Scalar inClass(Scalar row, int64_t classes, Scalar x, double otherwise) {
  return select(row < static_cast<double>(classes), x, x.like(otherwise));
}

SmallVector<Value> RowMaxOp::decompose(OpBuilder &builder,
                                       ValueRange operands) {
  LinalgBuilder b(builder, getLoc());
  return {
      b.largest("bsV, V -> bs", operands, getType(), [&](ArrayRef<Scalar> in) {
        return inClass(in[1], getClasses(), in[0],
                       -std::numeric_limits<double>::infinity());
      })};
}

SmallVector<Value> ExpSumOp::decompose(OpBuilder &builder,
                                       ValueRange operands) {
  LinalgBuilder b(builder, getLoc());
  return {
      b.sum("bsV, bs, V -> bs", operands, getType(), [&](ArrayRef<Scalar> in) {
        return inClass(in[2], getClasses(), exp(in[0] - in[1]), 0);
      })};
}

SmallVector<Value> ExpSumGradOp::decompose(OpBuilder &builder,
                                           ValueRange operands) {
  LinalgBuilder b(builder, getLoc());
  return {b.map(
      "bs, bsV, bs, V -> bsV", operands, getType(), [&](ArrayRef<Scalar> in) {
        return inClass(in[3], getClasses(), in[0] * exp(in[1] - in[2]), 0);
      })};
}

SmallVector<Value> PickOp::decompose(OpBuilder &builder, ValueRange operands) {
  LinalgBuilder b(builder, getLoc());
  return {
      b.sum("bsV, bs, V -> bs", operands, getType(), [](ArrayRef<Scalar> in) {
        return select(in[1] == in[2], in[0], in[0].like(0));
      })};
}

SmallVector<Value> PickGradOp::decompose(OpBuilder &builder,
                                         ValueRange operands) {
  LinalgBuilder b(builder, getLoc());
  return {
      b.map("bs, bs, V -> bsV", operands, getType(), [](ArrayRef<Scalar> in) {
        return select(in[1] == in[2], in[0], in[0].like(0));
      })};
}

SmallVector<Value> NllOp::decompose(OpBuilder &builder, ValueRange operands) {
  LinalgBuilder b(builder, getLoc());
  return {b.map(
      "bs, bs, bs, bs -> bs", operands, getType(), [](ArrayRef<Scalar> in) {
        return select(in[3] >= 0.0, log(in[0]) + in[1] - in[2], in[0].like(0));
      })};
}

SmallVector<Value> NllGradOp::decompose(OpBuilder &builder,
                                        ValueRange operands) {
  LinalgBuilder b(builder, getLoc());
  Dims all = dimsBetween(0, 2);
  return b.mapMany({all, all, all, all, all}, operands, getResultTypes(),
                   [](ArrayRef<Scalar> in) {
                     Scalar valid = in[2] >= 0.0, zero = in[0].like(0);
                     return SmallVector<Scalar>{
                         select(valid, in[0] / in[1], zero),
                         select(valid, 0.0 - in[0], zero)};
                   });
}

SmallVector<Value> SumAllOp::decompose(OpBuilder &builder,
                                       ValueRange operands) {
  LinalgBuilder b(builder, getLoc());
  return {b.sum({dimsBetween(0, getX().getType().getRank()), Dims()}, operands,
                getType(), [](ArrayRef<Scalar> in) { return in[0]; })};
}

SmallVector<Value> CountValidOp::decompose(OpBuilder &builder,
                                           ValueRange operands) {
  LinalgBuilder b(builder, getLoc());
  return {b.sum({dimsBetween(0, getLabels().getType().getRank()), Dims()},
                operands, getType(), [&](ArrayRef<Scalar> in) {
                  Scalar one = b.number(1);
                  return select(in[0] >= 0.0, one, one.like(0));
                })};
}

} // namespace mpc::tfm
