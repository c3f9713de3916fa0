//===- RuleHarness.cpp - a rule against what its op computes ----*- C++ -*-===//

#include "test/execution/RuleHarness.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace mpc::execution {

using dist::AxesAttr;
using dist::MeshAttr;
using dist::ReductionKind;
using dist::ShardingAttr;

/// Random doubles of size 1, a few thousand of them added.
static constexpr double kTolerance = 1e-9;

// ------------------------------------------------------------ arrangements

static ShardingAttr shard(const Arrangement &arrangement,
                          const ShardingRule::Tensor &tensor,
                          ArrayRef<StringAttr> partial,
                          ReductionKind reduction) {
  MeshAttr mesh = arrangement.mesh;
  SmallVector<AxesAttr> dims;
  for (unsigned factor : tensor.dims)
    dims.push_back(arrangement.axesOf[factor]);
  return ShardingAttr::get(mesh.getContext(), mesh, dims,
                           AxesAttr::get(mesh.getContext(), {}),
                           ReductionKind::Sum)
      .withPartial(partial, reduction);
}

ShardingAttr Arrangement::getOperand(const ShardingRule &rule,
                                     unsigned number) const {
  std::optional<unsigned> group = rule.getLinearGroup(number);
  return shard(*this, rule.operands[number],
               group ? partialOf[*group].getNames() : ArrayRef<StringAttr>(),
               ReductionKind::Sum);
}

ShardingAttr Arrangement::getResult(const ShardingRule &rule,
                                    unsigned number) const {
  const ShardingRule::Tensor &tensor = rule.results[number];
  SmallVector<StringAttr> partial;
  ReductionKind reduction = ReductionKind::Sum;
  for (AxesAttr axes : partialOf)
    llvm::append_range(partial, axes);
  for (auto [factor, info] : llvm::enumerate(rule.factors)) {
    bool reduces =
        info.kind == FactorKind::Sum || info.kind == FactorKind::Max;
    if (!reduces || tensor.has(factor) || axesOf[factor].empty())
      continue;
    llvm::append_range(partial, axesOf[factor]);
    if (info.kind == FactorKind::Max)
      reduction = ReductionKind::Max;
  }
  return shard(*this, tensor, partial, reduction);
}

bool Arrangement::splitsWhole(const ShardingRule &rule) const {
  return llvm::any_of(llvm::zip_equal(rule.factors, axesOf), [](auto pair) {
    return std::get<0>(pair).kind == FactorKind::Whole &&
           !std::get<1>(pair).empty();
  });
}

static std::vector<MeshAttr> getMeshes(MLIRContext *context) {
  auto name = [&](StringRef text) { return StringAttr::get(context, text); };
  auto mesh = [&](ArrayRef<StringAttr> names, ArrayRef<int64_t> sizes) {
    return MeshAttr::get(context, AxesAttr::get(context, names), sizes);
  };
  return {mesh({name("x")}, {2}), mesh({name("x")}, {3}),
          mesh({name("x"), name("y")}, {2, 3})};
}

/// Gives each axis, from `axis` on, a role: 0 unused, then the factors, then the
/// linear groups.
static void assignRoles(const ShardingRule &rule, MeshAttr mesh,
                        SmallVectorImpl<unsigned> &roles,
                        std::vector<Arrangement> &to) {
  size_t factors = rule.factors.size(), groups = rule.linearGroups.size();
  ArrayRef<StringAttr> axes = mesh.getAxes().getNames();
  if (roles.size() < axes.size()) {
    for (unsigned role = 0; role < 1 + factors + groups; ++role) {
      roles.push_back(role);
      assignRoles(rule, mesh, roles, to);
      roles.pop_back();
    }
    return;
  }
  auto axesWith = [&](unsigned role) {
    SmallVector<StringAttr> names;
    for (auto [axis, mine] : llvm::zip_equal(axes, roles))
      if (mine == role)
        names.push_back(axis);
    return names;
  };
  MLIRContext *context = mesh.getContext();
  Arrangement arrangement{mesh, {}, {}};
  int shared = -1;
  for (unsigned factor = 0; factor < factors; ++factor) {
    SmallVector<StringAttr> names = axesWith(1 + factor);
    arrangement.axesOf.push_back(AxesAttr::get(context, names));
    if (names.size() > 1)
      shared = factor;
  }
  for (unsigned group = 0; group < groups; ++group)
    arrangement.partialOf.push_back(
        AxesAttr::get(context, axesWith(1 + factors + group)));
  to.push_back(arrangement);
  if (shared < 0)
    return;
  SmallVector<StringAttr> reversed(
      llvm::reverse(arrangement.axesOf[shared].getNames()));
  arrangement.axesOf[shared] = AxesAttr::get(context, reversed);
  to.push_back(arrangement);
}

std::vector<Arrangement> enumerateArrangements(MLIRContext *context,
                                               const ShardingRule &rule) {
  std::vector<Arrangement> all;
  SmallVector<unsigned> roles;
  for (MeshAttr mesh : getMeshes(context))
    assignRoles(rule, mesh, roles, all);
  return all;
}

// --------------------------------------------------------- sharded instance

ShardedInstance::ShardedInstance(const BuiltInstance &instance,
                                 const ShardingRule &rule,
                                 const Arrangement &arrangement) {
  Operation *global = instance.getOp();
  op = global->clone();
  for (auto [number, type] : llvm::enumerate(global->getOperandTypes())) {
    op->setOperand(number, block.addArgument(type, global->getLoc()));
    setSharding(number, arrangement.getOperand(rule, number));
  }
  for (unsigned number = 0; number < op->getNumResults(); ++number)
    setSharding(op->getNumOperands() + number,
                arrangement.getResult(rule, number));
}

