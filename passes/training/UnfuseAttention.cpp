//===- UnfuseAttention.cpp - attention with scores in memory ----*- C++ -*-===//

#include "dialects/transformer/IR/Transformer.h"
#include "passes/training/Passes.h"

using namespace mlir;

namespace mpc {

#define GEN_PASS_DEF_UNFUSEATTENTIONPASS
#include "passes/training/Passes.h.inc"

namespace {

/// Replaces `op` by its parts, which are where and when it is.
void unfuse(tfm::AttentionOp op) {
  OpBuilder builder(op);
  auto create = [&](auto tag, auto &&...args) -> Value {
    auto part = tfm::build<decltype(tag)>(builder, op.getLoc(),
                                          tfm::getPhase(op), args...);
    if (std::optional<int64_t> piece = tfm::getPiece(op))
      tfm::setPiece(part, *piece);
    return part.getResult();
  };
  RankedTensorType q = op.getQ().getType();
  ArrayRef<int64_t> shape = q.getShape();
  auto scores = RankedTensorType::get(
      {shape[0], shape[2], shape[3], shape[1], op.getK().getType().getDimSize(1)},
      q.getElementType());

  Value weights =
      create(tfm::AttentionScoresOp(), scores, op.getQ(), op.getK());
  weights = create(tfm::MaskedSoftmaxOp(), scores, weights,
                   op.getQueryPositions(), op.getKeyPositions(),
                   op.getScaleAttr(), op.getCausalAttr());
  if (!op.getRate().isZero())
    weights = create(tfm::AttentionDropoutOp(), scores, weights, op.getSeed(),
                     op.getSamples(), op.getHeads(), op.getQueryPositions(),
                     op.getKeyPositions(), op.getRateAttr(), op.getKeyAttr());
  op.getOut().replaceAllUsesWith(
      create(tfm::AttentionContextOp(), q, weights, op.getV()));
  op.erase();
}

struct UnfuseAttentionPass : impl::UnfuseAttentionPassBase<UnfuseAttentionPass> {
  void runOnOperation() override {
    tfm::StrategyAttr strategy = tfm::getStrategy(getOperation());
    if (!strategy || !strategy.getAttention() ||
        strategy.getAttention() == "fused")
      return;
    WalkResult walked = getOperation().walk([](tfm::AttentionOp op) {
      if (!op.getLogsumexp().use_empty()) {
        op.emitOpError("has a logsumexp that is read, expected only out to be: "
                       "unfused attention makes no logsumexp");
        return WalkResult::interrupt();
      }
      unfuse(op);
      return WalkResult::advance();
    });
    if (walked.wasInterrupted())
      signalPassFailure();
  }
};

} // namespace
} // namespace mpc
