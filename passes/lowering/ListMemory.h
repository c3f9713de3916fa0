//===- ListMemory.h - the memory of the values of one function --*- C++ -*-===//
//
// A value lies in the state that it is returned to, wherever what the state held
// before is not read any more; else in the memory of an operand that dies with the
// op, where the op allows it; else in transient memory of its own.
//
//===----------------------------------------------------------------------===//

#ifndef MPC_PASSES_LOWERING_LISTMEMORY_H
#define MPC_PASSES_LOWERING_LISTMEMORY_H

#include "passes/lowering/OffsetAssignment.h"
#include "passes/lowering/StateTable.h"
#include "passes/lowering/Steps.h"

namespace mpc {

class ListMemory {
public:
  ListMemory(mlir::func::FuncOp function, const StateTable &states);

  const Steps &getSteps() const { return steps; }
  exec::SliceAttr getSlice(mlir::Value value) const;
  /// Working memory of the step of `op`; null if it needs none.
  exec::SliceAttr getWorkspace(mlir::Operation *op) const;
  int64_t getTransientBytes() const { return transientBytes; }

  /// What is to be copied at the end of the list, since it could not be computed in
  /// the state that it is returned to. Fails, with an error, where no order of
  /// copies does it.
  struct Copy {
    exec::SliceAttr source, destination;
  };
  mlir::FailureOr<llvm::SmallVector<Copy>> getFinalCopies() const;

private:
  /// Where a value lies: in a state, or in a buffer of transient memory.
  struct Place {
    exec::SliceAttr state;
    unsigned buffer = 0;
  };

  void placeArguments();
  void chooseHomes();
  void keepHomes(const Step &step);
  bool canWrite(exec::SliceAttr state, mlir::OpResult result) const;
  mlir::Value findInput(mlir::OpResult result,
                        llvm::function_ref<bool(mlir::Value)> accept) const;
  void placeResults(const Step &step);
  void reserveWorkspace(const Step &step);
  unsigned addBuffer(int64_t bytes, int64_t first, int64_t last);

  mlir::func::FuncOp function;
  /// Its return.
  mlir::Operation *end;
  const StateTable &states;
  Steps steps;
  /// States that values computed here are to be written to.
  llvm::DenseMap<mlir::Value, exec::SliceAttr> homes;
  /// The arguments that begin in a state.
  llvm::DenseMap<exec::SliceAttr, llvm::SmallVector<mlir::Value, 1>> arguments;
  /// Argument states whose contents nobody needs after this function.
  llvm::DenseSet<exec::SliceAttr> consumable;
  llvm::DenseMap<mlir::Value, Place> places;
  llvm::DenseMap<mlir::Operation *, unsigned> workspaces;
  llvm::SmallVector<Lifetime> buffers;
  int64_t transientBytes = 0;
};

} // namespace mpc

#endif // MPC_PASSES_LOWERING_LISTMEMORY_H
