//===- SplitScalars.h - the update of one stage -----------------*- C++ -*-===//
//
// The update of a step is, but for a few scalars, the updates of its parameters,
// each of which is at home on one stage. This finds what depends on several stages.
//
//===----------------------------------------------------------------------===//

#ifndef MPC_PASSES_PIPELINE_SPLITSCALARS_H
#define MPC_PASSES_PIPELINE_SPLITSCALARS_H

#include "passes/training/StepFunction.h"

namespace mpc {

/// Who has a value: every stage, one stage, or none as a whole: it is the sum of
/// what the stages have.
struct Owner {
  enum Kind { All, One, Sum };
  Kind kind = All;
  int64_t stage = 0;
};

using OwnerOfState =
    llvm::function_ref<std::optional<int64_t>(tfm::BindingAttr)>;

/// Of each value of `update`. `ownerOf` gives the stage that has a piece of
/// state, nothing for one that all have. Fails if an op that is not linear reads
/// state of several stages.
mlir::FailureOr<llvm::DenseMap<mlir::Value, Owner>>
findOwners(mlir::func::FuncOp update, OwnerOfState ownerOf);

/// Writes one stage's part of an update into a function.
class UpdateWriter {
public:
  UpdateWriter(mlir::func::FuncOp update,
               const llvm::DenseMap<mlir::Value, Owner> &owners,
               StepFunction &function, int64_t stage)
      : update(update), owners(owners), function(function), stage(stage) {}

  /// What an argument of the update is on this stage, if not the state it is
  /// bound to.
  void setArgument(mlir::Value argument, mlir::Value here) {
    values[argument] = here;
  }
  mlir::BlockArgument addArgument(unsigned index);

  void write();

private:
  bool isHere(mlir::Value value) const;
  bool readsShares(mlir::Operation *op) const;
  void writeSum(mlir::Operation *op);
  void writeHere(mlir::Operation *op);
  mlir::Value getZero(mlir::Value value);
  /// `value`, whoever has it: a sum over the stages where not all do.
  mlir::Value getWhole(mlir::Value value);
  mlir::Value contribute(mlir::Value value);

  mlir::func::FuncOp update;
  const llvm::DenseMap<mlir::Value, Owner> &owners;
  StepFunction &function;
  int64_t stage;
  llvm::DenseMap<mlir::Value, mlir::Value> values, wholes;
  /// By type.
  llvm::DenseMap<mlir::Type, mlir::Value> zeros;
};

} // namespace mpc

#endif // MPC_PASSES_PIPELINE_SPLITSCALARS_H
