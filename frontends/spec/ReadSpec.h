//===- ReadSpec.h - jobs, training settings, strategies as text -*- C++ -*-===//
//
// Readers of the messages of spec.proto in text format. Errors are diagnostics
// with the line and column of the file.
//
//===----------------------------------------------------------------------===//

#ifndef MPC_FRONTENDS_SPEC_READSPEC_H
#define MPC_FRONTENDS_SPEC_READSPEC_H

#include "frontends/model/ModelSpec.h"
#include "passes/planning/Passes.h"
#include "llvm/Support/MemoryBufferRef.h"

namespace mpc {

/// Reads a Strategy, as of `strategy-file`. Each value is in its own range;
/// whether they fit one another and the model is not checked, for options may
/// still change them.
mlir::FailureOr<StrategyOverrides> parseStrategy(llvm::MemoryBufferRef file,
                                                 mlir::MLIRContext *context);

/// Reads a Training over the defaults in `training`.
mlir::LogicalResult readTraining(llvm::MemoryBufferRef file,
                                 SettingOrigins &origins,
                                 TrainingSpec &training);

struct JobSpec {
  ModelSpec model;
  TrainingSpec training;
  std::optional<StrategyOverrides> strategy;
};

/// Reads a Job. What it requires is there, but nothing else is checked.
mlir::FailureOr<JobSpec> readJob(llvm::MemoryBufferRef file,
                                 SettingOrigins &origins);

} // namespace mpc

#endif // MPC_FRONTENDS_SPEC_READSPEC_H