unsigned ShardedInstance::getTensorCount() const {
  return op->getNumOperands() + op->getNumResults();
}

static Value getTensor(Operation *op, unsigned tensor) {
  unsigned operands = op->getNumOperands();
  return tensor < operands ? op->getOperand(tensor)
                           : Value(op->getResult(tensor - operands));
}

RankedTensorType ShardedInstance::getType(unsigned tensor) const {
  return cast<RankedTensorType>(getTensor(op, tensor).getType());
}

void ShardedInstance::setSharding(unsigned tensor, ShardingAttr sharding) {
  getTensor(op, tensor)
      .setType(dist::withSharding(getType(tensor), sharding));
}

std::string ShardedInstance::verify() const {
  std::string message;
  ScopedDiagnosticHandler handler(op->getContext(), [&](Diagnostic &said) {
    message += said.str();
    return success();
  });
  if (failed(detail::verifyShardingRule(op)) && message.empty())
    message = "refused without a word";
  return message;
}

// ------------------------------------------------------------------ harness

RuleHarness::RuleHarness(const BuiltInstance &instance,
                         const ShardingRule &rule)
    : instance(instance), rule(rule),
      evaluator(makeGlobalEvaluator(instance.getOp()->getContext())),
      operands(instance.makeOperands(random)) {
  expected = evaluateGlobally(operands);
}

SmallVector<Array>
RuleHarness::evaluateGlobally(ArrayRef<Array> operands) {
  SmallVector<RankArrays> ranks;
  for (const Array &operand : operands)
    ranks.push_back({operand});
  SmallVector<const RankArrays *> pointers;
  for (const RankArrays &operand : ranks)
    pointers.push_back(&operand);
  FailureOr<SmallVector<RankArrays>> results =
      evaluator.evaluate(instance.getOp(), pointers);
  SmallVector<Array> arrays;
  if (succeeded(results)) // Otherwise a diagnostic said why.
    for (RankArrays &result : *results)
      arrays.push_back(std::move(result[0]));
  return arrays;
}

std::string RuleHarness::findWrongResult() {
  if (expected.empty())
    return "the op cannot be evaluated";
  for (const Arrangement &arrangement :
       enumerateArrangements(instance.getOp()->getContext(), rule)) {
    if (arrangement.splitsWhole(rule))
      continue;
    if (std::string wrong = check(arrangement); !wrong.empty())
      return wrong;
  }
  return "";
}

std::string RuleHarness::check(const Arrangement &arrangement) {
  ShardedInstance sharded(instance, rule, arrangement);
  std::string text;
  llvm::raw_string_ostream words(text);
  auto sayWhere = [&] {
    words << " where";
    for (unsigned i = 0; i < sharded.getTensorCount(); ++i) {
      bool isOperand = i < rule.operands.size();
      const ShardingRule::Tensor &tensor =
          isOperand ? rule.operands[i] : rule.results[i - rule.operands.size()];
      words << "\n  " << tensor.name << ": " << sharded.getType(i);
    }
  };
  for (unsigned i = 0; i < sharded.getTensorCount(); ++i) {
    RankedTensorType type = sharded.getType(i);
    for (auto [size, axes] : llvm::zip_equal(
             type.getShape(), dist::getSharding(type).getDims()))
      if (size % arrangement.mesh.getGroupSize(axes) != 0)
        return "an instance whose sizes do not divide";
  }
  SmallVector<RankArrays> ranks;
  for (auto [number, operand] : llvm::enumerate(operands))
    ranks.push_back(
        distribute(operand, arrangement.getOperand(rule, number), &random));
  SmallVector<const RankArrays *> pointers;
  for (const RankArrays &operand : ranks)
    pointers.push_back(&operand);
  FailureOr<SmallVector<RankArrays>> results =
      Evaluator(arrangement.mesh).evaluate(sharded.getOp(), pointers);
  if (failed(results))
    return "the local form cannot be evaluated";
  for (auto [number, result] : llvm::enumerate(*results)) {
    std::string why;
    FailureOr<Array> found =
        assemble(result, arrangement.getResult(rule, number), why);
    StringRef name = rule.results[number].name;
    if (failed(found)) {
      words << "result '" << name << "': " << why;
      sayWhere();
      return text;
    }
    double difference = getDifference(*found, expected[number]);
    if (!(difference <= kTolerance)) {
      words << "result '" << name << "' differs by " << difference
            << " from the global op";
      sayWhere();
      return text;
    }
  }
  return "";
}

// ---------------------------------------------------------------- linearity

/// f(x + y) = f(x) + f(y) for all results, other operands fixed.
bool RuleHarness::isLinearIn(ArrayRef<unsigned> chosen) {
  SmallVector<Array> other = instance.makeOperands(random);
  SmallVector<Array> second = operands, both = operands;
  for (unsigned operand : chosen) {
    second[operand] = other[operand];
    both[operand] += other[operand];
  }
  SmallVector<Array> sums = evaluateGlobally(second);
  for (auto [sum, first, together] :
       llvm::zip_equal(sums, expected, evaluateGlobally(both))) {
    sum += first;
    if (!(getDifference(together, sum) <= kTolerance))
      return false;
  }
  return true;
}

std::string RuleHarness::findUndeclaredLinearity() {
  SmallVector<unsigned> candidates;
  for (unsigned operand = 0; operand < operands.size(); ++operand)
    if (instance.isFloat(operand) && !rule.getLinearGroup(operand))
      candidates.push_back(operand);
  for (unsigned a : candidates)
    if (isLinearIn({a}))
      return rule.operands[a].name;
  for (unsigned a : candidates)
    for (unsigned b : candidates)
      if (a < b && isLinearIn({a, b}))
        return rule.operands[a].name + " " + rule.operands[b].name;
  return "";
}

} // namespace mpc::execution
