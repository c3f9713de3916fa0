//===- StartReductions.cpp --------------------------------------*- C++ -*-===//
//
// Accumulators are sums that every rank has a share of. The update asks for the
// whole, at a time when nothing is left to compute meanwhile; they are complete much
// earlier, one after the other, in the backward pass of the last microbatch.
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/IRMapping.h"
#include "passes/lowering/Passes.h"
#include "passes/lowering/StepParts.h"
#include "passes/lowering/Steps.h"

using namespace mlir;

namespace mpc {

#define GEN_PASS_DEF_STARTREDUCTIONSPASS
#include "passes/lowering/Passes.h.inc"

namespace {

using dist::AxesAttr;
using dist::ShardingAttr;
using tfm::StateKind;

/// What reduces `value`, in order: the collectives that alone read it and one
/// another.
SmallVector<Operation *> findReductions(Value value) {
  SmallVector<Operation *> ops;
  while (value.hasOneUse() &&
         isa<dist::AllReduceOp, dist::ReduceScatterOp>(*value.user_begin())) {
    ops.push_back(*value.user_begin());
    value = ops.back()->getResult(0);
  }
  return ops;
}

/// The sharded type of what a reduction makes of a `type`.
RankedTensorType reduce(Operation *op, RankedTensorType type) {
  ShardingAttr sharding = dist::getSharding(type);
  auto scatter = dyn_cast<dist::ReduceScatterOp>(op);
  AxesAttr over = scatter ? scatter.getAxes()
                          : cast<dist::AllReduceOp>(op).getAxes();
  SmallVector<StringAttr> partial;
  for (StringAttr axis : sharding.getPartial())
    if (!over.contains(axis))
      partial.push_back(axis);
  SmallVector<AxesAttr> dims(sharding.getDims());
  if (scatter) {
    AxesAttr &dim = dims[scatter.getDimension()];
    SmallVector<StringAttr> axes(dim.getNames());
    llvm::append_range(axes, over);
    dim = AxesAttr::get(type.getContext(), axes);
  }
  auto reduced = ShardingAttr::get(
      type.getContext(), sharding.getMesh(), dims,
      AxesAttr::get(type.getContext(), partial), sharding.getReduction());
  return RankedTensorType::get(type.getShape(), type.getElementType(), reduced);
}

/// The functions of one stage.
class StageReductions {
public:
  StageReductions(func::FuncOp update, ArrayRef<func::FuncOp> functions,
                  int64_t microbatches)
      : update(update), functions(functions), microbatches(microbatches) {}

  void run() {
    for (BlockArgument argument : update.getArguments()) {
      tfm::BindingAttr binding =
          tfm::getArgBinding(update, argument.getArgNumber());
      if (binding.getKind() != StateKind::Accumulator)
        continue;
      SmallVector<Operation *> reductions = findReductions(argument);
      func::FuncOp maker = reductions.empty() ? func::FuncOp()
                                              : findMaker(binding);
      if (maker)
        move(argument, binding, reductions, getLast(maker));
    }
    updateFunctionType(update);
    for (auto &[function, last] : lasts)
      updateFunctionType(last);
  }

private:
  /// The function that alone adds to accumulators, in its variant for later
  /// microbatches; null if others do so or read them.
  func::FuncOp findMaker(tfm::BindingAttr binding) {
    func::FuncOp maker;
    for (func::FuncOp function : functions) {
      if (function == update ||
          exec::getVariant(function).getValue() == exec::Variant::First)
        continue;
      if (!isOfMicrobatch(getStepPart(function))) {
        if (findArgument(function, binding))
          return {};
      } else if (findResult(function, binding)) {
        if (maker)
          return {};
        maker = function;
      }
    }
    return maker;
  }

  /// The variant of `function` for the last microbatch.
  func::FuncOp getLast(func::FuncOp function) {
    func::FuncOp &last = lasts[function];
    if (last)
      return last;
    last = function;
    if (exec::getVariant(function).getValue() != exec::Variant::Middle)
      return last; // There is one microbatch.
    StringRef name = function.getSymName();
    name.consume_back("_middle");
    std::string lastName = (name + "_last").str();
    if (microbatches > 2) {
      last = cast<func::FuncOp>(function->clone());
      function->getParentOfType<ModuleOp>().insert(++function->getIterator(),
                                                   last);
    }
    last.setSymName(lastName);
    exec::setVariant(last, exec::Variant::Last);
    return last;
  }

  /// `last` reduces what it makes; the update takes the result.
  void move(BlockArgument argument, tfm::BindingAttr binding,
            ArrayRef<Operation *> reductions, func::FuncOp last) {
    unsigned index = argument.getArgNumber();
    unsigned result = *findResult(last, binding);
    Operation *end = last.getBody().front().getTerminator();
    Value value = end->getOperand(result);
    OpBuilder builder(last.getContext());
    builder.setInsertionPointAfterValue(value);
    IRMapping mapping;
    mapping.map(argument, value);
    auto type =
        cast<RankedTensorType>(dist::getGlobalArgType(update, index));
    for (Operation *op : reductions) {
      value = builder.clone(*op, mapping)->getResult(0);
      type = reduce(op, type);
    }
    auto gradient = tfm::BindingAttr::get(last.getContext(), StateKind::Gradient,
                                          binding.getName());
    end->setOperand(result, value);
    tfm::setResultBinding(last, result, gradient);
    dist::setGlobalResultType(last, result, type);

    argument.setType(value.getType());
    tfm::setArgBinding(update, index, gradient);
    dist::setGlobalArgType(update, index, type);
    reductions.back()->getResult(0).replaceAllUsesWith(argument);
    for (Operation *op : llvm::reverse(reductions))
      op->erase();
  }

  func::FuncOp update;
  ArrayRef<func::FuncOp> functions;
  int64_t microbatches;
  llvm::MapVector<Operation *, func::FuncOp> lasts;
};

struct StartReductionsPass
    : impl::StartReductionsPassBase<StartReductionsPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (failed(verifySpecialized(module)))
      return signalPassFailure();
    int64_t microbatches = getMicrobatches(module);
    for (auto &[stage, functions] : groupByStage(module))
      for (func::FuncOp function : functions)
        if (getStepPart(function).getPhase() == exec::ListPhase::Update)
          StageReductions(function, functions, microbatches).run();
  }
};

} // namespace
} // namespace mpc
