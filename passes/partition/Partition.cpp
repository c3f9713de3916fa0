//===- Partition.cpp - sharded types become local ones ----------*- C++ -*-===//

#include "dialects/transformer/IR/Transformer.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/partition/LowerReshard.h"
#include "passes/partition/Passes.h"

using namespace mlir;

namespace mpc {

#define GEN_PASS_DEF_PARTITIONPASS
#include "passes/partition/Passes.h.inc"

namespace {

struct PartitionPass : impl::PartitionPassBase<PartitionPass> {
  void runOnOperation() override {
    if (failed(verifyIsNotLowered(getOperation())))
      return signalPassFailure();
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (failed(partition(function)))
        return signalPassFailure();
  }

private:
  LogicalResult partition(func::FuncOp function) {
    if (failed(verifyIsSharded(function)))
      return failure();
    rememberGlobalTypes(function);
    // Reshards first: they need the sharded types on both of their sides.
    SmallVector<std::tuple<Value, RankedTensorType, dist::ReshardOp>> reshards;
    function.walk([&](dist::ReshardOp op) {
      reshards.emplace_back(op.getInput(), op.getInput().getType(), op);
    });
    SmallVector<RankedTensorType> targets;
    for (auto &[input, from, op] : reshards)
      targets.push_back(op.getType());

    for (BlockArgument argument : function.getArguments())
      argument.setType(dist::getLocalType(argument.getType()));
    function.walk([&](Operation *op) {
      if (auto iota = dyn_cast<dist::IotaOp>(op))
        iota.setGlobal(iota.getType());
      for (OpResult result : op->getResults())
        result.setType(dist::getLocalType(result.getType()));
    });
    function.walk([&](dist::ContributeOp op) {
      op.replaceAllUsesWith(op.getInput());
      op.erase();
    });
    for (auto [reshard, target] : llvm::zip_equal(reshards, targets)) {
      auto [input, from, op] = reshard;
      OpBuilder builder(op);
      Value local = lowerReshard(builder, op.getLoc(), op.getPhase(),
                                 op.getInput(), from, target);
      op.replaceAllUsesWith(local);
      op.erase();
    }
    Operation *terminator = function.getBody().front().getTerminator();
    function.setType(FunctionType::get(&getContext(),
                                       function.getBody().getArgumentTypes(),
                                       terminator->getOperandTypes()));
    return success();
  }

  LogicalResult verifyIsSharded(func::FuncOp function) {
    if (!function.getBody().hasOneBlock())
      return function.emitOpError("has ")
             << function.getBody().getBlocks().size()
             << " blocks, expected one";
    for (BlockArgument argument : function.getArguments())
      if (!dist::getSharding(argument))
        return function.emitOpError("argument #")
               << argument.getArgNumber() << " has type " << argument.getType()
               << ", expected a sharded type; run mpc-sharding first";
    WalkResult walked = function.walk([&](Operation *op) {
      for (Type type : op->getResultTypes())
        if (!dist::getSharding(type)) {
          op->emitOpError("has result type ")
              << type << ", expected a sharded type; run mpc-sharding first";
          return WalkResult::interrupt();
        }
      return WalkResult::advance();
    });
    return failure(walked.wasInterrupted());
  }

  /// Sets all attributes at once: one by one would be quadratic.
  void rememberGlobalTypes(func::FuncOp function) {
    auto remember = [&](DictionaryAttr dictionary, Type type) {
      NamedAttrList attributes(dictionary);
      attributes.erase(dist::DistDialect::kPinAttrName);
      attributes.set(dist::DistDialect::kGlobalAttrName, TypeAttr::get(type));
      return attributes.getDictionary(&getContext());
    };
    SmallVector<DictionaryAttr> arguments, results;
    for (auto [index, type] : llvm::enumerate(function.getArgumentTypes()))
      arguments.push_back(remember(
          mlir::function_interface_impl::getArgAttrDict(function, index),
          type));
    for (auto [index, type] : llvm::enumerate(function.getResultTypes()))
      results.push_back(remember(
          mlir::function_interface_impl::getResultAttrDict(function, index),
          type));
    function.setAllArgAttrs(arguments);
    function.setAllResultAttrs(results);
  }
};

} // namespace

LogicalResult verifyIsNotLowered(ModuleOp module) {
  for (Operation &op : *module.getBody())
    if (op.getName().getDialectNamespace() == "exec")
      return op.emitOpError(
          "is of a lowered module; expected one that mpc-lowering has not run "
          "on");
  return success();
}

} // namespace mpc
