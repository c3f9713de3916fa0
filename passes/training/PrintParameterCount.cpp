//===- PrintParameterCount.cpp - how large a model is -----------*- C++ -*-===//

#include "passes/training/Passes.h"

using namespace mlir;

namespace mpc {

#define GEN_PASS_DEF_PRINTPARAMETERCOUNTPASS
#include "passes/training/Passes.h.inc"

namespace {

struct PrintParameterCountPass
    : impl::PrintParameterCountPassBase<PrintParameterCountPass> {
  void runOnOperation() override {
    markAllAnalysesPreserved();
    auto forward = getOperation().lookupSymbol<func::FuncOp>(tfm::kForward);
    if (!forward) {
      getOperation().emitError()
          << "has no function @" << tfm::kForward
          << "; parameters are counted in a model as it was imported, "
             "so before mpc-compile";
      return signalPassFailure();
    }
    int64_t count = 0;
    for (unsigned arg = 0; arg < forward.getNumArguments(); ++arg) {
      tfm::ParameterAttr parameter = tfm::getParameter(forward, arg);
      if (!parameter)
        continue;
      int64_t elements = 1;
      for (int64_t size : parameter.getLogicalShape())
        elements *= size;
      count += elements;
    }
    llvm::outs() << "parameters: " << count << "\n";
  }
};

} // namespace
} // namespace mpc
