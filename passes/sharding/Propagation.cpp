//===- Propagation.cpp - shardings of a function, by claims -----*- C++ -*-===//

#include "passes/sharding/Propagation.h"
#include "mlir/IR/Builders.h"

using namespace mlir;

namespace mpc {

using dist::AxesAttr;
using dist::ReductionKind;
using dist::ShardingAttr;

/// Ops that may carry a partial sum on instead of having it reduced: those whose
/// cost does not depend on it.
static bool mayCarryPartials(Operation *op) {
  return isa<tfm::LinearOp, tfm::LinearInputGradOp, tfm::LinearWeightGradOp,
             tfm::AddOp, tfm::AccumulateOp, tfm::ScaleOp, tfm::ResidualOp>(op);
}

/// Ops whose result can be had in any sharding for nothing; every use gets its own.
static bool isFree(Operation *op) {
  return isa_and_nonnull<dist::IotaOp, tfm::BroadcastOp>(op);
}

/// The function argument that `op` accumulates into, if that is what it does.
static BlockArgument getAccumulator(Operation *op) {
  auto accumulate = dyn_cast<tfm::AccumulateOp>(op);
  return accumulate ? dyn_cast<BlockArgument>(accumulate.getAccumulator())
                    : BlockArgument();
}

static RankedTensorType rankedType(Value value) {
  return cast<RankedTensorType>(value.getType());
}

// ----------------------------------------------------------------- wishes

void Propagation::wish(Value value, ShardingAttr sharding, Strength strength) {
  if (!value.hasOneUse())
    return;
  Operation *op = value.getDefiningOp();
  if (!isa_and_nonnull<ShardingRuleOpInterface>(op))
    return;
  wishes[value] = {sharding, strength};
  if (op->getNumResults() != 1)
    return;
  const ShardingRule &rule = getShardingRule(op);
  for (auto [operand, tensor] : llvm::zip_equal(op->getOperands(),
                                                rule.operands))
    if (tensor.dims == rule.results[0].dims)
      wish(operand, sharding, strength);
}

void Propagation::collectWishes() {
  function.walk([&](Operation *op) {
    if (auto pin = dyn_cast<dist::PinOp>(op))
      wish(pin.getInput(), pin.getSharding(), Pinned);
    if (BlockArgument argument = getAccumulator(op)) {
      tfm::BindingAttr binding =
          tfm::getArgBinding(function, argument.getArgNumber());
      if (binding && binding.getKind() == tfm::StateKind::Accumulator)
        if (ShardingAttr compute = known.lookup(tfm::BindingAttr::get(
                op->getContext(), tfm::StateKind::Compute, binding.getName())))
          wish(op->getOperand(1), compute, Parameter);
    }
    if (isa<func::ReturnOp>(op))
      for (OpOperand &operand : op->getOpOperands())
        if (tfm::BindingAttr binding = tfm::getResultBinding(
                function, operand.getOperandNumber()))
          if (ShardingAttr sharding = known.lookup(binding))
            wish(operand.get(), sharding, Pinned);
  });
}

// --------------------------------------------------------------- deciding

LogicalResult Propagation::decideArguments() {
  for (BlockArgument argument : function.getArguments()) {
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    if (!type)
      return function.emitOpError("argument #")
             << argument.getArgNumber() << " has type " << argument.getType()
             << ", expected a ranked tensor";
    tfm::BindingAttr binding =
        tfm::getArgBinding(function, argument.getArgNumber());
    bool isParameter = tfm::getParameter(function, argument.getArgNumber()) ||
                       (binding &&
                        (binding.getKind() == tfm::StateKind::Compute ||
                         binding.getKind() == tfm::StateKind::Master ||
                         binding.getKind() == tfm::StateKind::Moment1 ||
                         binding.getKind() == tfm::StateKind::Moment2));
    ShardingAttr sharding = binding ? known.lookup(binding) : ShardingAttr();
    if (!sharding)
      sharding = dist::getPin(argument);
    if (sharding) {
      define(argument, sharding, isParameter ? Parameter : Pinned);
      continue;
    }
    bool accumulates = llvm::any_of(argument.getUsers(), [&](Operation *user) {
      return getAccumulator(user) == argument;
    });
    if (!accumulates) // Otherwise it follows from what is accumulated.
      define(argument, ShardingAttr::getReplicated(mesh, type.getRank()),
             Derived);
  }
  return success();
}

void Propagation::use(Operation *op, unsigned operand, ShardingAttr sharding) {
  OpOperand &use = op->getOpOperand(operand);
  uses[&use] = sharding;
  lastUses[use.get()].push_back(sharding);
  if (use.get().hasOneUse())
    return;
  for (StringAttr axis : infos[use.get()].seen().getPartial())
    if (!sharding.getPartial().contains(axis))
      foundEager |= eager.insert({use.get(), axis}).second;
}

void Propagation::define(Value value, ShardingAttr sharding,
                         Strength strength) {
  Info &info = infos[value];
  info = {sharding, strength, ShardingAttr()};
  if (sharding.isPartial() && !value.hasOneUse())
    decideReduction(value, info);
}

void Propagation::decideReduction(Value value, Info &info) {
  SmallVector<StringAttr> kept, reduced;
  for (StringAttr axis : info.sharding.getPartial())
    (eager.contains({value, axis}) ? reduced : kept).push_back(axis);
  if (reduced.empty())
    return;
  SmallVector<AxesAttr> dims(info.sharding.getDims());
  // A use that splits a dimension over the reduced axes makes it a scatter.
  auto scatters = [&](ShardingAttr wanted) {
    bool found = false;
    for (auto [has, wants] : llvm::zip_equal(dims, wanted.getDims())) {
      if (wants.getNames().take_front(has.size()) != has.getNames())
        return false;
      for (StringAttr axis : wants.getNames().drop_front(has.size())) {
        if (!llvm::is_contained(reduced, axis))
          return false;
        found = true;
      }
    }
    return found;
  };
  for (ShardingAttr wanted : previousUses.lookup(value))
    if (scatters(wanted)) {
      dims.assign(wanted.getDims().begin(), wanted.getDims().end());
      break;
    }
  info.reduced = ShardingAttr::get(value.getContext(), mesh, dims,
                                   AxesAttr::get(value.getContext(), {}),
                                   ReductionKind::Sum)
                     .withPartial(kept, info.sharding.getReduction());
}

SmallVector<AxesAttr>
Propagation::assignFactors(Operation *op, const ShardingRule &rule,
                           llvm::SmallSetVector<StringAttr, 4> &taken) {
  SmallVector<Claim> claims;
  auto claim = [&](const ShardingRule::Tensor &tensor, ShardingAttr sharding,
                   Strength strength, bool isResult, unsigned number) {
    for (auto [factor, axes] : llvm::zip_equal(tensor.dims, sharding.getDims()))
      claims.push_back({strength, isResult, number, factor, axes});
  };
  for (auto [number, operand] : llvm::enumerate(op->getOperands())) {
    if (isFree(operand.getDefiningOp()))
      continue;
    auto info = infos.find(operand);
    if (info != infos.end())
      claim(rule.operands[number], info->second.seen(), info->second.strength,
            false, number);
  }
  for (OpResult result : op->getResults())
    if (auto wish = wishes.find(result); wish != wishes.end())
      claim(rule.results[result.getResultNumber()], wish->second.sharding,
            wish->second.strength, true, result.getResultNumber());
  if (BlockArgument argument = getAccumulator(op))
    if (auto wish = wishes.find(op->getOperand(1)); wish != wishes.end())
      claim(rule.operands[0], wish->second.sharding, wish->second.strength,
            true, 0);

  auto order = [](const Claim &claim) {
    return std::tuple(-claim.strength, -int64_t(claim.axes.size()),
                      !claim.isResult, claim.operand, claim.factor);
  };
  llvm::sort(claims, [&](const Claim &a, const Claim &b) {
    return order(a) < order(b);
  });
  AxesAttr none = AxesAttr::get(op->getContext(), {});
  SmallVector<AxesAttr> axesOf(rule.factors.size());
  for (auto [factor, info] : llvm::enumerate(rule.factors))
    if (info.kind == FactorKind::Whole)
      axesOf[factor] = none;
  for (const Claim &claim : claims) {
    if (axesOf[claim.factor])
      continue;
    Axes free = claim.axes.getNames().take_while(
        [&](StringAttr axis) { return !taken.contains(axis); });
    axesOf[claim.factor] = AxesAttr::get(op->getContext(), free);
    taken.insert_range(free);
  }
  // No operand says how to split what remains: as its users want it.
  for (OpResult result : op->getResults())
    for (auto [dim, factor] :
         llvm::enumerate(rule.results[result.getResultNumber()].dims)) {
      if (axesOf[factor] || isFree(op))
        continue;
      followsUses = true;
      ArrayRef<ShardingAttr> wanted = previousUses[result];
      if (wanted.empty())
        continue;
      Axes free = wanted[0].getDims()[dim].getNames().take_while(
          [&](StringAttr axis) { return !taken.contains(axis); });
      axesOf[factor] = AxesAttr::get(op->getContext(), free);
      taken.insert_range(free);
    }
  for (AxesAttr &axes : axesOf)
    if (!axes)
      axes = none;
  return axesOf;
}

SmallVector<SmallVector<StringAttr>>
Propagation::carryPartials(Operation *op, const ShardingRule &rule,
                           llvm::SmallSetVector<StringAttr, 4> taken) {
  SmallVector<SmallVector<StringAttr>> carried(op->getNumOperands());
  if (!mayCarryPartials(op))
    return carried;
  BlockArgument accumulator = getAccumulator(op);
  auto isSum = [&](Value value, StringAttr axis) {
    ShardingAttr sharding = infos[value].seen();
    return sharding.getPartial().contains(axis) &&
           sharding.getReduction() == ReductionKind::Sum &&
           !eager.contains({value, axis});
  };
  bool joins = isa<tfm::AddOp>(op) &&
               rankedType(op->getResult(0)).getRank() == 0;
  for (ArrayRef<unsigned> group : rule.linearGroups) {
    // An accumulator takes whatever is partial in what is added to it.
    SmallVector<Value> terms;
    for (unsigned operand : group)
      if (op->getOperand(operand) != accumulator)
        terms.push_back(op->getOperand(operand));
    SmallVector<StringAttr> common;
    for (StringAttr axis : mesh.getAxes()) {
      auto carries = [&](Value term) { return isSum(term, axis); };
      bool all = joins ? llvm::any_of(terms, carries)
                       : llvm::all_of(terms, carries);
      if (all && !taken.contains(axis))
        common.push_back(axis);
    }
    taken.insert_range(common);
    for (unsigned operand : group)
      carried[operand] = common;
  }
  return carried;
}

LogicalResult Propagation::decideByRule(Operation *op) {
  const ShardingRule &rule = getShardingRule(op);
  if (op->getNumOperands() != rule.operands.size() ||
      op->getNumResults() != rule.results.size())
    return op->emitOpError("does not fit its sharding rule");
  llvm::SmallSetVector<StringAttr, 4> taken;
  SmallVector<AxesAttr> axesOf = assignFactors(op, rule, taken);
  SmallVector<SmallVector<StringAttr>> carried =
      carryPartials(op, rule, taken);

  auto shard = [&](const ShardingRule::Tensor &tensor, Axes partial,
                   ReductionKind reduction) {
    SmallVector<AxesAttr> dims;
    for (unsigned factor : tensor.dims)
      dims.push_back(axesOf[factor]);
    return ShardingAttr::get(op->getContext(), mesh, dims,
                             AxesAttr::get(op->getContext(), {}),
                             ReductionKind::Sum)
        .withPartial(partial, reduction);
  };
  for (auto [number, tensor] : llvm::enumerate(rule.operands)) {
    ShardingAttr sharding = shard(tensor, carried[number], ReductionKind::Sum);
    if (BlockArgument accumulator = getAccumulator(op);
        accumulator && number == 0 && !infos.contains(accumulator))
      define(accumulator, sharding, Derived);
    use(op, number, sharding);
  }
  for (auto [result, tensor] : llvm::zip_equal(op->getResults(),
                                               rule.results)) {
    llvm::SmallSetVector<StringAttr, 4> partial;
    ReductionKind reduction = ReductionKind::Sum;
    for (ArrayRef<StringAttr> axes : carried)
      partial.insert_range(axes);
    for (auto [factor, info] : llvm::enumerate(rule.factors)) {
      bool reduces =
          info.kind == FactorKind::Sum || info.kind == FactorKind::Max;
      if (!reduces || tensor.has(factor) || axesOf[factor].empty())
        continue;
      partial.insert_range(axesOf[factor]);
      if (info.kind == FactorKind::Max)
        reduction = ReductionKind::Max;
    }
    define(result, shard(tensor, partial.getArrayRef(), reduction), Derived);
  }
  return success();
}

ShardingAttr Propagation::getStateSharding(tfm::BindingAttr binding) {
  if (ShardingAttr decided = known.lookup(binding))
    return decided;
  // What is updated here leaves as it came.
  for (BlockArgument argument : function.getArguments())
    if (tfm::getArgBinding(function, argument.getArgNumber()) == binding)
      return infos.lookup(argument).sharding;
  return {};
}

void Propagation::decideReturn(Operation *op) {
  for (OpOperand &operand : op->getOpOperands()) {
    ShardingAttr sharding = infos[operand.get()].seen();
    ShardingAttr target = sharding.withPartial({}, ReductionKind::Sum);
    if (tfm::BindingAttr binding =
            tfm::getResultBinding(function, operand.getOperandNumber())) {
      bool read = binding.getKind() == tfm::StateKind::Metric ||
                  binding.getKind() == tfm::StateKind::Counter;
      if (ShardingAttr decided = getStateSharding(binding))
        target = decided;
      else if (read)
        target = ShardingAttr::getReplicated(mesh, sharding.getDims().size());
      else
        target = sharding; // Its reader goes on from here.
    }
    use(op, operand.getOperandNumber(), target);
  }
}

LogicalResult Propagation::decide(Operation *op) {
  if (auto pin = dyn_cast<dist::PinOp>(op)) {
    use(op, 0, pin.getSharding());
    define(pin.getResult(), pin.getSharding(), Pinned);
    return success();
  }
  if (isa<func::ReturnOp>(op)) {
    decideReturn(op);
    return success();
  }
  if (!isa<ShardingRuleOpInterface>(op))
    return op->emitOpError("has no sharding rule; implement "
                           "ShardingRuleOpInterface for it (CONTRIBUTING.md)");
  return decideByRule(op);
}

// ---------------------------------------------------------------- writing

/// The phase of a reshard of `value` for `user`. A return has none of its own: it is
/// that of the op whose result is returned, or of the function's last op.
static dist::Phase getPhaseOfUse(Value value, Operation *user) {
  if (!isa<func::ReturnOp>(user))
    return tfm::getPhase(user);
  Operation *op = value.getDefiningOp();
  if (!op)
    op = user->getPrevNode();
  return op ? tfm::getPhase(op) : dist::Phase::Forward;
}

Value Propagation::getAs(Value value, ShardingAttr sharding, Operation *user) {
  const Info info = infos.lookup(value);
  if (info.reduced && value.getType() ==
                          dist::withSharding(rankedType(value), info.sharding)) {
    // Reduced once, before the first of its uses.
    Value &reduced = reshards[{value, info.reduced, -1}];
    if (!reduced) {
      OpBuilder builder(user);
      dist::Phase phase = value.getDefiningOp()
                              ? tfm::getPhase(value.getDefiningOp())
                              : getPhaseOfUse(value, user);
      reduced = tfm::build<dist::ReshardOp>(
          builder, value.getLoc(), phase,
          dist::withSharding(rankedType(value), info.reduced), value);
    }
    value = reduced;
  }
  ShardingAttr from = dist::getSharding(value);
  if (from == sharding)
    return value;
  bool reduces = llvm::any_of(from.getPartial(), [&](StringAttr axis) {
    return !sharding.getPartial().contains(axis);
  });
  Operation *definer = value.getDefiningOp();
  bool isFreeHere = isFree(definer) && !sharding.isPartial();
  if (sharding.isPartial()) {
    // A maximum becomes a sum by way of the value; so does what is made anew.
    bool isMax = from.isPartial() && from.getReduction() != sharding.getReduction();
    ShardingAttr whole = isMax ? from : sharding;
    whole = whole.withPartial({}, ReductionKind::Sum);
    if ((isMax || isFree(definer)) && from != whole)
      return getAs(getAs(value, whole, user), sharding, user);
  }
  // Input and weight gradients share what they gather.
  dist::Phase phaseOfUser = getPhaseOfUse(value, user);
  if (phaseOfUser == dist::Phase::Weight)
    phaseOfUser = dist::Phase::Backward;
  int phase = reduces || isFreeHere ? -1 : (int)phaseOfUser;
  Value &result = reshards[{value, sharding, phase}];
  if (result)
    return result;
  RankedTensorType type = dist::withSharding(rankedType(value), sharding);
  if (isFreeHere) {
    OpBuilder builder(definer);
    Operation *clone = builder.clone(*definer);
    clone->getResult(0).setType(type);
    return result = clone->getResult(0);
  }
  OpBuilder builder(user);
  return result = tfm::build<dist::ReshardOp>(
             builder, value.getLoc(), getPhaseOfUse(value, user), type, value);
}

void Propagation::write() {
  for (BlockArgument argument : function.getArguments())
    argument.setType(
        dist::withSharding(rankedType(argument), infos[argument].sharding));
  SmallVector<Operation *> ops;
  for (Operation &op : function.getBody().front())
    ops.push_back(&op);
  SmallVector<Operation *> dead;
  for (Operation *op : ops) {
    for (OpOperand &operand : op->getOpOperands())
      operand.set(getAs(operand.get(), uses.lookup(&operand), op));
    if (isa<dist::PinOp>(op)) {
      // Later uses were decided for the pin's result, which this now is.
      Value input = op->getOperand(0);
      Info info = infos[op->getResult(0)];
      op->getResult(0).replaceAllUsesWith(input);
      infos[input] = {info.sharding, info.strength, ShardingAttr()};
      dead.push_back(op);
      continue;
    }
    for (OpResult result : op->getResults())
      result.setType(
          dist::withSharding(rankedType(result), infos[result].sharding));
  }
  for (Operation *op : dead)
    op->erase();
  for (Operation *op : ops)
    if (!llvm::is_contained(dead, op) && isFree(op) && op->use_empty())
      op->erase();
  Operation *terminator = function.getBody().front().getTerminator();
  function.setType(FunctionType::get(function.getContext(),
                                     function.getBody().getArgumentTypes(),
                                     terminator->getOperandTypes()));
}

LogicalResult Propagation::run() {
  if (!function.getBody().hasOneBlock())
    return function.emitOpError("has ")
           << function.getBody().getBlocks().size()
           << " blocks, expected one";
  collectWishes();
  bool isFirst = true;
  do {
    previousUses = std::move(lastUses);
    lastUses.clear();
    infos.clear();
    uses.clear();
    foundEager = false;
    if (failed(decideArguments()))
      return failure();
    for (Operation &op : function.getBody().front())
      if (failed(decide(&op)))
        return failure();
    if (std::exchange(isFirst, false) && followsUses)
      foundEager = true; // Now uses are known.
  } while (foundEager);

  for (BlockArgument argument : function.getArguments()) {
    if (!infos.contains(argument))
      return function.emitOpError("argument #")
             << argument.getArgNumber() << " got no sharding";
    if (tfm::BindingAttr binding =
            tfm::getArgBinding(function, argument.getArgNumber()))
      known.try_emplace(binding, infos[argument].sharding);
  }
  Operation *terminator = function.getBody().front().getTerminator();
  for (OpOperand &operand : terminator->getOpOperands())
    if (tfm::BindingAttr binding =
            tfm::getResultBinding(function, operand.getOperandNumber()))
      known.try_emplace(binding, uses.lookup(&operand));
  write();
  return success();
}

} // namespace mpc
