//===- DecomposeUnfusedAttention.cpp - stored scores as linalg ------------===//
//
// Loops: b batch, s queries, t keys, k key-value heads, g query heads of each, d
// head size.
//
//===----------------------------------------------------------------------===//

#include "dialects/transformer/IR/Dropping.h"
#include "dialects/transformer/IR/LinalgBuilder.h"
#include "dialects/transformer/IR/Masking.h"
#include "dialects/transformer/IR/Transformer.h"

using namespace mlir;

namespace mpc::tfm {

static Scalar first(ArrayRef<Scalar> in) { return in[0]; }
static Scalar product(ArrayRef<Scalar> in) { return in[0] * in[1]; }

/// The type of f32 values for each element of the first `dims` dimensions.
static RankedTensorType floatsOf(RankedTensorType type, int64_t dims) {
  return RankedTensorType::get(type.getShape().take_front(dims),
                               Float32Type::get(type.getContext()));
}

SmallVector<Value> AttentionScoresOp::decompose(OpBuilder &builder,
                                                ValueRange operands) {
  LinalgBuilder b(builder, getLoc());
  return {b.sum("bskgd, btkd -> bkgst", operands, getType(), product)};
}

SmallVector<Value> AttentionContextOp::decompose(OpBuilder &builder,
                                                 ValueRange operands) {
  LinalgBuilder b(builder, getLoc());
  return {b.sum("bkgst, btkd -> bskgd", operands, getType(), product)};
}

SmallVector<Value> AttentionKeyGradOp::decompose(OpBuilder &builder,
                                                 ValueRange operands) {
  LinalgBuilder b(builder, getLoc());
  return {b.sum("bkgst, bskgd -> btkd", operands, getType(), product)};
}

SmallVector<Value> MaskedSoftmaxOp::decompose(OpBuilder &builder,
                                              ValueRange operands) {
  LinalgBuilder b(builder, getLoc());
  Type row = floatsOf(getType(), 4), all = floatsOf(getType(), 5);
  double scale = getScale().convertToDouble();
  double none = -std::numeric_limits<double>::infinity();
  Value scores =
      b.map("bkgst, bs, bt -> bkgst", operands, all, [&](ArrayRef<Scalar> in) {
        return maskElement(in[0] * scale, in[1], in[2], getCausal(), none);
      });
  Value max = b.largest("bkgst -> bkgs", scores, row, first);
  // Where all are masked the largest is -inf; any other shift gives exps of 0.
  Value exps = b.map("bkgst, bkgs -> bkgst", {scores, max}, all,
                     [&](ArrayRef<Scalar> in) {
                       Scalar shift = select(in[1] == none, in[1].like(0), in[1]);
                       return exp(in[0] - shift);
                     });
  Value sum = b.sum("bkgst -> bkgs", exps, row, first);
  Value reciprocal = b.map("bkgs -> bkgs", sum, row, [](ArrayRef<Scalar> in) {
    return select(in[0] > 0.0, 1.0 / in[0], in[0].like(0));
  });
  return {b.map("bkgst, bkgs -> bkgst", {exps, reciprocal}, getType(), product)};
}

SmallVector<Value> MaskedSoftmaxGradOp::decompose(OpBuilder &builder,
                                                  ValueRange operands) {
  LinalgBuilder b(builder, getLoc());
  Value grad = operands[0], probabilities = operands[1];
  double scale = getScale().convertToDouble();
  Value shared = b.sum("bkgst, bkgst -> bkgs", {grad, probabilities},
                       floatsOf(getType(), 4), product);
  return {b.map("bkgst, bkgst, bkgs -> bkgst", {grad, probabilities, shared},
                getType(), [&](ArrayRef<Scalar> in) {
                  return in[1] * (in[0] - in[2]) * scale;
                })};
}

SmallVector<Value> AttentionDropoutOp::decompose(OpBuilder &builder,
                                                 ValueRange operands) {
  LinalgBuilder b(builder, getLoc());
  return {b.map("bkgst, , b, kg, bs, bt -> bkgst", operands, getType(),
                [&](ArrayRef<Scalar> in) {
                  Scalar hash = hashPlace(in[1], getKey(),
                                          {in[2], in[3], in[4], in[5]});
                  return dropElement(in[0], hash, getRate());
                })};
}

} // namespace mpc::tfm
