// The loops of a group: vectors of iterations with a masked last one, and
// reductions in registers.
#include "passes/lowering/kernels/NestEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace mpc::kernels {

/// Iterations between two additions to the f64 sums.
static constexpr int64_t kPartialSum = 256;

int64_t NestEmitter::stepOf(unsigned level) const {
  return group.loops[level] == group.vectorDim ? group.width : 1;
}

NestEmitter::Values
NestEmitter::emitFor(Value begin, Value end, int64_t step, Values accumulators,
                     llvm::function_ref<Values(Value, Values)> body) {
  auto loop = scf::ForOp::create(
      b, loc, begin, end, lanes.i64(step), accumulators,
      [&](OpBuilder &nested, Location, Value iteration, ValueRange carried) {
        OpBuilder::InsertionGuard guard(b);
        b.restoreInsertionPoint(nested.saveInsertionPoint());
        Values next = body(iteration, Values(carried));
        scf::YieldOp::create(b, loc, next);
      });
  return Values(loop.getResults());
}

/// Runs `body`, which adds to its accumulators in f32, from zero for those sums
/// that are wide, and adds what it returns to them.
NestEmitter::Values
NestEmitter::emitPartial(Values accumulators,
                         llvm::function_ref<Values(Values)> body) {
  Values partial = accumulators;
  for (auto [i, reduction] : llvm::enumerate(reductions))
    if (reduction.wide)
      partial[i] =
          lanes.broadcast(lanes.constant(reduction.neutral), group.width);
  partial = body(partial);
  for (auto [i, reduction] : llvm::enumerate(reductions)) {
    if (!reduction.wide)
      continue;
    Value sum =
        arith::ExtFOp::create(b, loc, accumulators[i].getType(), partial[i]);
    partial[i] = arith::AddFOp::create(b, loc, accumulators[i], sum);
  }
  return partial;
}

/// Whole vectors, [0, end).
NestEmitter::Values NestEmitter::emitChunks(unsigned level, Values accumulators,
                                            Value end) {
  unsigned dim = group.loops[level];
  int64_t step = stepOf(level);
  auto body = [&](Value iteration, Values carried) {
    index[dim] = iteration;
    return emitLevel(level + 1, carried);
  };
  Value zero = lanes.i64(0);
  int64_t trips = schedule.innerExtent(dim) / step;
  bool isLast = level + 1 == group.loops.size();
  if (trips == 1 && !state.blockExtent)
    return isLast ? emitPartial(accumulators,
                                [&](Values v) { return body(zero, v); })
                  : body(zero, accumulators);
  if (!isLast || reductions.empty())
    return emitFor(zero, end, step, accumulators, body);
  if (trips <= kPartialSum)
    return emitPartial(accumulators, [&](Values carried) {
      return emitFor(zero, end, step, carried, body);
    });
  int64_t part = kPartialSum * step;
  return emitFor(
      zero, end, part, accumulators, [&](Value first, Values carried) {
        Value next = arith::AddIOp::create(b, loc, first, lanes.i64(part));
        Value last = arith::MinSIOp::create(b, loc, next, end);
        return emitPartial(carried, [&](Values inner) {
          return emitFor(first, last, step, inner, body);
        });
      });
}

/// The last `count` iterations, fewer than a vector.
NestEmitter::Values NestEmitter::emitTail(unsigned level, Values accumulators,
                                          Value first, Value count) {
  index[group.loops[level]] = first;
  mask = lanes.maskBelow(count, group.width);
  auto body = [&](Values carried) { return emitLevel(level + 1, carried); };
  Values result = level + 1 == group.loops.size()
                      ? emitPartial(accumulators, body)
                      : body(accumulators);
  mask = Value();
  return result;
}

