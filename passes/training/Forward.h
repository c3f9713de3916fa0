//===- Forward.h - what a model's module holds ------------------*- C++ -*-===//
//
// Access to the imported function and the settings, with an error that names
// what is missing.
//
//===----------------------------------------------------------------------===//

#ifndef MPC_PASSES_TRAINING_FORWARD_H
#define MPC_PASSES_TRAINING_FORWARD_H

#include "dialects/transformer/IR/Transformer.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mpc {

/// The function @forward, of one block; an error if the module has none.
mlir::FailureOr<mlir::func::FuncOp> getForward(mlir::ModuleOp module);

/// The module's `tfm.training`; an error if it has none.
mlir::FailureOr<tfm::TrainingAttr> getRequiredTraining(mlir::ModuleOp module);

/// Sizes of `tfm.strategy`, all 1 without a strategy; an error if one is
/// below 1.
struct StrategySizes {
  int64_t tp = 1, dp = 1, microbatches = 1;
};
mlir::FailureOr<StrategySizes> getStrategySizes(mlir::ModuleOp module);

} // namespace mpc

#endif // MPC_PASSES_TRAINING_FORWARD_H
