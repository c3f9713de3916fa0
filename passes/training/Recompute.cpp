//===- Recompute.cpp - activations computed a second time -------*- C++ -*-===//
//
// Trades operations for memory (Chen et al. 2016; Korthikanti et al. 2022): what
// backward reads of a layer is cloned in front of the layer's backward ops, so that
// the original need not live until then.
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/IRMapping.h"
#include "passes/training/Layers.h"
#include "passes/training/Passes.h"
#include "passes/training/RecomputeModes.h"

using namespace mlir;

namespace mpc {

#define GEN_PASS_DEF_RECOMPUTEPASS
#include "passes/training/Passes.h.inc"

namespace {

/// Whether a layer in this mode computes the results of `op` again; `hasScores` says
/// that its attention is unfused. The stream that enters a layer is always kept.
bool isRecomputed(Operation *op, RecomputeMode mode, bool hasScores) {
  if (auto residual = dyn_cast<tfm::ResidualOp>(op))
    if (residual.getLayer())
      return false;
  switch (mode) {
  case RecomputeMode::None:
    return false;
  case RecomputeMode::Selective:
    // What has an element for each query and key, where there is any: it is the most
    // memory for the fewest operations.
    if (hasScores)
      return isa<tfm::AttentionScoresOp, tfm::MaskedSoftmaxOp,
                 tfm::AttentionDropoutOp>(op);
    return isa<tfm::LayerNormOp, tfm::GeluOp, tfm::ReluOp, tfm::SiluOp,
               tfm::DropoutOp>(op);
  case RecomputeMode::Full:
    return true;
  }
  llvm_unreachable("mode of another version");
}

/// The backward part of one layer.
class LayerRecomputer {
public:
  explicit LayerRecomputer(ArrayRef<Operation *> recomputed)
      : recomputed(recomputed),
        isOfLayer(recomputed.begin(), recomputed.end()) {}

  void run() {
    llvm::DenseSet<Operation *> needed;
    Operation *first = nullptr;
    SmallVector<OpOperand *> uses;
    for (Operation *op : recomputed)
      for (OpOperand &use : op->getUses()) {
        Operation *user = use.getOwner();
        if (tfm::getPhase(user) == dist::Phase::Forward ||
            user->hasTrait<OpTrait::IsTerminator>())
          continue;
        uses.push_back(&use);
        need(op, needed);
        if (!first || user->isBeforeInBlock(first))
          first = user;
      }
    if (!first)
      return;
    OpBuilder builder(first);
    IRMapping mapping;
    for (Operation *op : recomputed)
      if (needed.contains(op))
        tfm::setPhase(builder.clone(*op, mapping), dist::Phase::Recompute);
    for (OpOperand *use : uses)
      use->set(mapping.lookup(use->get()));
  }

private:
  void need(Operation *op, llvm::DenseSet<Operation *> &needed) {
    if (!isOfLayer.contains(op) || !needed.insert(op).second)
      return;
    for (Value operand : op->getOperands())
      if (Operation *source = operand.getDefiningOp())
        need(source, needed);
  }

  ArrayRef<Operation *> recomputed;
  llvm::DenseSet<Operation *> isOfLayer;
};

struct RecomputePass : impl::RecomputePassBase<RecomputePass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    tfm::StrategyAttr strategy = tfm::getStrategy(module);
    auto function = module.lookupSymbol<func::FuncOp>(tfm::kForwardBackward);
    if (!strategy || !strategy.getRecompute() || !function)
      return;
    LayerBlocks layers = findLayers(function);
    if (layers.layerCount == 0) {
      module.emitError("has no layers to compute again; expected tfm.residual "
                       "ops with `layer`");
      return signalPassFailure();
    }
    FailureOr<SmallVector<RecomputeMode>> modes =
        parseRecomputeModes(strategy.getRecompute(), layers.layerCount,
                            module.getLoc());
    if (failed(modes))
      return signalPassFailure();
    bool hasScores = strategy.getAttention() &&
                     strategy.getAttention() == "unfused";
    SmallVector<SmallVector<Operation *>> recomputed(layers.layerCount);
    for (auto [op, block] : layers.ops)
      if (block >= 1 && block <= layers.layerCount &&
          isRecomputed(op, (*modes)[block - 1], hasScores))
        recomputed[block - 1].push_back(op);
    for (ArrayRef<Operation *> layer : recomputed)
      LayerRecomputer(layer).run();
  }
};

} // namespace
} // namespace mpc
