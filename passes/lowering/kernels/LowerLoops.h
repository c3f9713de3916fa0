// The stages between a kernel's loops and a shared object.
#ifndef MPC_PASSES_LOWERING_KERNELS_LOWERLOOPS_H
#define MPC_PASSES_LOWERING_KERNELS_LOWERLOOPS_H

#include "passes/lowering/kernels/CompileKernels.h"
#include "llvm/ADT/SmallString.h"

namespace llvm {
class Module;
class TargetMachine;
} // namespace llvm

namespace mpc::kernels {

/// Replaces scf, arith and math in `module` by the LLVM dialect. Emits an error
/// for a function of math that has no form without a call.
mlir::LogicalResult lowerLoops(mlir::ModuleOp module);

/// The machine of `cpu`; null and `error` set where LLVM does not know it.
std::unique_ptr<llvm::TargetMachine> createTargetMachine(Cpu cpu,
                                                         std::string &error);

/// Optimises `module` and makes an ELF object of it.
void compileModule(llvm::Module &module, llvm::TargetMachine &machine,
                   llvm::SmallVectorImpl<char> &object);

/// Links an object to a shared object; false and `error` set where the linker
/// fails.
bool linkSharedObject(llvm::StringRef object, std::string &sharedObject,
                      std::string &error);

} // namespace mpc::kernels

#endif // MPC_PASSES_LOWERING_KERNELS_LOWERLOOPS_H
