//===- KernelGroups.cpp - ops that become one kernel ------------*- C++ -*-===//
//
// Ops are visited in program order and merged into the groups of their producers.
// Groups stay free of cycles: two are not merged if a path leads from one to the
// other through a third.
//
//===----------------------------------------------------------------------===//

#include "passes/lowering/KernelGroups.h"

#include "dialects/transformer/IR/Transformer.h"
#include "passes/lowering/Products.h"

using namespace mlir;

namespace mpc {

/// Only ops this near to each other in the program are merged: a value is better
/// computed near its use, and the search for cycles stays short.
static constexpr int64_t kWindow = 64;
static constexpr size_t kMaximalRows = 2;

static bool isReference(Operation *op) {
  tfm::StrategyAttr strategy =
      tfm::getStrategy(op->getParentOfType<ModuleOp>());
  return strategy && strategy.getReference();
}

bool isKernelOp(Operation *op) {
  if (!isa_and_present<tfm::TfmDialect>(op->getDialect()))
    return false;
  if (isReference(op))
    return true;
  return !isProduct(op) && !isBatchedProduct(op) &&
         !getAccumulatedProduct(op) &&
         !isa<tfm::AttentionOp, tfm::AttentionGradOp>(op);
}

namespace {

/// The factors of an op's rule that are its rows.
ArrayRef<unsigned> getRows(const ShardingRule &rule) {
  ArrayRef<unsigned> dims = rule.results.front().dims;
  auto isRow = [&](unsigned factor) {
    return rule.factors[factor].kind != FactorKind::Whole;
  };
  return dims.take_while(isRow).take_front(kMaximalRows);
}

/// Ops that share a kernel with no other: sums over all of a tensor, which have no
/// rows.
bool isAlone(const ShardingRule &rule) {
  return rule.results.front().dims.empty() && !rule.factors.empty();
}

class Grouping {
public:
  Grouping(Block &block, bool fuse) {
    for (Operation &op : block.without_terminator()) {
      unsigned node = ops.size();
      index[&op] = node;
      ops.push_back(&op);
      groupOf.push_back(node);
      groups.push_back({{node}, isKernelOp(&op)});
      if (fuse && groups[node].isKernel)
        mergeWithProducers(node);
    }
  }

  SmallVector<OpGroup> take() {
    for (unsigned node = 0; node != ops.size(); ++node)
      if (groups[groupOf[node]].nodes.back() == node)
        emit(groupOf[node]);
    return std::move(emitted);
  }

private:
  struct Group {
    /// In program order.
    SmallVector<unsigned, 2> nodes;
    bool isKernel;
    bool isEmitted = false;
  };

  std::optional<unsigned> groupOfValue(Value value) const {
    auto it = index.find(value.getDefiningOp());
    if (it == index.end())
      return std::nullopt;
    return groupOf[it->second];
  }

  template <typename FunctionT>
  void forEachProducer(unsigned group, FunctionT visit) {
    for (unsigned node : groups[group].nodes)
      for (Value operand : ops[node]->getOperands())
        if (std::optional<unsigned> producer = groupOfValue(operand);
            producer && *producer != group)
          visit(*producer);
  }

  void mergeWithProducers(unsigned node) {
    SmallVector<unsigned, 4> producers;
    forEachProducer(node,
                    [&](unsigned group) { producers.push_back(group); });
    for (unsigned producer : producers) {
      unsigned group = groupOf[node];
      // One listed twice is empty the second time.
      if (!groups[producer].nodes.empty() && canMerge(producer, group))
        merge(producer, group);
    }
  }

  bool isScatter(unsigned group) {
    return llvm::any_of(groups[group].nodes, [&](unsigned node) {
      return isa<tfm::EmbeddingGradOp>(ops[node]);
    });
  }

  /// What is computed again is left by itself: within a backward kernel its sums
  /// might be taken in another order, and it would not have the bits it had.
  bool isRecomputed(unsigned group) {
    return tfm::getPhase(ops[groups[group].nodes.front()]) ==
           dist::Phase::Recompute;
  }

