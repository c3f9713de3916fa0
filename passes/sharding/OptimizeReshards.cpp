//===- OptimizeReshards.cpp - the same values for fewer bytes ---*- C++ -*-===//
//
// Rewrites reshards while types still prove them. A rewrite stays within one phase
// and stage: what backward gathers again is not to be kept since forward. Each one
// lowers the bits that ranks send, or keeps them and removes an op, hence it ends.
//
//===----------------------------------------------------------------------===//

#include "dialects/transformer/IR/Transformer.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/partition/ReshardTraffic.h"
#include "passes/sharding/Passes.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace mpc {

#define GEN_PASS_DEF_OPTIMIZERESHARDSPASS
#include "passes/sharding/Passes.h.inc"

namespace {

using dist::AxesAttr;
using dist::ReductionKind;
using dist::ReshardOp;
using dist::ShardingAttr;

bool contains(ShardingAttr sharding, StringAttr axis) {
  return sharding.getPartial().contains(axis) ||
         llvm::any_of(sharding.getDims(),
                      [&](AxesAttr dim) { return dim.contains(axis); });
}

bool isMax(ShardingAttr sharding) {
  return sharding.isPartial() && sharding.getReduction() == ReductionKind::Max;
}

/// Whether one reshard may do it (C3 of `dist.reshard`).
bool mayReshard(Type from, Type to) {
  ShardingAttr source = dist::getSharding(from), target = dist::getSharding(to);
  if (!target.isPartial())
    return true;
  return isMax(source) == isMax(target) &&
         (!isMax(target) || llvm::all_of(target.getPartial(), [&](auto axis) {
           return source.getPartial().contains(axis);
         }));
}

IntegerAttr getPiece(Operation *op) {
  return op->getAttrOfType<IntegerAttr>("piece");
}

/// Whether two ops run in one part of the step.
bool runTogether(Operation *a, Operation *b) {
  return a->getBlock() == b->getBlock() &&
         tfm::getPhase(a) == tfm::getPhase(b) && getPiece(a) == getPiece(b);
}

/// A reshard of `value` in the part of the step in which `op` runs.
Value reshardFor(Operation *op, OpBuilder &builder, Value value,
                 RankedTensorType type) {
  return ReshardOp::create(
      builder, op->getLoc(), type, value,
      dist::PhaseAttr::get(op->getContext(), tfm::getPhase(op)), getPiece(op));
}

/// What reshards cost; types are few, reshards many.
class Costs {
public:
  int64_t get(RankedTensorType from, RankedTensorType to) {
    auto [it, isNew] = bits.try_emplace({from, to}, 0);
    if (isNew)
      it->second = getBitsSent(from, to);
    return it->second;
  }
  int64_t get(ReshardOp reshard) {
    return get(reshard.getInput().getType(), reshard.getType());
  }

private:
  llvm::DenseMap<std::pair<Type, Type>, int64_t> bits;
};

// --------------------------------------------------- past a pointwise op

/// Whether every loop of the op runs over its one result, and none is reduced.
bool isPointwise(const ShardingRule &rule) {
  return rule.results.size() == 1 &&
         rule.results[0].dims.size() == rule.factors.size() &&
         llvm::all_of(rule.factors, [](const ShardingRule::Factor &factor) {
           return factor.kind == FactorKind::Parallel;
         });
}

/// Reshards the result of a pointwise op instead of its operands: those that are
/// resharded as `first` is. Other operands must get there locally.
class Deferral {
public:
  Deferral(Operation *op, ReshardOp first, Costs &costs)
      : op(op), rule(getShardingRule(op)),
        source(dist::getSharding(first.getInput())),
        target(dist::getSharding(first.getResult())), costs(costs) {}

  /// Decides; nothing is changed before `apply`.
  bool pays() {
    return isPointwise(rule) && collect() && mayCompute() && typeResult() &&
           cutOthers() && isCheaper();
  }

  void apply() {
    OpBuilder builder(op);
    for (auto [number, cut] : cuts)
      op->setOperand(number,
                     reshardFor(op, builder, op->getOperand(number), cut));
    for (auto [number, reshard] : deferred) {
      op->setOperand(number, reshard.getInput());
      reshard.erase();
    }
    Value result = op->getResult(0);
    auto type = cast<RankedTensorType>(result.getType());
    result.setType(carried);
    builder.setInsertionPointAfter(op);
    Value resharded = reshardFor(op, builder, result, type);
    result.replaceAllUsesExcept(resharded, resharded.getDefiningOp());
  }

private:
  bool collect() {
    for (auto [number, operand] : llvm::enumerate(op->getOperands())) {
      auto reshard = operand.getDefiningOp<ReshardOp>();
      if (!reshard || !reshard->hasOneUse() || !runTogether(reshard, op) ||
          dist::getSharding(reshard.getInput()) != source ||
          dist::getSharding(reshard.getResult()) != target)
        continue;
      if (rule.operands[number].dims != rule.results[0].dims)
        return false;
      deferred[number] = reshard;
    }
    return !deferred.empty();
  }

  /// Whether the op may take partial operands, if the reshards reduce or make any:
  /// all of a linear group. If they do not, they may not be what splits the work.
  bool mayCompute() {
    if (isMax(source))
      return false;
    if (source.getPartial() == target.getPartial()) {
      auto size = [&](ShardingAttr sharding) {
        auto type = cast<RankedTensorType>(op->getResult(0).getType());
        return cast<RankedTensorType>(
                   dist::getLocalType(dist::withSharding(type, sharding)))
            .getNumElements();
      };
      return size(source) <= size(target);
    }
    std::optional<unsigned> group = rule.getLinearGroup(deferred.front().first);
    return group && llvm::equal(llvm::make_first_range(deferred),
                                rule.linearGroups[*group]);
  }

