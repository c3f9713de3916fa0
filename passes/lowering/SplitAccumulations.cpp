//===- SplitAccumulations.cpp -----------------------------------*- C++ -*-===//
//
// The gradient of a tied table comes from the head, at the start of backward, and
// from the embedding, at its end. As one sum the first part would lie in memory
// all the while; added to the accumulator at once it needs none.
//
//===----------------------------------------------------------------------===//

#include "dialects/transformer/IR/Transformer.h"
#include "passes/lowering/Passes.h"

using namespace mlir;

namespace mpc {

#define GEN_PASS_DEF_SPLITACCUMULATIONSPASS
#include "passes/lowering/Passes.h.inc"

namespace {

/// Whether `value` is computed later in its block than `other`.
bool isLater(Value value, Value other) {
  Operation *op = value.getDefiningOp(), *otherOp = other.getDefiningOp();
  return op && (!otherOp || otherOp->isBeforeInBlock(op));
}

/// Replaces `op`, of an addend that is `sum`, by two accumulations, and returns
/// them.
std::pair<tfm::AccumulateOp, tfm::AccumulateOp> split(tfm::AccumulateOp op,
                                                      tfm::AddOp sum) {
  OpBuilder builder(op);
  auto accumulate = [&](Value accumulator, Value addend) {
    return tfm::AccumulateOp::create(builder, addend.getLoc(), op.getType(),
                                     accumulator, addend, op.getPhaseAttr(),
                                     op.getPieceAttr());
  };
  Value early = sum.getA(), late = sum.getB();
  if (isLater(early, late))
    std::swap(early, late);
  if (early.getDefiningOp() && !isLater(op.getAccumulator(), early))
    builder.setInsertionPointAfterValue(early);
  auto first = accumulate(op.getAccumulator(), early);
  builder.setInsertionPoint(op);
  auto second = accumulate(first, late);
  op.replaceAllUsesWith(second.getResult());
  op.erase();
  sum.erase();
  return {first, second};
}

struct SplitAccumulationsPass
    : impl::SplitAccumulationsPassBase<SplitAccumulationsPass> {
  void runOnOperation() override {
    SmallVector<tfm::AccumulateOp> worklist;
    getOperation().walk([&](tfm::AccumulateOp op) { worklist.push_back(op); });
    while (!worklist.empty()) {
      tfm::AccumulateOp op = worklist.pop_back_val();
      auto sum = op.getAddend().getDefiningOp<tfm::AddOp>();
      if (!sum || !sum->hasOneUse())
        continue;
      auto [first, second] = split(op, sum);
      worklist.append({first, second});
    }
  }
};

} // namespace
} // namespace mpc
