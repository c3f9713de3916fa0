//===- ShardingRuleVerifier.cpp - C1 to C6 ----------------------*- C++ -*-===//
//
// Checks the types of an op against its rule. This is where a missing, doubled
// or misplaced reduction becomes a type error.
//
//===----------------------------------------------------------------------===//

#include "dialects/dist/IR/Dist.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace mpc {

namespace {

using dist::AxesAttr;
using dist::ReductionKind;
using dist::ShardingAttr;

std::string quoted(ArrayRef<StringAttr> axes) {
  std::string text = "{";
  for (auto [i, axis] : llvm::enumerate(axes))
    text += (i ? ", \"" : "\"") + axis.getValue().str() + "\"";
  return text + "}";
}

/// The check of one op. `tensors` are its operands, then its results.
class Verifier {
public:
  explicit Verifier(Operation *op) : op(op), rule(getShardingRule(op)) {}

  LogicalResult run() {
    if (op->getNumOperands() != rule.operands.size() ||
        op->getNumResults() != rule.results.size())
      return op->emitOpError("has ")
             << op->getNumOperands() << " operands and " << op->getNumResults()
             << " results, its sharding rule " << rule.operands.size()
             << " and " << rule.results.size();
    if (failed(collect()) || failed(verifySizes()))
      return failure();
    if (llvm::none_of(tensors, [](const Entry &e) { return !!e.sharding; }))
      return success(); // The global form before spreading, or the local one.
    if (failed(verifyAllSharded()) || failed(verifyFactors()) ||
        failed(verifyAxesOfFactors()) || failed(verifyPartialOperands()))
      return failure();
    return verifyPartialResults();
  }

private:
  struct Entry {
    const ShardingRule::Tensor *rule;
    RankedTensorType type;
    ShardingAttr sharding;
    bool isResult;
    unsigned index;
  };

  LogicalResult collect() {
    auto add = [&](Type type, const ShardingRule::Tensor &tensor, bool isResult,
                   unsigned index) -> LogicalResult {
      auto ranked = dyn_cast<RankedTensorType>(type);
      if (!ranked || !ranked.hasStaticShape())
        return op->emitOpError()
               << (isResult ? "result '" : "operand '") << tensor.name
               << "' has type " << type << ", expected a ranked static tensor";
      tensors.push_back(
          {&tensor, ranked, dist::getSharding(ranked), isResult, index});
      return success();
    };
    for (auto [i, type] : llvm::enumerate(op->getOperandTypes()))
      if (failed(add(type, rule.operands[i], false, i)))
        return failure();
    for (auto [i, type] : llvm::enumerate(op->getResultTypes()))
      if (failed(add(type, rule.results[i], true, i)))
        return failure();
    return success();
  }

  InFlightDiagnostic emitAt(const Entry &entry) {
    return op->emitOpError() << (entry.isResult ? "result '" : "operand '")
                             << entry.rule->name << "' ";
  }

  LogicalResult verifySizes() {
    SmallVector<int64_t> sizes(rule.factors.size(), -1);
    for (const Entry &entry : tensors) {
      if (entry.type.getRank() != (int64_t)entry.rule->dims.size())
        return emitAt(entry) << "has rank " << entry.type.getRank()
                             << ", expected " << entry.rule->dims.size();
      for (auto [dim, factor] : llvm::enumerate(entry.rule->dims)) {
        int64_t size = entry.type.getDimSize(dim);
        if (sizes[factor] < 0)
          sizes[factor] = size;
        else if (sizes[factor] != size)
          return emitAt(entry)
                 << "has size " << size << " in dimension " << dim
                 << " (factor '" << rule.factors[factor].name
                 << "'), expected " << sizes[factor];
      }
    }
    return success();
  }

  LogicalResult verifyAllSharded() {
    for (const Entry &entry : tensors) {
      if (!entry.sharding)
        return emitAt(entry)
               << "has no sharding, other operands or results do";
      if (!mesh)
        mesh = entry.sharding.getMesh();
      if (entry.sharding.getMesh() != mesh)
        return emitAt(entry) << "is sharded over " << entry.sharding.getMesh()
                             << ", expected " << mesh;
      // Types that a pass makes with get() have not been verified.
      if (entry.sharding.getDims().size() != entry.rule->dims.size())
        return emitAt(entry)
               << "has a sharding of " << entry.sharding.getDims().size()
               << " dimensions, expected " << entry.rule->dims.size();
      if (failed(verifyDivides(entry)))
        return failure();
    }
    return success();
  }

  LogicalResult verifyDivides(const Entry &entry) { // C6
    for (auto [axes, size, factor] :
         llvm::zip_equal(entry.sharding.getDims(), entry.type.getShape(),
                         entry.rule->dims)) {
      int64_t pieces = mesh.getGroupSize(axes);
      if (size % pieces != 0)
        return emitAt(entry)
               << "splits factor '" << rule.factors[factor].name << "' over "
               << quoted(axes.getNames()) << ": its size " << size
               << " does not divide into " << pieces << " pieces [C6]";
    }
    return success();
  }

