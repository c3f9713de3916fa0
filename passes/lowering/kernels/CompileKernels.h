// Kernels as a shared object: the interface of this folder.
#ifndef MPC_PASSES_LOWERING_KERNELS_COMPILEKERNELS_H
#define MPC_PASSES_LOWERING_KERNELS_COMPILEKERNELS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include <string>
#include <utility>

namespace mpc::kernels {

/// The machine that kernels are compiled for.
enum class Cpu {
  /// x86-64-v3: AVX2 and FMA.
  Baseline,
  /// The machine that compiles.
  Native,
};

/// What the plan and the memory planner need to know of a kernel.
struct KernelInfo {
  /// Iterations of the outermost loop, which threads may divide.
  int64_t extent = 1;
  /// The pairs (argument, result) that may be the same memory.
  llvm::SmallVector<std::pair<unsigned, unsigned>> inPlace;

  bool canAlias(unsigned input, unsigned output) const {
    return llvm::is_contained(inPlace, std::pair(input, output));
  }
};

/// The dialects and translations that the functions below use. A pass that
/// calls them does this in `getDependentDialects`.
void registerKernelDialects(mlir::DialectRegistry &registry);

/// Replaces the ops of the transformer dialect in a kernel by their
/// decompositions, except in a kernel that emits itself.
mlir::LogicalResult decomposeKernel(mlir::func::FuncOp kernel);

/// Reads from a kernel's schedule what its callers need to know. A kernel is a
/// function from tensors of static sizes (f32, f64, bf16,
/// f16, i32, i64) to tensors, with
/// a body of linalg ops, `tensor.empty` and constants; `tensor.extract` from
/// an argument may stand in a linalg body. Or its body is a
/// `tfm.embedding_grad` of arguments, perhaps added to another by `tfm.add` or
/// `tfm.accumulate`. Emits an error where it is not one.
mlir::FailureOr<KernelInfo> analyzeKernel(mlir::func::FuncOp kernel);

/// Adds to `module` the function `void name(ptr buffers, i64 begin, i64 end)`
/// of each kernel, in terms of loops and the LLVM dialect. The kernels
/// themselves are not changed.
mlir::LogicalResult generateKernels(llvm::ArrayRef<mlir::func::FuncOp> kernels,
                                    mlir::ModuleOp module);

struct KernelObject {
  /// An ELF shared object that exports each kernel under its name.
  std::string object;
  std::string triple;
  /// Features of the instruction set that must be there, sorted.
  llvm::SmallVector<std::string> cpuFeatures;
};

/// Compiles kernels to one shared object. It needs nothing but memcpy, memmove
/// and memset from the program that loads it. The result is a function of the
/// kernels and the machine alone.
mlir::FailureOr<KernelObject>
compileKernels(llvm::ArrayRef<mlir::func::FuncOp> kernels, Cpu cpu);

} // namespace mpc::kernels

#endif // MPC_PASSES_LOWERING_KERNELS_COMPILEKERNELS_H
