//===- StepParts.h - the functions of a step, by stage ----------*- C++ -*-===//
//
// Which part of a training step a function is, and the order in which a stage runs
// its functions.
//
//===----------------------------------------------------------------------===//

#ifndef MPC_PASSES_LOWERING_STEPPARTS_H
#define MPC_PASSES_LOWERING_STEPPARTS_H

#include "dialects/exec/IR/Exec.h"
#include "dialects/transformer/IR/Transformer.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/pipeline/Schedule.h"
#include "llvm/ADT/MapVector.h"

namespace mpc {

/// What `exec.part` says, or, where a step has one stage, the function's name.
exec::PartAttr getStepPart(mlir::func::FuncOp function);

/// Whether a part runs once a microbatch.
bool isOfMicrobatch(exec::PartAttr part);

/// Whether `function` is the first of `functions`, in the order of a microbatch, that
/// reads `binding`. The variants of a part count as one.
bool isFirstReader(mlir::func::FuncOp function, tfm::BindingAttr binding,
                   llvm::ArrayRef<mlir::func::FuncOp> functions);

/// Emits an error where a function is none of a partitioned step that
/// `mpc-specialize-microbatches` has run on: of one block, for certain microbatches,
/// all arguments and results bound and with their sharded types.
mlir::LogicalResult verifySpecialized(mlir::ModuleOp module);

/// The microbatches of a step; 1 without a strategy.
int64_t getMicrobatches(mlir::ModuleOp module);

/// The functions of a step by stage.
llvm::MapVector<int64_t, llvm::SmallVector<mlir::func::FuncOp>>
groupByStage(mlir::ModuleOp module);

/// Which argument or result of `function` is bound so, if one is.
std::optional<unsigned> findArgument(mlir::func::FuncOp function,
                                     tfm::BindingAttr binding);
std::optional<unsigned> findResult(mlir::func::FuncOp function,
                                   tfm::BindingAttr binding);

/// Gives a function of one block the type that its arguments and its return say.
void updateFunctionType(mlir::func::FuncOp function);

/// One run of a function in a step.
struct StepRun {
  mlir::func::FuncOp function;
  int64_t microbatch = 0;
  int64_t slot = 0;
};

/// What a stage runs in a step, in order: as `schedule` says, or, where that is null,
/// one microbatch after another. `functions` are the stage's. Emits an error where
/// one is missing, or the stage is none of the schedule's.
mlir::FailureOr<llvm::SmallVector<StepRun>>
listRuns(mlir::ModuleOp module, const Schedule *schedule, int64_t stage,
         llvm::ArrayRef<mlir::func::FuncOp> functions);

} // namespace mpc

#endif // MPC_PASSES_LOWERING_STEPPARTS_H
