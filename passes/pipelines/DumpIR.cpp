//===- DumpIR.cpp - the module between two phases ---------------*- C++ -*-===//

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/ToolOutputFile.h"
#include "passes/pipelines/Passes.h"

using namespace mlir;

namespace mpc {

#define GEN_PASS_DEF_DUMPIRPASS
#define GEN_PASS_DEF_REFUSEPASS
#include "passes/pipelines/Passes.h.inc"

namespace {

struct DumpIRPass : impl::DumpIRPassBase<DumpIRPass> {
  using DumpIRPassBase::DumpIRPassBase;

  void runOnOperation() override {
    markAllAnalysesPreserved();
    StringRef folder = llvm::sys::path::parent_path(file);
    if (!folder.empty())
      (void)!llvm::sys::fs::create_directories(folder); // Opening will tell.
    std::string message;
    auto output = openOutputFile(file, &message);
    if (!output) {
      emitError(getOperation().getLoc()) << message;
      return signalPassFailure();
    }
    getOperation().print(output->os());
    output->os() << "\n";
    output->keep();
  }
};

struct RefusePass : impl::RefusePassBase<RefusePass> {
  void runOnOperation() override { signalPassFailure(); }
};

} // namespace
} // namespace mpc
