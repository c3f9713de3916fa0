//===- DecomposeLinear.cpp - products and biases as linalg ----------------===//
//
// Ops of any rank: loops are numbered in the order batch, sequence, result
// dimensions, contracted dimensions.
//
//===----------------------------------------------------------------------===//

#include "dialects/transformer/IR/LinalgBuilder.h"
#include "dialects/transformer/IR/Transformer.h"

using namespace mlir;

namespace mpc::tfm {

static Scalar product(ArrayRef<Scalar> in) { return in[0] * in[1]; }
static Scalar first(ArrayRef<Scalar> in) { return in[0]; }

static Dims join(Dims a, const Dims &b) {
  a.append(b);
  return a;
}

/// The loops of y = x wᵀ: the rows of x and y, and the leading and the trailing
/// dimensions of w.
struct ProductDims {
  ProductDims(RankedTensorType x, RankedTensorType w) {
    unsigned batch = 2, end = batch + w.getRank();
    unsigned inner = end - (x.getRank() - batch);
    rows = dimsBetween(0, batch);
    leading = dimsBetween(batch, inner);
    trailing = dimsBetween(inner, end);
  }

  Dims rows, leading, trailing;
};

SmallVector<Value> LinearOp::decompose(OpBuilder &builder,
                                       ValueRange operands) {
  LinalgBuilder b(builder, getLoc());
  ProductDims dims(getX().getType(), getW().getType());
  return {
      b.sum({join(dims.rows, dims.trailing), join(dims.leading, dims.trailing),
             join(dims.rows, dims.leading)},
            operands, getType(), product)};
}

SmallVector<Value> LinearInputGradOp::decompose(OpBuilder &builder,
                                                ValueRange operands) {
  LinalgBuilder b(builder, getLoc());
  ProductDims dims(getType(), getW().getType());
  return {
      b.sum({join(dims.rows, dims.leading), join(dims.leading, dims.trailing),
             join(dims.rows, dims.trailing)},
            operands, getType(), product)};
}

SmallVector<Value> LinearWeightGradOp::decompose(OpBuilder &builder,
                                                 ValueRange operands) {
  LinalgBuilder b(builder, getLoc());
  ProductDims dims(getX().getType(), getType());
  return {b.sum({join(dims.rows, dims.leading), join(dims.rows, dims.trailing),
                 join(dims.leading, dims.trailing)},
                operands, getType(), product)};
}

SmallVector<Value> BiasAddOp::decompose(OpBuilder &builder,
                                        ValueRange operands) {
  LinalgBuilder b(builder, getLoc());
  unsigned rank = getX().getType().getRank();
  unsigned biasRank = getBias().getType().getRank();
  Dims all = dimsBetween(0, rank);
  return {b.map({all, dimsBetween(rank - biasRank, rank), all}, operands,
                getType(), [](ArrayRef<Scalar> in) { return in[0] + in[1]; })};
}

SmallVector<Value> BiasGradOp::decompose(OpBuilder &builder,
                                         ValueRange operands) {
  LinalgBuilder b(builder, getLoc());
  unsigned rank = getOutGrad().getType().getRank();
  return {b.sum(
      {dimsBetween(0, rank), dimsBetween(rank - getType().getRank(), rank)},
      operands, getType(), first)};
}

} // namespace mpc::tfm
