//===- DecomposeEmbedding.cpp - embedding and dropout as linalg -----------===//

#include "dialects/transformer/IR/Dropping.h"
#include "dialects/transformer/IR/LinalgBuilder.h"
#include "dialects/transformer/IR/Transformer.h"

using namespace mlir;

namespace mpc::tfm {

SmallVector<Value> EmbeddingOp::decompose(OpBuilder &builder,
                                          ValueRange operands) {
  LinalgBuilder b(builder, getLoc());
  Value table = operands[0], ids = operands[1], rows = operands[2];
  int64_t numRows = getRows().getType().getDimSize(0);
  return {b.map("bs -> bsh", ids, getType(), [&](ArrayRef<Scalar> in) {
    // Rows are consecutive, so an id's row is its distance to the first.
    Scalar row = in[0] - b.extract(rows, b.index(0));
    Scalar found = isBelowUnsigned(row, row.like(numRows));
    Scalar safe = select(found, row, row.like(0));
    Scalar x = b.extract(table, {toIndex(safe), b.loopIndex(2)});
    return select(found, x, x.like(0));
  })};
}

SmallVector<Value> EmbeddingGradOp::decompose(OpBuilder &builder,
                                              ValueRange operands) {
  LinalgBuilder b(builder, getLoc());
  return {
      b.sum("bsh, bs, V -> Vh", operands, getType(), [](ArrayRef<Scalar> in) {
        return select(in[1] == in[2], in[0], in[0].like(0));
      })};
}

SmallVector<Value> DropoutOp::decompose(OpBuilder &builder,
                                        ValueRange operands) {
  LinalgBuilder b(builder, getLoc());
  return {b.map(
      "bsh, , b, bs, h -> bsh", operands, getType(), [&](ArrayRef<Scalar> in) {
        Scalar hash = hashPlace(in[1], getKey(), {in[2], in[3], in[4]});
        return dropElement(in[0], hash, getRate());
      })};
}

} // namespace mpc::tfm