  LogicalResult verifyFactors() { // C1
    axesOf.assign(rule.factors.size(), AxesAttr());
    firstOf.assign(rule.factors.size(), nullptr);
    for (const Entry &entry : tensors)
      for (auto [dim, factor] : llvm::enumerate(entry.rule->dims)) {
        AxesAttr axes = entry.sharding.getDims()[dim];
        if (!firstOf[factor]) {
          axesOf[factor] = axes;
          firstOf[factor] = &entry;
        } else if (axesOf[factor] != axes) {
          return emitAt(entry)
                 << "splits factor '" << rule.factors[factor].name << "' over "
                 << quoted(axes.getNames()) << ", expected "
                 << quoted(axesOf[factor].getNames()) << " as in '"
                 << firstOf[factor]->rule->name << "' [C1]";
        }
      }
    return success();
  }

  LogicalResult verifyAxesOfFactors() {
    for (auto [factor, axes] : llvm::enumerate(axesOf)) {
      if (!axes)
        continue;
      for (StringAttr axis : axes) {
        auto [it, isNew] = factorOf.try_emplace(axis, factor);
        if (!isNew) // C2
          return emitAt(*firstOf[factor])
                 << "splits factor '" << rule.factors[factor].name
                 << "' over axis " << axis << ", over which '"
                 << firstOf[it->second]->rule->name << "' splits factor '"
                 << rule.factors[it->second].name << "' [C2]";
      }
      if (rule.factors[factor].kind == FactorKind::Whole && !axes.empty())
        return emitAt(*firstOf[factor]) // C3
               << "splits factor '" << rule.factors[factor].name << "' over "
               << quoted(axes.getNames()) << ", the op needs it whole [C3]";
    }
    return success();
  }

  LogicalResult verifyPartialOperands() { // C4
    for (const Entry &entry : tensors) {
      if (entry.isResult || !entry.sharding.isPartial())
        continue;
      ArrayRef<StringAttr> axes = entry.sharding.getPartial().getNames();
      if (entry.sharding.getReduction() == ReductionKind::Max)
        return emitAt(entry)
               << "is a partial maximum over " << quoted(axes)
               << ", expected a reshard to reduce it first [C4]";
      std::optional<unsigned> group = rule.getLinearGroup(entry.index);
      if (!group)
        return emitAt(entry)
               << "is a partial sum over " << quoted(axes)
               << ", and the op is not linear in it; expected a reshard to "
                  "reduce it first [C4]";
      for (unsigned other : rule.linearGroups[*group])
        if (tensors[other].sharding.getPartial() != entry.sharding.getPartial())
          return emitAt(entry)
                 << "is a partial sum over " << quoted(axes) << " but '"
                 << rule.operands[other].name << "' over "
                 << quoted(tensors[other].sharding.getPartial().getNames())
                 << "; the op is linear in them only jointly [C4]";
      for (StringAttr axis : axes) {
        if (auto it = factorOf.find(axis); it != factorOf.end())
          return emitAt(entry)
                 << "is a partial sum over axis " << axis
                 << ", over which factor '" << rule.factors[it->second].name
                 << "' is split [C4]";
        auto [it, isNew] = carriedBy.try_emplace(axis, *group);
        if (!isNew && it->second != *group)
          return emitAt(entry)
                 << "is a partial sum over axis " << axis << ", and so is '"
                 << rule.operands[rule.linearGroups[it->second].front()].name
                 << "', a factor of it [C4]";
      }
    }
    return success();
  }

  LogicalResult verifyPartialResults() { // C5
    for (const Entry &entry : tensors) {
      if (!entry.isResult)
        continue;
      llvm::MapVector<StringAttr, std::string> expected;
      bool isMax = false;
      for (auto [axis, group] : carriedBy)
        expected[axis] = "'" + rule.operands[rule.linearGroups[group].front()]
                                   .name + "' is a partial sum over it";
      for (auto [factor, info] : llvm::enumerate(rule.factors)) {
        bool reduces =
            info.kind == FactorKind::Sum || info.kind == FactorKind::Max;
        if (!reduces || entry.rule->has(factor) || !axesOf[factor])
          continue;
        for (StringAttr axis : axesOf[factor]) {
          expected[axis] = "it splits factor '" + info.name + "'";
          isMax |= info.kind == FactorKind::Max;
        }
      }
      StringRef kind = isMax ? "maximum" : "sum";
      AxesAttr found = entry.sharding.getPartial();
      for (const auto &[axis, reason] : expected)
        if (!found.contains(axis))
          return emitAt(entry) << "is a partial " << kind << " over axis "
                               << axis << " since " << reason
                               << ", its type does not say so [C5]";
      for (StringAttr axis : found)
        if (!expected.count(axis))
          return emitAt(entry) << "is typed as partial over axis " << axis
                               << ", over which nothing is reduced [C5]";
      if (!found.empty() &&
          (entry.sharding.getReduction() == ReductionKind::Max) != isMax)
        return emitAt(entry) << "is a partial " << kind
                             << ", its type says otherwise [C5]";
    }
    return success();
  }

  Operation *op;
  const ShardingRule &rule;
  dist::MeshAttr mesh;
  SmallVector<Entry> tensors;
  /// Of each factor: its axes, and the first tensor that has it.
  SmallVector<AxesAttr> axesOf;
  SmallVector<const Entry *> firstOf;
  llvm::MapVector<StringAttr, unsigned> factorOf;
  llvm::MapVector<StringAttr, unsigned> carriedBy;
};

} // namespace

LogicalResult detail::verifyShardingRule(Operation *op) {
  return Verifier(op).run();
}

} // namespace mpc