  /// A scatter into a table may add to what another op has left there, and is no
  /// loop over rows otherwise.
  bool fitsScatter(unsigned a, unsigned b) {
    if (!isScatter(a) && !isScatter(b))
      return true;
    return groups[a].nodes.size() == 1 && groups[b].nodes.size() == 1 &&
           isa<tfm::AccumulateOp, tfm::AddOp>(ops[groups[b].nodes.front()]);
  }

  bool canMerge(unsigned a, unsigned b) {
    return groups[a].isKernel && groups[b].isKernel && fitsScatter(a, b) &&
           isRecomputed(a) == isRecomputed(b) &&
           groups[b].nodes.back() - groups[a].nodes.back() <= kWindow &&
           readsByRows(a, b) && readsByRows(b, a) && !reaches(a, b) &&
           !reaches(b, a);
  }

  /// Whether all that ops of `reader` read of `producer` is read by rows.
  bool readsByRows(unsigned producer, unsigned reader) {
    for (unsigned node : groups[reader].nodes) {
      Operation *op = ops[node];
      for (OpOperand &operand : op->getOpOperands())
        if (groupOfValue(operand.get()) == producer && !readsByRows(operand))
          return false;
    }
    return true;
  }

  static bool readsByRows(OpOperand &operand) {
    Operation *reader = operand.getOwner();
    Operation *producer = operand.get().getDefiningOp();
    const ShardingRule &rule = getShardingRule(reader);
    const ShardingRule &producerRule = getShardingRule(producer);
    if (isAlone(rule) || isAlone(producerRule))
      return false;
    ArrayRef<unsigned> rows = getRows(rule);
    ArrayRef<unsigned> dims = rule.operands[operand.getOperandNumber()].dims;
    return rows.size() == getRows(producerRule).size() &&
           dims.take_front(rows.size()) == rows;
  }

  /// Whether a path leads from group `from` to group `to` through others.
  bool reaches(unsigned from, unsigned to) {
    unsigned first = groups[from].nodes.front();
    llvm::SmallDenseSet<unsigned, 16> visited;
    SmallVector<unsigned, 16> worklist;
    auto enqueue = [&](unsigned group) {
      // What ends before `from` begins cannot depend on it.
      if (group != from && group != to &&
          groups[group].nodes.back() > first && visited.insert(group).second)
        worklist.push_back(group);
    };
    forEachProducer(to, enqueue);
    while (!worklist.empty()) {
      unsigned group = worklist.pop_back_val();
      bool found = false;
      forEachProducer(group, [&](unsigned producer) {
        found |= producer == from;
        enqueue(producer);
      });
      if (found)
        return true;
    }
    return false;
  }

  /// Moves all of `from` into `to`.
  void merge(unsigned from, unsigned to) {
    for (unsigned node : groups[from].nodes)
      groupOf[node] = to;
    llvm::append_range(groups[to].nodes, groups[from].nodes);
    llvm::sort(groups[to].nodes);
    groups[from].nodes.clear();
  }

  /// Emits `group` after all that it reads.
  void emit(unsigned group) {
    if (groups[group].isEmitted)
      return;
    groups[group].isEmitted = true;
    forEachProducer(group, [&](unsigned producer) { emit(producer); });
    OpGroup &result = emitted.emplace_back();
    result.isKernel = groups[group].isKernel;
    for (unsigned node : groups[group].nodes)
      result.ops.push_back(ops[node]);
  }

  SmallVector<Operation *> ops;
  llvm::DenseMap<Operation *, unsigned> index;
  /// Of each op its group; groups are numbered like ops.
  SmallVector<unsigned> groupOf;
  SmallVector<Group> groups;
  SmallVector<OpGroup> emitted;
};

} // namespace

SmallVector<OpGroup> formKernelGroups(Block &block, bool fuse) {
  return Grouping(block, fuse).take();
}

} // namespace mpc
