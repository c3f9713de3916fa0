//===- AssignStages.cpp - which piece each op is in -------------*- C++ -*-===//
//
// Done on the forward pass: gradients are in the piece of what they differentiate.
//
//===----------------------------------------------------------------------===//

#include "passes/pipeline/Passes.h"
#include "passes/planning/Passes.h"
#include "passes/training/Layers.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace mpc {

#define GEN_PASS_DEF_ASSIGNSTAGESPASS
#include "passes/pipeline/Passes.h.inc"

namespace {

/// Multiplications of an op; only the ratios of layers to one another matter, and
/// nearly all of them are in products.
double countMultiplications(Operation *op) {
  auto elements = [](Value value) -> double {
    return cast<RankedTensorType>(value.getType()).getNumElements();
  };
  if (auto linear = dyn_cast<tfm::LinearOp>(op)) {
    auto out = cast<RankedTensorType>(linear.getOut().getType());
    return elements(linear.getW()) * out.getDimSize(0) * out.getDimSize(1);
  }
  if (auto attention = dyn_cast<tfm::AttentionOp>(op))
    return 2 * elements(attention.getQ()) *
           cast<RankedTensorType>(attention.getK().getType()).getDimSize(1);
  return 0;
}

/// Layers of each of `pieces`, in order: the largest cost is as small as can be,
/// preferring a small sum of squares. `costs` are those of the layers; the first piece has
/// `before` as well, the last `after`.
SmallVector<int64_t> balance(ArrayRef<double> costs, double before,
                             double after, int64_t pieces) {
  using Score = std::pair<double, double>;
  int64_t layers = costs.size();
  SmallVector<double> sums = {0};
  for (double cost : costs)
    sums.push_back(sums.back() + cost);
  // best[i]: of the pieces so far, with i layers; taken: those of the last one.
  SmallVector<Score> best(layers + 1, Score(HUGE_VAL, HUGE_VAL));
  SmallVector<SmallVector<int64_t>> taken;
  best[0] = {0, 0};
  for (int64_t piece = 0; piece != pieces; ++piece) {
    SmallVector<Score> next(layers + 1, Score(HUGE_VAL, HUGE_VAL));
    SmallVector<int64_t> &counts = taken.emplace_back(layers + 1, 0);
    for (int64_t end = 0; end <= layers; ++end)
      for (int64_t begin = 0; begin <= end; ++begin) {
        double cost = sums[end] - sums[begin] + (piece == 0 ? before : 0) +
                      (piece == pieces - 1 ? after : 0);
        Score score(std::max(best[begin].first, cost),
                    best[begin].second + cost * cost);
        if (score < next[end]) {
          next[end] = score;
          counts[end] = end - begin;
        }
      }
    best = next;
  }
  SmallVector<int64_t> result(pieces);
  for (int64_t piece = pieces, end = layers; piece-- > 0; end -= result[piece])
    result[piece] = taken[piece][end];
  return result;
}

struct AssignStagesPass : impl::AssignStagesPassBase<AssignStagesPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    strategy = tfm::getStrategy(module);
    if (!strategy || strategy.getPp() == 1)
      return;
    if (failed(verifyStrategy(strategy, module.getLoc())))
      return signalPassFailure();
    auto forward = module.lookupSymbol<func::FuncOp>(tfm::kForward);
    if (!forward) {
      module.emitError("has no @") << tfm::kForward << " to cut into stages";
      return signalPassFailure();
    }
    LayerBlocks layers = findLayers(forward);
    if (failed(choosePieces(layers)))
      return signalPassFailure();
    for (auto [op, block] : layers.ops)
      tfm::setPiece(op, pieceOf[block]);
  }

private:
  LogicalResult choosePieces(const LayerBlocks &model) {
    int64_t layers = model.layerCount;
    int64_t pieces = strategy.getPp() * strategy.getChunks();
    if (layers == 0)
      return getOperation().emitError()
             << "has no layers that pp=" << strategy.getPp()
             << " stages could share; expected tfm.residual ops with `layer`";
    SmallVector<double> costs(layers + 2, 0);
    for (auto [op, block] : model.ops)
      costs[block] += countMultiplications(op);
    SmallVector<int64_t> counts;
    if (DenseI64ArrayAttr given = strategy.getStages()) {
      counts.assign(given.asArrayRef().begin(), given.asArrayRef().end());
      int64_t sum = 0;
      bool isNegative = false;
      for (int64_t count : counts) {
        sum += count;
        isNegative |= count < 0;
      }
      if (isNegative || sum != layers)
        return getOperation().emitError()
               << "stages gives " << sum << " layers to "
               << counts.size() << " pieces; expected the model's " << layers
               << ", none of them negative";
    } else {
      counts = balance(ArrayRef(costs).slice(1, layers), costs.front(),
                       costs.back(), pieces);
    }
    pieceOf = {0};
    std::string text;
    for (auto [piece, count] : llvm::enumerate(counts)) {
      pieceOf.append(count, piece);
      text += (piece ? "," : "") + std::to_string(count);
    }
    pieceOf.push_back(pieces - 1);
    tfm::addRemark(getOperation(), "layers of the pieces of the pipeline, in "
                                   "depth order: " +
                                       text);
    reportBalance(costs);
    return success();
  }

  /// What a stage multiplies beside the mean of all: the largest is how much longer a
  /// microbatch takes than if the work were even.
  void reportBalance(ArrayRef<double> costs) {
    SmallVector<double> ofStage(strategy.getPp(), 0);
    double total = 0;
    for (auto [block, cost] : llvm::enumerate(costs)) {
      ofStage[pieceOf[block] % strategy.getPp()] += cost;
      total += cost;
    }
    if (total == 0)
      return;
    std::string text;
    for (auto [stage, cost] : llvm::enumerate(ofStage))
      text += llvm::formatv("{0}{1:f2}", stage ? ", " : "",
                            cost * strategy.getPp() / total)
                  .str();
    tfm::addRemark(getOperation(),
                   "multiplications of the stages, the mean being 1: " + text);
  }

  tfm::StrategyAttr strategy;
  /// By block.
  SmallVector<int64_t> pieceOf;
};

} // namespace
} // namespace mpc
