//===- Steps.h - the commands of a function, before they have memory -*- C++ -*-===//
//
// Memory is planned in steps: most ops are one, a collective is two (start, wait),
// and a product that adds itself to an accumulator is one with the accumulation.
//
//===----------------------------------------------------------------------===//

#ifndef MPC_PASSES_LOWERING_STEPS_H
#define MPC_PASSES_LOWERING_STEPS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"

namespace mpc {

struct Step {
  mlir::Operation *op;
  /// The second step of a collective.
  bool isWait = false;
};

/// The steps of a function of the step, in order, and when values are used. Times
/// are indices of steps; arguments are there at -1, and what a function returns is
/// read at `getEnd()`.
class Steps {
public:
  explicit Steps(mlir::func::FuncOp function);

  llvm::ArrayRef<Step> getSteps() const { return steps; }
  int64_t getEnd() const { return steps.size(); }

  /// When `op` begins to write its results, and when it has read its operands.
  int64_t getBegin(mlir::Operation *op) const { return begins.lookup(op); }
  int64_t getReadEnd(mlir::Operation *op) const;

  /// When `value` is read for the last time; -1 if never.
  int64_t getLastUse(mlir::Value value) const;
  /// Whether nothing reads `value` but `op`, or everything else that does is done
  /// before `op` begins to write.
  bool isLastReader(mlir::Operation *op, mlir::Value value) const;

private:
  void addUse(mlir::Value value, mlir::Operation *reader, int64_t time);

  struct Use {
    mlir::Operation *reader = nullptr;
    int64_t time = -1;
    /// The last read of any other reader.
    int64_t previous = -1;
  };

  llvm::SmallVector<Step> steps;
  llvm::DenseMap<mlir::Operation *, int64_t> begins;
  llvm::DenseMap<mlir::Operation *, int64_t> waits;
  llvm::DenseMap<mlir::Value, Use> uses;
};

/// dist.all_reduce and the like: what takes two steps.
bool isCollective(mlir::Operation *op);

/// What the step of `op` reads, repetitions included: its operands, or, where it
/// accumulates a product, the accumulator and the product's operands.
llvm::SmallVector<mlir::Value> getReads(mlir::Operation *op);

/// Whether `result` of `op` may have the memory of `value`, which `op` reads.
bool canShareMemory(mlir::Operation *op, mlir::Value value,
                    mlir::OpResult result);

/// The kernel that a call calls.
mlir::func::FuncOp getKernel(mlir::func::CallOp call);

} // namespace mpc

#endif // MPC_PASSES_LOWERING_STEPS_H
