//===- DecomposePointwise.cpp - elementwise ops as linalg -----------------===//

#include "dialects/transformer/IR/LinalgBuilder.h"
#include "dialects/transformer/IR/Transformer.h"
#include <cmath>

using namespace mlir;

namespace mpc::tfm {

/// result[i...] = body(operands[i...]); an operand of rank 0 is the same for
/// every element.
static SmallVector<Value> mapElements(Operation *op, OpBuilder &builder,
                                      ValueRange operands,
                                      LinalgBuilder::Body body) {
  SmallVector<Dims> dims;
  auto addAll = [&](TypeRange types) {
    for (Type type : types)
      dims.push_back(dimsBetween(0, cast<RankedTensorType>(type).getRank()));
  };
  addAll(operands.getTypes());
  addAll(op->getResultTypes());
  return {LinalgBuilder(builder, op->getLoc())
              .map(dims, operands, op->getResult(0).getType(), body)};
}

static Scalar add(ArrayRef<Scalar> in) { return in[0] + in[1]; }

SmallVector<Value> AddOp::decompose(OpBuilder &builder, ValueRange operands) {
  return mapElements(*this, builder, operands, add);
}

SmallVector<Value> AccumulateOp::decompose(OpBuilder &builder,
                                           ValueRange operands) {
  return mapElements(*this, builder, operands, add);
}

SmallVector<Value> CastOp::decompose(OpBuilder &builder, ValueRange operands) {
  return mapElements(*this, builder, operands,
                     [](ArrayRef<Scalar> in) { return in[0]; });
}

SmallVector<Value> ScaleOp::decompose(OpBuilder &builder, ValueRange operands) {
  return mapElements(*this, builder, operands,
                     [](ArrayRef<Scalar> in) { return in[0] * in[1]; });
}

// tanh(kTanhScale · (x + kTanhCube · x³))
static const double kTanhScale = std::sqrt(2.0 / M_PI);
static constexpr double kTanhCube = 0.044715;

SmallVector<Value> GeluOp::decompose(OpBuilder &builder, ValueRange operands) {
  return mapElements(*this, builder, operands, [&](ArrayRef<Scalar> in) {
    Scalar x = in[0];
    if (getForm() == GeluForm::Erf)
      return 0.5 * x * (erf(x * M_SQRT1_2) + 1.0);
    Scalar inner = kTanhScale * (x + kTanhCube * (x * x * x));
    return 0.5 * x * (tanh(inner) + 1.0);
  });
}

SmallVector<Value> GeluGradOp::decompose(OpBuilder &builder,
                                         ValueRange operands) {
  return mapElements(*this, builder, operands, [&](ArrayRef<Scalar> in) {
    Scalar grad = in[0], x = in[1];
    if (getForm() == GeluForm::Erf) {
      // The distribution function and the density of a standard normal.
      Scalar below = 0.5 * (erf(x * M_SQRT1_2) + 1.0);
      Scalar density = (1 / std::sqrt(2 * M_PI)) * exp(-0.5 * (x * x));
      return grad * (below + x * density);
    }
    Scalar t = tanh(kTanhScale * (x + kTanhCube * (x * x * x)));
    Scalar slope = kTanhScale * (3 * kTanhCube * (x * x) + 1.0);
    return grad * (0.5 * (t + 1.0) + 0.5 * x * (1.0 - t * t) * slope);
  });
}

SmallVector<Value> ReluOp::decompose(OpBuilder &builder, ValueRange operands) {
  return mapElements(*this, builder, operands, [](ArrayRef<Scalar> in) {
    return max(in[0], in[0].like(0));
  });
}

SmallVector<Value> ReluGradOp::decompose(OpBuilder &builder,
                                         ValueRange operands) {
  return mapElements(*this, builder, operands, [](ArrayRef<Scalar> in) {
    return select(in[1] > 0.0, in[0], in[0].like(0));
  });
}

static Scalar sigmoid(Scalar x) { return 1.0 / (exp(-1.0 * x) + 1.0); }

SmallVector<Value> SiluOp::decompose(OpBuilder &builder, ValueRange operands) {
  return mapElements(*this, builder, operands, [](ArrayRef<Scalar> in) {
    return in[0] * sigmoid(in[0]);
  });
}

SmallVector<Value> SiluGradOp::decompose(OpBuilder &builder,
                                         ValueRange operands) {
  return mapElements(*this, builder, operands, [](ArrayRef<Scalar> in) {
    Scalar grad = in[0], x = in[1], s = sigmoid(x);
    return grad * s * (x * (1.0 - s) + 1.0);
  });
}

SmallVector<Value> ResidualOp::decompose(OpBuilder &, ValueRange operands) {
  return {operands[0]};
}

SmallVector<Value> BroadcastOp::decompose(OpBuilder &builder,
                                          ValueRange operands) {
  return mapElements(*this, builder, operands,
                     [](ArrayRef<Scalar> in) { return in[0]; });
}

} // namespace mpc::tfm
