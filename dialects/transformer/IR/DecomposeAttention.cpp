//===- DecomposeAttention.cpp - attention with explicit scores as linalg --===//
//
// What the blocked attention of the runtime is compared with. Loops: b batch,
// s queries, t keys, k key-value heads, g query heads of each, d head size.
//
//===----------------------------------------------------------------------===//

#include "dialects/transformer/IR/Dropping.h"
#include "dialects/transformer/IR/LinalgBuilder.h"
#include "dialects/transformer/IR/Masking.h"
#include "dialects/transformer/IR/Transformer.h"

using namespace mlir;

namespace mpc::tfm {

namespace {

/// The operands and settings that forward and backward share, and the values
/// per (query, key) that both compute. `layout` is the order of their loops.
template <typename OpTy> class Scores {
public:
  using Adaptor = typename OpTy::Adaptor;

  Scores(LinalgBuilder &b, OpTy op, Adaptor in, std::string layout)
      : b(b), op(op), in(in), layout(std::move(layout)) {
    SmallVector<int64_t> sizes;
    for (char loop : this->layout)
      sizes.push_back(sizeOf(loop));
    type = RankedTensorType::get(sizes, Float32Type::get(op.getContext()));
  }

  /// Σ_d a[b,s,k,g,d] · c[b,t,k,d], of each query and key.
  Value products(Value a, Value c) {
    return b.sum("bskgd, btkd -> " + layout, {a, c}, type,
                 [](ArrayRef<Scalar> in) { return in[0] * in[1]; });
  }

  /// Σ_d a[b,s,k,g,d] · c[b,s,k,g,d], repeated for each key.
  Value rowProducts(Value a, Value c) {
    return b.sum("bskgd, bskgd -> " + layout, {a, c}, type,
                 [](ArrayRef<Scalar> in) { return in[0] * in[1]; });
  }

  /// The values, but `instead` where the key is masked.
  Value masked(Value values, double instead) {
    return b.map(layout + ", bs, bt -> " + layout,
                 {values, in.getQueryPositions(), in.getKeyPositions()}, type,
                 [&](ArrayRef<Scalar> in) {
                   return maskElement(in[0], in[1], in[2], op.getCausal(),
                                      instead);
                 });
  }

  /// Each value dropped, or kept and scaled.
  Value dropped(Value values) {
    if (op.getRate().isZero())
      return values;
    return b.map(layout + ", , b, kg, bs, bt -> " + layout,
                 {values, in.getSeed(), in.getSamples(), in.getHeads(),
                  in.getQueryPositions(), in.getKeyPositions()},
                 type, [&](ArrayRef<Scalar> in) {
                   Scalar hash = hashPlace(in[1], op.getKey(),
                                           {in[2], in[3], in[4], in[5]});
                   return dropElement(in[0], hash, op.getRate());
                 });
  }

  Value scaled(Value scores, double scale) {
    return b.map(layout + " -> " + layout, scores, type,
                 [&](ArrayRef<Scalar> in) { return in[0] * scale; });
  }

  const std::string &getLayout() const { return layout; }
  Type getType() const { return type; }

private:
  int64_t sizeOf(char loop) {
    ArrayRef<int64_t> q = op.getQ().getType().getShape();
    switch (loop) {
    case 'b':
      return q[0];
    case 's':
      return q[1];
    case 'k':
      return q[2];
    case 'g':
      return q[3];
    case 't':
      return op.getK().getType().getDimSize(1);
    }
    llvm_unreachable("not a loop of the scores");
  }

  LinalgBuilder &b;
  OpTy op;
  Adaptor in;
  std::string layout;
  RankedTensorType type;
};

} // namespace

/// The shift of a softmax: the row's largest score, 0 where all are masked.
static Scalar shift(Scalar max) {
  Scalar none = max.like(-std::numeric_limits<double>::infinity());
  return select(max == none, max.like(0), max);
}

SmallVector<Value> AttentionOp::decompose(OpBuilder &builder,
                                          ValueRange operands) {
  LinalgBuilder b(builder, getLoc());
  Adaptor in(operands, *this);
  Scores<AttentionOp> all(b, *this, in, "bskgt");
  Type row = getLogsumexp().getType();
  double scale = getScale().convertToDouble();
  double none = -std::numeric_limits<double>::infinity();

  Value scores =
      all.masked(all.scaled(all.products(in.getQ(), in.getK()), scale), none);
  Value max = b.largest("bskgt -> bskg", scores, row,
                        [](ArrayRef<Scalar> in) { return in[0]; });
  Value exps =
      b.map("bskgt, bskg -> bskgt", {scores, max}, all.getType(),
            [](ArrayRef<Scalar> in) { return exp(in[0] - shift(in[1])); });
  Value sum = b.sum("bskgt -> bskg", exps, row,
                    [](ArrayRef<Scalar> in) { return in[0]; });
  Value logsumexp =
      b.map("bskg, bskg -> bskg", {sum, max}, row, [&](ArrayRef<Scalar> in) {
        return select(in[0] > 0.0, log(in[0]) + in[1], in[0].like(none));
      });
  Value probabilities =
      b.map("bskgt, bskg -> bskgt", {exps, sum}, all.getType(),
            [](ArrayRef<Scalar> in) {
              return select(in[1] > 0.0, in[0] / in[1], in[0].like(0));
            });
  Value out = b.sum("bskgt, btkd -> bskgd",
                    {all.dropped(probabilities), in.getV()}, getOut().getType(),
                    [](ArrayRef<Scalar> in) { return in[0] * in[1]; });
  return {out, logsumexp};
}

SmallVector<Value> AttentionGradOp::decompose(OpBuilder &builder,
                                              ValueRange operands) {
  LinalgBuilder b(builder, getLoc());
  Adaptor in(operands, *this);
  double scale = getScale().convertToDouble();
  auto product = [](ArrayRef<Scalar> in) { return in[0] * in[1]; };
  auto probabilities = [&](Scores<AttentionGradOp> &all) {
    Value scores = all.scaled(all.products(in.getQ(), in.getK()), scale);
    Value exps = b.map(all.getLayout() + ", bskg -> " + all.getLayout(),
                       {scores, in.getLogsumexp()}, all.getType(),
                       [](ArrayRef<Scalar> in) { return exp(in[0] - in[1]); });
    return all.masked(exps, 0);
  };
  auto scoreGrads = [&](Scores<AttentionGradOp> &all, Value probabilities) {
    Value grads = all.dropped(all.products(in.getOutGrad(), in.getV()));
    Value shared = all.rowProducts(in.getOutGrad(), in.getOut());
    const std::string &l = all.getLayout();
    return b.map(
        l + ", " + l + ", " + l + " -> " + l, {probabilities, grads, shared},
        all.getType(),
        [&](ArrayRef<Scalar> in) { return in[0] * (in[1] - in[2]) * scale; });
  };

  // Queries' gradients sum over keys, keys' over queries: each has its rows, so
  // the scores are computed for both.
  Scores<AttentionGradOp> byQuery(b, *this, in, "bskgt");
  Value queryScoreGrads = scoreGrads(byQuery, probabilities(byQuery));
  Value qGrad = b.sum("bskgt, btkd -> bskgd", {queryScoreGrads, in.getK()},
                      getQGrad().getType(), product);

  Scores<AttentionGradOp> byKey(b, *this, in, "btksg");
  Value keyProbabilities = probabilities(byKey);
  Value keyScoreGrads = scoreGrads(byKey, keyProbabilities);
  Value kGrad = b.sum("btksg, bskgd -> btkd", {keyScoreGrads, in.getQ()},
                      getKGrad().getType(), product);
  Value vGrad = b.sum("btksg, bskgd -> btkd",
                      {byKey.dropped(keyProbabilities), in.getOutGrad()},
                      getVGrad().getType(), product);
  return {qGrad, kGrad, vGrad};
}

} // namespace mpc::tfm
