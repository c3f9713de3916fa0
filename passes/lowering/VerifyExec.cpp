//===- VerifyExec.cpp -------------------------------------------*- C++ -*-===//
//
// The gate at the end of the compiler: what passes can be written as a plan. Slices
// and handles are checked by the ops that hold them.
//
//===----------------------------------------------------------------------===//

#include "passes/lowering/VerifyExec.h"

#include "passes/lowering/Passes.h"

using namespace mlir;

namespace mpc {

#define GEN_PASS_DEF_VERIFYEXECPASS
#include "passes/lowering/Passes.h.inc"

LogicalResult verifyExec(ModuleOp module) {
  exec::TargetOp target;
  Operation *kernel = nullptr;
  uint64_t stages = 0;
  for (Operation &op : *module.getBody()) {
    if (isa<exec::ChannelOp>(op))
      continue;
    if (!isa<exec::TargetOp, exec::KernelOp, exec::RoleOp>(op))
      return op.emitOpError("is left, expected exec ops only, as in a module "
                            "compiled by mpc-opt --mpc-compile");
    if (auto another = dyn_cast<exec::TargetOp>(op)) {
      if (target)
        return op.emitOpError("is a second target");
      target = another;
    } else if (auto role = dyn_cast<exec::RoleOp>(op)) {
      if (role.getStage() != stages)
        return op.emitOpError("is for stage ")
               << role.getStage() << ", expected stage " << stages;
      ++stages;
    } else {
      kernel = &op;
    }
  }
  if (!target || stages == 0)
    return module.emitOpError("has no ")
           << (target ? "exec.role" : "exec.target");
  if (kernel && !target.getObject())
    return kernel->emitOpError("stands without an object of the target");
  return success();
}

namespace {

struct VerifyExecPass : impl::VerifyExecPassBase<VerifyExecPass> {
  void runOnOperation() override {
    markAllAnalysesPreserved();
    if (failed(verifyExec(getOperation())))
      signalPassFailure();
  }
};

} // namespace
} // namespace mpc
