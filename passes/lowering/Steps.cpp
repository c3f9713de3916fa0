//===- Steps.cpp - commands before they have memory -------------*- C++ -*-===//

#include "passes/lowering/Steps.h"

#include "dialects/exec/IR/Exec.h"
#include "passes/lowering/Products.h"

using namespace mlir;

namespace mpc {

bool isCollective(Operation *op) {
  return isa_and_present<dist::AllReduceOp, dist::AllGatherOp,
                         dist::ReduceScatterOp, dist::AllToAllOp>(op);
}

SmallVector<Value> getReads(Operation *op) {
  Operation *product = getAccumulatedProduct(op);
  if (!product)
    return llvm::to_vector(op->getOperands());
  SmallVector<Value> reads = {cast<tfm::AccumulateOp>(op).getAccumulator()};
  llvm::append_range(reads, product->getOperands());
  return reads;
}

func::FuncOp getKernel(func::CallOp call) {
  return cast<func::FuncOp>(
      SymbolTable::lookupNearestSymbolFrom(call, call.getCalleeAttr()));
}

bool canShareMemory(Operation *op, Value value, OpResult result) {
  if (value.getType() != result.getType())
    return false;
  if (isa<dist::AllReduceOp>(op))
    return true;
  if (Operation *product = getAccumulatedProduct(op))
    return !llvm::is_contained(product->getOperands(), value);
  auto call = dyn_cast<func::CallOp>(op);
  if (!call)
    return false;
  exec::CompiledAttr compiled = exec::getCompiled(getKernel(call));
  return llvm::all_of(call->getOpOperands(), [&](OpOperand &operand) {
    return operand.get() != value ||
           compiled.canAlias(operand.getOperandNumber(),
                             result.getResultNumber());
  });
}

/// What has no step of its own: products of an accumulation, and iotas, which are
/// state.
static bool isWithoutStep(Operation *op) {
  return isa<dist::IotaOp>(op) ||
         (isProduct(op) && op->hasOneUse() &&
          getAccumulatedProduct(*op->user_begin()) == op);
}

Steps::Steps(func::FuncOp function) {
  llvm::SetVector<Operation *> pending;
  auto wait = [&](Operation *collective) {
    if (!pending.remove(collective))
      return;
    waits[collective] = steps.size();
    steps.push_back({collective, /*isWait=*/true});
  };
  Block &block = function.getBody().front();
  for (Operation &op : block.without_terminator()) {
    if (isWithoutStep(&op))
      continue;
    // A collective is under way until something needs what it brings.
    for (Value value : getReads(&op))
      wait(value.getDefiningOp());
    begins[&op] = steps.size();
    steps.push_back({&op});
    if (isCollective(&op))
      pending.insert(&op);
  }
  for (Operation *collective : pending.takeVector()) {
    waits[collective] = steps.size();
    steps.push_back({collective, /*isWait=*/true});
  }
  for (Step step : steps)
    if (!step.isWait)
      for (Value value : getReads(step.op))
        addUse(value, step.op, getReadEnd(step.op));
  for (Value value : block.getTerminator()->getOperands())
    addUse(value, block.getTerminator(), getEnd());
}

int64_t Steps::getReadEnd(Operation *op) const {
  auto wait = waits.find(op);
  return wait != waits.end() ? wait->second : getBegin(op);
}

void Steps::addUse(Value value, Operation *reader, int64_t time) {
  Use &use = uses[value];
  if (use.reader == reader)
    return;
  if (time >= use.time) {
    use.previous = use.time;
    use.time = time;
    use.reader = reader;
  } else {
    use.previous = std::max(use.previous, time);
  }
}

int64_t Steps::getLastUse(Value value) const {
  return uses.lookup(value).time;
}

bool Steps::isLastReader(Operation *op, Value value) const {
  const Use use = uses.lookup(value);
  return use.reader == op && use.previous < getBegin(op);
}

} // namespace mpc
