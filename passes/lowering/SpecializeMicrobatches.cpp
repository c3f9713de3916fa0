//===- SpecializeMicrobatches.cpp -------------------------------*- C++ -*-===//
//
// The first microbatch of a step finds in the accumulators what the last step left
// there. Rather than to be set to zero, they are written by it.
//
//===----------------------------------------------------------------------===//

#include "dialects/transformer/IR/Transformer.h"
#include "passes/lowering/Passes.h"
#include "passes/lowering/StepParts.h"

using namespace mlir;

namespace mpc {

#define GEN_PASS_DEF_SPECIALIZEMICROBATCHESPASS
#include "passes/lowering/Passes.h.inc"

namespace {

/// Whether a function adds to state that earlier microbatches have written.
bool accumulates(func::FuncOp function) {
  return function
      .walk([](tfm::AccumulateOp op) {
        return isa<BlockArgument>(op.getAccumulator())
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Accumulators that are arguments are zero: their sum with an addend is the
/// addend.
void assumeZeroAccumulators(func::FuncOp function) {
  SmallVector<tfm::AccumulateOp> ops;
  function.walk([&](tfm::AccumulateOp op) {
    if (isa<BlockArgument>(op.getAccumulator()))
      ops.push_back(op);
  });
  for (tfm::AccumulateOp op : ops) {
    op.replaceAllUsesWith(op.getAddend());
    op.erase();
  }
}

struct SpecializeMicrobatchesPass
    : impl::SpecializeMicrobatchesPassBase<SpecializeMicrobatchesPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    bool several = getMicrobatches(module) > 1;
    for (auto function :
         llvm::make_early_inc_range(module.getOps<func::FuncOp>())) {
      bool isMicrobatch =
          isOfMicrobatch(getStepPart(function)) && accumulates(function);
      if (isMicrobatch && several) {
        auto middle = cast<func::FuncOp>(function->clone());
        middle.setSymName((function.getSymName() + "_middle").str());
        exec::setVariant(middle, exec::Variant::Middle);
        module.insert(++function->getIterator(), middle);
      }
      exec::setVariant(function, isMicrobatch && several
                                     ? exec::Variant::First
                                     : exec::Variant::Only);
      if (isMicrobatch)
        assumeZeroAccumulators(function);
    }
  }
};

} // namespace
} // namespace mpc
