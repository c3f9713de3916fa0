//===- SplitScalars.cpp - the update of one stage ---------------*- C++ -*-===//

#include "passes/pipeline/SplitScalars.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace mpc {

static dist::ReshardOp getReduction(Operation *op) {
  auto reshard = dyn_cast<dist::ReshardOp>(op);
  if (!reshard)
    return {};
  bool from = dist::getSharding(reshard.getInput().getType()).isPartial();
  return from && !dist::getSharding(reshard.getType()).isPartial() ? reshard
                                                                  : nullptr;
}

FailureOr<llvm::DenseMap<Value, Owner>> findOwners(func::FuncOp update,
                                                   OwnerOfState ownerOf) {
  llvm::DenseMap<Value, Owner> owners;
  for (BlockArgument argument : update.getArguments())
    if (std::optional<int64_t> stage =
            ownerOf(tfm::getArgBinding(update, argument.getArgNumber())))
      owners[argument] = {Owner::One, *stage};
  for (Operation &op : update.getBody().front().without_terminator()) {
    Owner owner;
    bool isAdd = isa<tfm::AddOp>(op);
    for (Value operand : op.getOperands()) {
      Owner other = owners.lookup(operand);
      if (other.kind == Owner::All)
        continue;
      if (other.kind == Owner::Sum) {
        // Read as a whole, unless it only becomes part of a larger sum.
        if (isAdd || (isa<dist::ReshardOp>(op) && !getReduction(&op)))
          owner.kind = Owner::Sum;
      } else if (owner.kind == Owner::All) {
        owner = other;
      } else if (owner.kind == Owner::One && owner.stage != other.stage) {
        if (!isAdd)
          return op.emitOpError("reads state of stages ")
                 << owner.stage << " and " << other.stage
                 << "; expected only sums to";
        owner.kind = Owner::Sum;
      }
    }
    if (owner.kind == Owner::Sum &&
        llvm::any_of(op.getOperands(), [&](Value operand) {
          return owners.lookup(operand).kind == Owner::All;
        }))
      return op.emitOpError("adds to a sum over stages what every stage has; "
                            "expected it to be added to the whole");
    for (Value result : op.getResults())
      owners[result] = owner;
  }
  return owners;
}

// ------------------------------------------------------------------- writing

BlockArgument UpdateWriter::addArgument(unsigned index) {
  Value argument = update.getArgument(index);
  return function.addArgument(argument.getType(),
                              tfm::getArgBinding(update, index),
                              argument.getLoc(), tfm::getParameter(update, index));
}

bool UpdateWriter::isHere(Value value) const {
  Owner owner = owners.lookup(value);
  return owner.kind != Owner::One || owner.stage == stage;
}

void UpdateWriter::write() {
  Block &body = update.getBody().front();
  for (BlockArgument argument : body.getArguments())
    if (isHere(argument) && !values.contains(argument))
      values[argument] = addArgument(argument.getArgNumber());
  for (Operation &op : body.without_terminator()) {
    Value result = op.getResult(0);
    if (owners.lookup(result).kind == Owner::Sum) {
      writeSum(&op);
      // On every stage at the same place, since all take part.
      if (llvm::any_of(op.getUsers(),
                       [&](Operation *user) { return !readsShares(user); }))
        getWhole(result);
    } else if (isHere(result)) {
      writeHere(&op);
    }
  }
  for (auto [index, value] :
       llvm::enumerate(body.getTerminator()->getOperands())) {
    tfm::BindingAttr binding = tfm::getResultBinding(update, index);
    if (binding.getKind() == tfm::StateKind::Metric ||
        binding.getKind() == tfm::StateKind::Counter)
      function.addResult(getWhole(value), binding);
    else if (isHere(value))
      function.addResult(values.lookup(value), binding);
  }
}

/// Whether an op that reads a sum over stages takes each stage's share of it.
bool UpdateWriter::readsShares(Operation *op) const {
  return getReduction(op) || (op->getNumResults() != 0 &&
                              owners.lookup(op->getResult(0)).kind == Owner::Sum);
}

/// The addends that this stage has, if any.
void UpdateWriter::writeSum(Operation *op) {
  IRMapping mapping;
  SmallVector<Value> shares;
  for (Value operand : op->getOperands())
    if (Value share = values.lookup(operand)) {
      shares.push_back(share);
      mapping.map(operand, share);
    }
  if (shares.size() == op->getNumOperands())
    values[op->getResult(0)] =
        function.getBuilder().clone(*op, mapping)->getResult(0);
  else if (!shares.empty())
    values[op->getResult(0)] = shares.front();
}

void UpdateWriter::writeHere(Operation *op) {
  // A reduction takes the sum over the stages along.
  dist::ReshardOp reduction = getReduction(op);
  if (reduction && owners.lookup(reduction.getInput()).kind == Owner::Sum) {
    values[reduction] = tfm::build<dist::ReshardOp>(
        function.getBuilder(), op->getLoc(), reduction.getPhase(),
        reduction.getType(), contribute(reduction.getInput()));
    return;
  }
  IRMapping mapping;
  for (Value operand : op->getOperands())
    mapping.map(operand, owners.lookup(operand).kind == Owner::Sum
                             ? getWhole(operand)
                             : values.lookup(operand));
  Operation *copy = function.getBuilder().clone(*op, mapping);
  for (auto [result, here] :
       llvm::zip_equal(op->getResults(), copy->getResults()))
    values[result] = here;
}

/// Carried state that nothing writes.
Value UpdateWriter::getZero(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  dist::ShardingAttr sharding = dist::getSharding(type);
  auto whole = RankedTensorType::get(
      type.getShape(), type.getElementType(),
      sharding.withPartial({}, dist::ReductionKind::Sum));
  Value &zero = zeros[whole];
  if (!zero) {
    std::string name = "zero" + std::to_string(zeros.size() - 1);
    zero = function.addArgument(
        whole,
        tfm::BindingAttr::get(value.getContext(), tfm::StateKind::Carry,
                              StringAttr::get(value.getContext(), name)),
        value.getLoc());
  }
  if (whole == type)
    return zero;
  return tfm::build<dist::ReshardOp>(function.getBuilder(), value.getLoc(),
                                     dist::Phase::Update, type, zero);
}

Value UpdateWriter::contribute(Value value) {
  Value share = values.lookup(value);
  if (!share)
    share = getZero(value);
  auto type = cast<RankedTensorType>(share.getType());
  auto axis = StringAttr::get(value.getContext(), "pp");
  return tfm::build<dist::ContributeOp>(
      function.getBuilder(), value.getLoc(), dist::Phase::Update,
      dist::ContributeOp::getContributionType(type, axis), share, axis);
}

Value UpdateWriter::getWhole(Value value) {
  if (owners.lookup(value).kind == Owner::All)
    return values.lookup(value);
  if (Value whole = wholes.lookup(value))
    return whole;
  return wholes[value] = tfm::build<dist::ReshardOp>(
             function.getBuilder(), value.getLoc(), dist::Phase::Update,
             value.getType(), contribute(value));
}

} // namespace mpc
