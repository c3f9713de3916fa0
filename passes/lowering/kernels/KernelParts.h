// A kernel as independent parts, each with rows of its own.
#ifndef MPC_PASSES_LOWERING_KERNELS_KERNELPARTS_H
#define MPC_PASSES_LOWERING_KERNELS_KERNELPARTS_H

#include "mlir/IR/OwningOpRef.h"
#include "passes/lowering/kernels/Schedule.h"

namespace mpc::kernels {

/// Results of a kernel that share no intermediate value need not share rows:
/// rows [0, e0) are the first part's, [e0, e0 + e1) the second's, and so on.
/// Results that read the same arguments and have the same rows stay together,
/// so that they are read once.
class KernelParts {
public:
  struct Part {
    /// A function from the kernel's arguments to this part's results. The
    /// kernel itself where it is all of it; else owned here.
    mlir::func::FuncOp function;
    mlir::OwningOpRef<mlir::func::FuncOp> owned;
    /// The kernel's results that the part's are.
    llvm::SmallVector<unsigned> results;
    Schedule schedule;
    int64_t firstRow = 0;
  };

  /// Emits an error where a part cannot be scheduled.
  static mlir::FailureOr<KernelParts> create(mlir::func::FuncOp kernel);

  /// Number of rows.
  int64_t extent() const;

  /// Whether the kernel stays right when result `output` is the same memory as
  /// argument `input`. Where one buffer is several arguments, ask for each.
  bool canAlias(unsigned input, unsigned output) const;

  llvm::ArrayRef<Part> getParts() const { return parts; }

private:
  mlir::LogicalResult build(mlir::func::FuncOp kernel);
  void mergeParts(mlir::func::FuncOp kernel);

  std::vector<Part> parts;
};

} // namespace mpc::kernels

#endif // MPC_PASSES_LOWERING_KERNELS_KERNELPARTS_H
