//===- TrainingStep.h - a whole step on the host ----------------*- C++ -*-===//
//
// Runs the three functions of a step, as the runtime would, on the evaluator: in
// the global view, with sharded types, or partitioned.
//
//===----------------------------------------------------------------------===//

#ifndef MPC_TEST_EXECUTION_TRAININGSTEP_H
#define MPC_TEST_EXECUTION_TRAININGSTEP_H

#include "dialects/transformer/IR/Transformer.h"
#include "mlir/IR/OwningOpRef.h"
#include "test/execution/Evaluator.h"
#include "llvm/ADT/MapVector.h"

namespace mpc::execution {

/// The values of all states, in the global view.
using State = llvm::MapVector<tfm::BindingAttr, Array>;

/// Models whose sizes divide by 2, 3 and 4.
enum class SmallModel {
  /// Two layers, a tied and padded table, grouped heads, dropout, AdamW.
  Gpt,
  /// One layer with a head of its own, no biases, dropout or clipping, SGD.
  Plain,
};

/// The training step of a model with two microbatches, in the global view.
mlir::OwningOpRef<mlir::ModuleOp> buildSmallStep(mlir::MLIRContext *context,
                                                 SmallModel kind);

/// Random values for all arguments that no earlier function of the step computes;
/// batch inputs of one microbatch are named with its number appended.
State makeState(mlir::ModuleOp step, Random &random);

/// Runs the step and returns every result of its functions, by function, state
/// and, of @forward_backward, microbatch. `mesh` is null in the global view.
/// Nothing if something could not be evaluated, of which a diagnostic tells, or
/// ranks disagree.
mlir::FailureOr<std::map<std::string, Array>>
runStep(mlir::ModuleOp step, const State &initial, dist::MeshAttr mesh,
        Random *random = nullptr);

constexpr int64_t kMicrobatches = 2;

} // namespace mpc::execution

#endif // MPC_TEST_EXECUTION_TRAININGSTEP_H
