//===- RandomReshards.cpp - reshards that nobody would write ----*- C++ -*-===//

#include "test/execution/RandomReshards.h"
#include "dialects/transformer/IR/Transformer.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/partition/ReshardTraffic.h"
#include "test/execution/RandomStrategy.h"

using namespace mlir;

namespace mpc::execution {

using dist::AxesAttr;
using dist::ShardingAttr;

static RankedTensorType rankedType(Value value) {
  return cast<RankedTensorType>(value.getType());
}

static Value reshardTo(OpBuilder &builder, dist::Phase phase, Value value,
                       ShardingAttr sharding) {
  return tfm::build<dist::ReshardOp>(
      builder, value.getLoc(), phase,
      dist::withSharding(rankedType(value), sharding), value);
}

/// Moves a pointwise op, if it is one, to another sharding and its result back.
static void moveOp(Operation *op, Random &random) {
  if (!isa<ShardingRuleOpInterface>(op) || op->getNumOperands() == 0)
    return;
  const ShardingRule &rule = getShardingRule(op);
  if (rule.results.size() != 1 ||
      rule.results[0].dims.size() != rule.factors.size() ||
      llvm::any_of(rule.factors, [](const ShardingRule::Factor &factor) {
        return factor.kind != FactorKind::Parallel;
      }))
    return;
  Value result = op->getResult(0);
  RankedTensorType type = rankedType(result);
  ShardingAttr sharding =
      makeRandomSharding(type, dist::getSharding(type).getMesh(),
                         !rule.linearGroups.empty(), random);
  SmallVector<unsigned, 2> linear;
  if (sharding.isPartial())
    linear = rule.linearGroups[random.integer(0, rule.linearGroups.size() - 1)];

  OpBuilder builder(op);
  dist::Phase phase = tfm::getPhase(op);
  for (auto [number, tensor] : llvm::enumerate(rule.operands)) {
    SmallVector<AxesAttr> dims;
    for (unsigned factor : tensor.dims)
      dims.push_back(sharding.getDims()[llvm::find(rule.results[0].dims, factor) -
                                        rule.results[0].dims.begin()]);
    ShardingAttr whole = ShardingAttr::get(
        op->getContext(), sharding.getMesh(), dims,
        AxesAttr::get(op->getContext(), {}), dist::ReductionKind::Sum);
    op->setOperand(number,
                   reshardTo(builder, phase, op->getOperand(number),
                             llvm::is_contained(linear, number)
                                 ? whole.withPartial(
                                       sharding.getPartial().getNames(),
                                       sharding.getReduction())
                                 : whole));
  }
  result.setType(dist::withSharding(type, sharding));
  builder.setInsertionPointAfter(op);
  Value back = reshardTo(builder, phase, result, dist::getSharding(type));
  result.replaceAllUsesExcept(back, back.getDefiningOp());
}

static void detour(OpOperand &operand, Random &random) {
  Value value = operand.get();
  ShardingAttr sharding = dist::getSharding(value);
  if (sharding.isPartial() &&
      sharding.getReduction() == dist::ReductionKind::Max)
    return; // There is no way back.
  OpBuilder builder(operand.getOwner());
  auto reshard = value.getDefiningOp<dist::ReshardOp>();
  if (reshard && random.chance(0.3)) {
    operand.set(builder.clone(*reshard)->getResult(0));
    return;
  }
  RankedTensorType type = rankedType(value);
  dist::Phase phase = tfm::getPhase(operand.getOwner());
  ShardingAttr by =
      random.chance(0.3)
          ? ShardingAttr::getReplicated(sharding.getMesh(), type.getRank())
          : makeRandomSharding(type, sharding.getMesh(),
                               isa<FloatType>(type.getElementType()), random);
  operand.set(reshardTo(builder, phase,
                        reshardTo(builder, phase, value, by), sharding));
}

void detourAtRandom(ModuleOp module, Random &random) {
  double moves = random.uniform(0, 0.5), detours = random.uniform(0, 0.3);
  for (auto function : module.getOps<func::FuncOp>())
    for (Operation &op : llvm::make_early_inc_range(function.getBody().front())) {
      if (random.chance(moves))
        moveOp(&op, random);
      for (OpOperand &operand : op.getOpOperands())
        if (random.chance(detours))
          detour(operand, random);
    }
}

int64_t getBitsSent(ModuleOp module) {
  int64_t bits = 0;
  module.walk([&](dist::ReshardOp op) {
    bits += mpc::getBitsSent(op.getInput().getType(), op.getType());
  });
  return bits;
}

} // namespace mpc::execution
