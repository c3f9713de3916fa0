// Shows the loops that come of each kernel.
#include "passes/lowering/kernels/CompileKernels.h"
#include "passes/lowering/kernels/Passes.h"

using namespace mlir;

namespace mpc::kernels {

#define GEN_PASS_DEF_GENERATEKERNELSPASS
#include "passes/lowering/kernels/Passes.h.inc"

namespace {

struct GenerateKernelsPass
    : impl::GenerateKernelsPassBase<GenerateKernelsPass> {
  using GenerateKernelsPassBase::GenerateKernelsPassBase;

  void getDependentDialects(DialectRegistry &registry) const override {
    registerKernelDialects(registry);
  }

  void runOnOperation() override {
    SmallVector<func::FuncOp> kernels;
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (function.isPrivate() && !function.isDeclaration())
        kernels.push_back(function);
    for (func::FuncOp kernel : kernels)
      if (printFacts && failed(printKernelFacts(kernel)))
        return signalPassFailure();
    // Beside the kernels, two functions of one name would stand.
    OwningOpRef<ModuleOp> generated = ModuleOp::create(getOperation().getLoc());
    if (failed(generateKernels(kernels, *generated)))
      return signalPassFailure();
    for (func::FuncOp kernel : kernels)
      kernel.erase();
    Block *body = getOperation().getBody();
    body->getOperations().splice(body->end(),
                                 generated->getBody()->getOperations());
  }

  LogicalResult printKernelFacts(func::FuncOp kernel) {
    FailureOr<KernelInfo> info = analyzeKernel(kernel);
    if (failed(info))
      return failure();
    InFlightDiagnostic remark = kernel.emitRemark("extent ") << info->extent;
    for (auto [input, output] : info->inPlace)
      remark << ", argument #" << input << " may be result #" << output;
    return success();
  }
};

} // namespace

} // namespace mpc::kernels