NestEmitter::Values NestEmitter::emitLoop(unsigned level, Values accumulators) {
  unsigned dim = group.loops[level];
  int64_t step = stepOf(level);
  bool isBlock = schedule.block && schedule.block->dim == dim;
  if (isBlock && state.blockExtent) {
    Value extent = state.blockExtent;
    Value end = arith::AndIOp::create(b, loc, extent, lanes.i64(~(step - 1)));
    accumulators = emitChunks(level, accumulators, end);
    if (step == 1)
      return accumulators;
    Value rest = arith::SubIOp::create(b, loc, extent, end);
    Value hasRest = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne,
                                          rest, lanes.i64(0));
    Values before = accumulators;
    auto branch = scf::IfOp::create(b, loc, ValueRange(before).getTypes(),
                                    hasRest, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(b);
    auto yield = [&](Block *block, llvm::function_ref<Values()> body) {
      b.setInsertionPointToStart(block);
      Values results = body();
      if (block->empty() || !block->back().hasTrait<OpTrait::IsTerminator>())
        scf::YieldOp::create(b, loc, results);
    };
    yield(branch.elseBlock(), [&] { return before; });
    yield(branch.thenBlock(),
          [&] { return emitTail(level, before, end, rest); });
    return Values(branch.getResults());
  }
  int64_t extent = schedule.innerExtent(dim);
  int64_t whole = extent - extent % step;
  if (whole > 0)
    accumulators = emitChunks(level, accumulators, lanes.i64(whole));
  if (whole < extent)
    accumulators = emitTail(level, accumulators, lanes.i64(whole),
                            lanes.i64(extent - whole));
  return accumulators;
}

NestEmitter::Values NestEmitter::emitLevel(unsigned level,
                                           Values accumulators) {
  emitReady(level);
  if (level == group.loops.size()) {
    accumulators = accumulate(accumulators);
    storeResults();
    return accumulators;
  }
  if (level == group.numParallel && !reductions.empty()) {
    finishReductions(emitLoop(level, startReductions()));
    return {};
  }
  return emitLoop(level, accumulators);
}

/// Whether the lanes of an accumulator are parts of one result.
bool NestEmitter::reducesLanes() const {
  return group.width > 1 && group.loops.size() > group.numParallel &&
         group.vectorDim == group.loops.back();
}

Value NestEmitter::combine(const Reduction &reduction, Value x, Value y) {
  OperationState state(loc, reduction.combiner->getName());
  state.addOperands({x, y});
  state.addTypes(x.getType());
  state.addAttributes(reduction.combiner->getAttrs());
  Operation *op = b.create(state);
  relaxFloats(op, /*mayContract=*/true);
  return op->getResult(0);
}

NestEmitter::Values NestEmitter::startReductions() {
  Values values;
  for (const Reduction &reduction : reductions) {
    TypedAttr neutral = reduction.neutral;
    if (reduction.wide)
      neutral = b.getF64FloatAttr(0.0);
    values.push_back(lanes.broadcast(lanes.constant(neutral), group.width));
  }
  return values;
}

NestEmitter::Values NestEmitter::accumulate(Values accumulators) {
  for (auto [i, reduction] : llvm::enumerate(reductions)) {
    Value element = lanes.broadcast(lookup(reduction.element), group.width);
    if (mask && reducesLanes()) {
      Value neutral =
          lanes.broadcast(lanes.constant(reduction.neutral), group.width);
      element = arith::SelectOp::create(b, loc, mask, element, neutral);
    }
    accumulators[i] = combine(reduction, accumulators[i], element);
  }
  return accumulators;
}

void NestEmitter::finishReductions(Values accumulators) {
  for (auto [i, reduction] : llvm::enumerate(reductions)) {
    const Node &node = graph.nodes[reduction.node];
    auto join = [&, &reduction = reduction](Value x, Value y) {
      return combine(reduction, x, y);
    };
    Value value = accumulators[i];
    if (reducesLanes())
      value = lanes.reduce(value, join);
    Value init;
    if (std::optional<Access> read = node.inits[reduction.result])
      init = loadNow(*node.inits[reduction.result]);
    else if (TypedAttr constant = node.initConstants[reduction.result];
             constant && constant != reduction.neutral)
      init = lanes.constant(constant);
    if (init) {
      int64_t width = isa<VectorType>(value.getType()) ? group.width : 1;
      init = lanes.broadcast(init, width);
      if (reduction.wide)
        init = arith::ExtFOp::create(b, loc, value.getType(), init);
      value = join(init, value);
    }
    if (reduction.wide) {
      Type narrow = isa<VectorType>(value.getType())
                        ? laneType(b.getF32Type(), group.width)
                        : b.getF32Type();
      value = arith::TruncFOp::create(b, loc, narrow, value);
    }
    finish(node.results[reduction.result], value);
  }
}

} // namespace mpc::kernels
