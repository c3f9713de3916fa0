//===- VerifyPartitioned.cpp - nothing global is left -----------*- C++ -*-===//

#include "dialects/dist/IR/Dist.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/partition/Passes.h"

using namespace mlir;

namespace mpc {

#define GEN_PASS_DEF_VERIFYPARTITIONEDPASS
#include "passes/partition/Passes.h.inc"

namespace {

struct VerifyPartitionedPass
    : impl::VerifyPartitionedPassBase<VerifyPartitionedPass> {
  void runOnOperation() override {
    markAllAnalysesPreserved();
    WalkResult result = getOperation().walk([](Operation *op) {
      if (isa<dist::ReshardOp, dist::PinOp>(op)) {
        op->emitOpError("is left after partitioning");
        return WalkResult::interrupt();
      }
      SmallVector<Type> types(op->getResultTypes());
      if (auto function = dyn_cast<func::FuncOp>(op)) {
        llvm::append_range(types, function.getArgumentTypes());
        llvm::append_range(types, function.getResultTypes());
      }
      for (Type type : types)
        if (dist::getSharding(type)) {
          op->emitOpError("has type ")
              << type << ", expected a local type after partitioning";
          return WalkResult::interrupt();
        }
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};

} // namespace
} // namespace mpc
