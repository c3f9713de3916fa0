//===- VerifyShardings.cpp - the world is closed ----------------*- C++ -*-===//
//
// The gate between spreading and partitioning. Ops of upstream dialects ignore
// encodings and would fold partial constants wrongly, so none may stand here.
//
//===----------------------------------------------------------------------===//

#include "dialects/transformer/IR/Transformer.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/sharding/Passes.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace mpc {

#define GEN_PASS_DEF_VERIFYSHARDINGSPASS
#include "passes/sharding/Passes.h.inc"

namespace {

struct VerifyShardingsPass
    : impl::VerifyShardingsPassBase<VerifyShardingsPass> {
  void runOnOperation() override {
    markAllAnalysesPreserved();
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (failed(verifyFunction(function)))
        return signalPassFailure();
  }

private:
  LogicalResult verifyFunction(func::FuncOp function) {
    if (!function.getBody().hasOneBlock())
      return function.emitOpError("has ")
             << function.getBody().getBlocks().size()
             << " blocks, expected one";
    for (BlockArgument argument : function.getArguments())
      if (failed(verifyType(function, argument.getType(), "argument",
                            argument.getArgNumber())) ||
          failed(verifyState(function,
                             tfm::getArgBinding(function,
                                                argument.getArgNumber()),
                             argument.getType())))
        return failure();
    for (auto [index, type] : llvm::enumerate(function.getResultTypes()))
      if (failed(verifyState(function, tfm::getResultBinding(function, index),
                             type)))
        return failure();
    for (Operation &op : function.getBody().front())
      if (failed(verifyOp(&op)))
        return failure();
    return success();
  }

  LogicalResult verifyOp(Operation *op) {
    if (op->getNumRegions())
      return op->emitOpError("has a region; expected only ops with a sharding "
                             "rule before partitioning");
    auto isTensor = llvm::IsaPred<RankedTensorType>;
    if (llvm::none_of(op->getOperandTypes(), isTensor) &&
        llvm::none_of(op->getResultTypes(), isTensor))
      return success();
    for (auto [index, type] : llvm::enumerate(op->getOperandTypes()))
      if (failed(verifyType(op, type, "operand", index)))
        return failure();
    for (auto [index, type] : llvm::enumerate(op->getResultTypes()))
      if (failed(verifyType(op, type, "result", index)))
        return failure();
    if (isa<func::ReturnOp, dist::ReshardOp, dist::ContributeOp>(op))
      return success();
    if (isa<dist::PinOp>(op))
      return op->emitOpError("is left; expected `mpc-spread-shardings` to have "
                             "replaced it");
    if (!isa<ShardingRuleOpInterface>(op))
      return op->emitOpError("has no sharding rule; implement "
                             "ShardingRuleOpInterface for it (CONTRIBUTING.md)");
    return detail::verifyShardingRule(op);
  }

  LogicalResult verifyType(Operation *op, Type type, StringRef role,
                           unsigned index) {
    if (!isa<RankedTensorType>(type))
      return op->emitOpError() << role << " #" << index << " has type " << type
                               << ", expected a ranked tensor";
    dist::ShardingAttr sharding = dist::getSharding(type);
    if (!sharding)
      return op->emitOpError() << role << " #" << index << " has type " << type
                               << ", expected a sharded type";
    if (!mesh)
      mesh = sharding.getMesh();
    if (sharding.getMesh() != mesh)
      return op->emitOpError() << role << " #" << index << " is sharded over "
                               << sharding.getMesh() << ", others over " << mesh;
    return success();
  }

  LogicalResult verifyState(func::FuncOp function, tfm::BindingAttr binding,
                            Type type) {
    if (!binding)
      return success();
    auto [it, isNew] = typeOf.insert({binding, type});
    if (!isNew && it->second != type)
      return function.emitOpError("binds ")
             << binding << " as " << type << ", elsewhere it is " << it->second;
    return success();
  }

  dist::MeshAttr mesh;
  llvm::MapVector<tfm::BindingAttr, Type> typeOf;
};

} // namespace
} // namespace mpc
