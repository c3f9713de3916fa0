//===- CompileKernels.cpp - from kernel functions to an object --*- C++ -*-===//

#include "dialects/exec/IR/Exec.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "passes/lowering/Passes.h"

using namespace mlir;

namespace mpc {

#define GEN_PASS_DEF_COMPILEKERNELSPASS
#include "passes/lowering/Passes.h.inc"

namespace {

struct CompileKernelsPass : impl::CompileKernelsPassBase<CompileKernelsPass> {
  using CompileKernelsPassBase::CompileKernelsPassBase;

  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<exec::ExecDialect>();
    kernels::registerKernelDialects(registry);
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    // Decomposed in a copy: the bodies tell what a kernel is.
    OwningOpRef<ModuleOp> copies = ModuleOp::create(module.getLoc());
    OpBuilder copy = OpBuilder::atBlockEnd(copies->getBody());
    SmallVector<func::FuncOp> decomposed;
    for (auto kernel : module.getOps<func::FuncOp>()) {
      if (!kernel.isPrivate())
        continue;
      auto clone = cast<func::FuncOp>(copy.clone(*kernel));
      if (failed(kernels::decomposeKernel(clone)))
        return signalPassFailure();
      FailureOr<kernels::KernelInfo> info = kernels::analyzeKernel(clone);
      if (failed(info))
        return signalPassFailure();
      annotate(kernel, *info);
      decomposed.push_back(clone);
    }
    FailureOr<kernels::KernelObject> object =
        kernels::compileKernels(decomposed, cpu);
    if (failed(object))
      return signalPassFailure();
    writeTarget(*object);
  }

private:
  void annotate(func::FuncOp kernel, const kernels::KernelInfo &info) {
    SmallVector<int64_t> inputs, outputs;
    for (auto [input, output] : info.inPlace) {
      inputs.push_back(input);
      outputs.push_back(output);
    }
    exec::setCompiled(kernel, exec::CompiledAttr::get(&getContext(),
                                                      info.extent, inputs,
                                                      outputs));
  }

  void writeTarget(const kernels::KernelObject &object) {
    ModuleOp module = getOperation();
    OpBuilder builder = OpBuilder::atBlockBegin(module.getBody());
    DenseResourceElementsAttr code;
    if (!object.object.empty()) {
      auto type = RankedTensorType::get(int64_t(object.object.size()),
                                        builder.getI8Type());
      code = DenseResourceElementsAttr::get(
          type, "kernels",
          HeapAsmResourceBlob::allocateAndCopyWithAlign(
              ArrayRef(object.object.data(), object.object.size()), 64));
    }
    SmallVector<StringRef> features(object.cpuFeatures.begin(),
                                    object.cpuFeatures.end());
    exec::TargetOp::create(builder, module.getLoc(), exec::DeviceKind::Cpu,
                           builder.getStringAttr(object.triple),
                           builder.getStrArrayAttr(features), code);
  }
};

} // namespace
} // namespace mpc