  /// The result stays partial over what other operands bring. [C5]
  bool typeResult() {
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    SmallVector<StringAttr> partial(source.getPartial().getNames());
    for (StringAttr axis : dist::getSharding(type).getPartial()) {
      if (target.getPartial().contains(axis))
        continue;
      if (contains(source, axis))
        return false; // As C2 and C4 want it.
      partial.push_back(axis);
    }
    carried = dist::withSharding(
        type, source.withPartial(partial, ReductionKind::Sum));
    return true;
  }

  bool cutOthers() {
    ArrayRef<unsigned> factors = rule.results[0].dims;
    for (auto [number, operand] : llvm::enumerate(op->getOperands())) {
      if (deferred.contains(number))
        continue;
      auto type = cast<RankedTensorType>(operand.getType());
      ShardingAttr sharding = dist::getSharding(type);
      SmallVector<AxesAttr> dims;
      for (unsigned factor : rule.operands[number].dims)
        dims.push_back(
            source.getDims()[llvm::find(factors, factor) - factors.begin()]);
      auto cut = dist::withSharding(
          type, ShardingAttr::get(op->getContext(), sharding.getMesh(), dims,
                                  sharding.getPartial(),
                                  sharding.getReduction()));
      if (costs.get(type, cut) != 0)
        return false;
      cuts[number] = cut;
    }
    return true;
  }

  bool isCheaper() {
    int64_t before = 0;
    for (auto [number, reshard] : deferred)
      before += costs.get(reshard);
    Value result = op->getResult(0);
    auto wanted = cast<RankedTensorType>(result.getType());
    // A reshard that follows will be one with that of the result.
    if (result.hasOneUse())
      if (auto next = dyn_cast<ReshardOp>(*result.user_begin());
          next && runTogether(op, next)) {
        before += costs.get(next);
        wanted = next.getType();
      }
    return costs.get(carried, wanted) < before;
  }

  Operation *op;
  const ShardingRule &rule;
  ShardingAttr source, target;
  Costs &costs;
  /// By operand number: reshards that go, and what other operands become.
  llvm::SmallMapVector<unsigned, ReshardOp, 2> deferred;
  llvm::SmallMapVector<unsigned, RankedTensorType, 2> cuts;
  RankedTensorType carried;
};

// ------------------------------------------------------------------ pass

class OptimizeReshardsPass
    : public impl::OptimizeReshardsPassBase<OptimizeReshardsPass> {
public:
  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>())
      for (Block &block : function.getBody())
        while (runOnce(block)) {
        }
  }

private:
  /// Whether anything changed. An op is erased only once it has been visited.
  bool runOnce(Block &block) {
    SmallVector<Operation *> ops(llvm::make_pointer_range(block));
    bool hasChanged = false;
    for (Operation *op : ops)
      if (auto reshard = dyn_cast<ReshardOp>(op))
        hasChanged |= simplify(reshard);
      else if (isa<ShardingRuleOpInterface>(op))
        hasChanged |= defer(op);
    return hasChanged;
  }

  bool simplify(ReshardOp reshard) {
    if (reshard.use_empty()) {
      reshard.erase();
      return true;
    }
    if (reshard.getInput().getType() == reshard.getType())
      return replace(reshard, reshard.getInput());
    return skipMiddle(reshard) || takeFromSibling(reshard);
  }

  static bool replace(ReshardOp reshard, Value value) {
    reshard.replaceAllUsesWith(value);
    reshard.erase();
    return true;
  }

  /// There and on is one way, unless the detour is cheaper.
  bool skipMiddle(ReshardOp reshard) {
    auto middle = reshard.getInput().getDefiningOp<ReshardOp>();
    if (!middle || !middle->hasOneUse() || !runTogether(middle, reshard))
      return false;
    RankedTensorType from = middle.getInput().getType(), to = reshard.getType();
    if (!mayReshard(from, to) ||
        costs.get(from, to) > costs.get(middle) + costs.get(reshard))
      return false;
    reshard.getInputMutable().assign(middle.getInput());
    middle.erase();
    return true;
  }

  /// Another reshard of the same value has this one's result, or holds it whole.
  bool takeFromSibling(ReshardOp reshard) {
    for (Operation *user : reshard.getInput().getUsers()) {
      auto sibling = dyn_cast<ReshardOp>(user);
      if (!sibling || sibling == reshard || !runTogether(sibling, reshard))
        continue;
      bool isEarlier = sibling->isBeforeInBlock(reshard);
      if (sibling.getType() == reshard.getType()) {
        if (isEarlier)
          return replace(reshard, sibling);
        continue; // It is replaced when its turn comes.
      }
      if (costs.get(reshard) == 0 ||
          !mayReshard(sibling.getType(), reshard.getType()) ||
          costs.get(sibling.getType(), reshard.getType()) != 0)
        continue;
      if (!isEarlier)
        sibling->moveBefore(reshard);
      reshard.getInputMutable().assign(sibling);
      return true;
    }
    return false;
  }

  bool defer(Operation *op) {
    for (Value operand : op->getOperands())
      if (auto reshard = operand.getDefiningOp<ReshardOp>())
        if (Deferral deferral(op, reshard, costs); deferral.pays()) {
          deferral.apply();
          return true;
        }
    return false;
  }

  Costs costs;
};

} // namespace
} // namespace mpc
