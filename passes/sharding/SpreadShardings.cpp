//===- SpreadShardings.cpp - from pins to types -----------------*- C++ -*-===//
//
// Runs the propagation over every function of a module, in program order, so that
// what one function leaves in a piece of state is what the next one reads.
//
//===----------------------------------------------------------------------===//

#include "passes/partition/Passes.h"
#include "passes/sharding/Passes.h"
#include "passes/sharding/Propagation.h"

using namespace mlir;

namespace mpc {

#define GEN_PASS_DEF_SPREADSHARDINGSPASS
#include "passes/sharding/Passes.h.inc"

namespace {

struct SpreadShardingsPass
    : impl::SpreadShardingsPassBase<SpreadShardingsPass> {
  void runOnOperation() override {
    if (failed(verifyIsNotLowered(getOperation())))
      return signalPassFailure();
    BindingShardings known;
    dist::MeshAttr mesh;
    if (failed(collectPins(known, mesh)))
      return signalPassFailure();
    if (!mesh)
      return;
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (!isSharded(function) &&
          failed(Propagation(function, mesh, known).run()))
        return signalPassFailure();
  }

private:
  /// True if shardings were spread before; what is incomplete, the gate finds.
  static bool isSharded(func::FuncOp function) {
    auto hasSharding = [](Type type) { return !!dist::getSharding(type); };
    if (llvm::any_of(function.getArgumentTypes(), hasSharding))
      return true;
    return function
        .walk([&](Operation *op) {
          return llvm::any_of(op->getResultTypes(), hasSharding)
                     ? WalkResult::interrupt()
                     : WalkResult::advance();
        })
        .wasInterrupted();
  }

  /// The mesh that all pins name, and the pinned state.
  LogicalResult collectPins(BindingShardings &known, dist::MeshAttr &mesh) {
    auto collect = [&](Operation *op, dist::ShardingAttr pin) -> LogicalResult {
      if (!mesh)
        mesh = pin.getMesh();
      if (pin.getMesh() != mesh)
        return op->emitOpError("pins to ")
               << pin.getMesh() << ", other pins to " << mesh;
      return success();
    };
    WalkResult result = getOperation().walk([&](Operation *op) {
      if (auto pin = dyn_cast<dist::PinOp>(op))
        if (failed(collect(op, pin.getSharding())))
          return WalkResult::interrupt();
      auto function = dyn_cast<func::FuncOp>(op);
      if (!function)
        return WalkResult::advance();
      for (BlockArgument argument : function.getArguments()) {
        dist::ShardingAttr pin = dist::getPin(argument);
        if (!pin)
          continue;
        if (failed(collect(op, pin)))
          return WalkResult::interrupt();
        tfm::BindingAttr binding =
            tfm::getArgBinding(function, argument.getArgNumber());
        if (!binding)
          continue;
        dist::ShardingAttr &sharding = known[binding];
        if (sharding && sharding != pin) {
          op->emitOpError("pins ") << binding << " to " << pin
                                   << ", another function to " << sharding;
          return WalkResult::interrupt();
        }
        sharding = pin;
      }
      return WalkResult::advance();
    });
    return failure(result.wasInterrupted());
  }
};

} // namespace
} // namespace mpc
