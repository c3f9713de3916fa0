//===- DecomposeNorm.cpp - layer norm and its gradients as linalg ---------===//

#include "dialects/transformer/IR/LinalgBuilder.h"
#include "dialects/transformer/IR/Transformer.h"

using namespace mlir;

namespace mpc::tfm {

SmallVector<Value> LayerNormOp::decompose(OpBuilder &builder,
                                          ValueRange operands) {
  LinalgBuilder b(builder, getLoc());
  Value x = operands[0], weight = operands[1], bias = operands[2];
  Type row = getMean().getType();
  double count = getX().getType().getShape().back();
  double epsilon = getEpsilon().convertToDouble();
  Value sum =
      b.sum("bsh -> bs", x, row, [](ArrayRef<Scalar> in) { return in[0]; });
  Value mean = b.map("bs -> bs", sum, row, [&](ArrayRef<Scalar> in) {
    return in[0] * (1.0 / count);
  });
  Value squares =
      b.sum("bsh, bs -> bs", {x, mean}, row, [](ArrayRef<Scalar> in) {
        Scalar difference = in[0] - in[1];
        return difference * difference;
      });
  Value rstd = b.map("bs -> bs", squares, row, [&](ArrayRef<Scalar> in) {
    return 1.0 / sqrt(in[0] * (1.0 / count) + epsilon);
  });
  Value out = b.map("bsh, bs, bs, h, h -> bsh", {x, mean, rstd, weight, bias},
                    getOut().getType(), [](ArrayRef<Scalar> in) {
                      return (in[0] - in[1]) * in[2] * in[3] + in[4];
                    });
  return {out, mean, rstd};
}

SmallVector<Value> LayerNormInputGradOp::decompose(OpBuilder &builder,
                                                   ValueRange operands) {
  LinalgBuilder b(builder, getLoc());
  Value outGrad = operands[0], x = operands[1], weight = operands[2],
        mean = operands[3], rstd = operands[4];
  Type row = getMean().getType();
  double count = getX().getType().getShape().back();
  Value direct = b.sum("bsh, h -> bs", {outGrad, weight}, row,
                       [](ArrayRef<Scalar> in) { return in[0] * in[1]; });
  Value along =
      b.sum("bsh, h, bsh, bs, bs -> bs", {outGrad, weight, x, mean, rstd}, row,
            [](ArrayRef<Scalar> in) {
              return in[0] * in[1] * ((in[2] - in[3]) * in[4]);
            });
  return {b.map("bsh, h, bsh, bs, bs, bs, bs -> bsh",
                {outGrad, weight, x, mean, rstd, direct, along}, getType(),
                [&](ArrayRef<Scalar> in) {
                  Scalar normal = (in[2] - in[3]) * in[4];
                  Scalar directMean = in[5] * (1.0 / count);
                  Scalar alongMean = in[6] * (1.0 / count);
                  return in[4] *
                         (in[0] * in[1] - directMean - normal * alongMean);
                })};
}

SmallVector<Value> LayerNormParamGradOp::decompose(OpBuilder &builder,
                                                   ValueRange operands) {
  LinalgBuilder b(builder, getLoc());
  Value outGrad = operands[0];
  Value weightGrad = b.sum(
      "bsh, bsh, bs, bs -> h", operands, getWeightGrad().getType(),
      [](ArrayRef<Scalar> in) { return in[0] * ((in[1] - in[2]) * in[3]); });
  Value biasGrad = b.sum("bsh -> h", outGrad, getBiasGrad().getType(),
                         [](ArrayRef<Scalar> in) { return in[0]; });
  return {weightGrad, biasGrad};
}

} // namespace mpc::tfm
