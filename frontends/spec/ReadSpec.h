//===- ReadSpec.h - jobs, training settings, strategies as text -*- C++ -*-===//
//
// Readers of the messages of spec.proto in text format. Errors are diagnostics
// with the line and column of the file.
//
//===----------------------------------------------------------------------===//

#ifndef MPC_FRONTENDS_SPEC_READSPEC_H
#define MPC_FRONTENDS_SPEC_READSPEC_H

#include "frontends/model/ModelSpec.h"
#include "llvm/Support/MemoryBufferRef.h"

namespace mpc {

/// A strategy in which what was not written is absent. Each value is in its own
/// range; whether they fit one another and the model is not checked, for
/// options may still change them.
struct StrategySettings {
  std::optional<int64_t> tp, dp, microbatches, zero;
  std::optional<bool> sequenceParallel, strict;

  /// `base`, or the defaults if it is null, with what is set here.
  tfm::StrategyAttr applyTo(tfm::StrategyAttr base,
                            mlir::MLIRContext *context) const;
};

/// Reads a Strategy, as of `strategy-file`.
mlir::FailureOr<StrategySettings> parseStrategy(llvm::MemoryBufferRef file,
                                                mlir::MLIRContext *context);

/// Reads a Training over the defaults in `training`.
mlir::LogicalResult readTraining(llvm::MemoryBufferRef file,
                                 SettingOrigins &origins,
                                 TrainingSpec &training);

struct JobSpec {
  ModelSpec model;
  TrainingSpec training;
  std::optional<StrategySettings> strategy;
};

/// Reads a Job. What it requires is there, but nothing else is checked.
mlir::FailureOr<JobSpec> readJob(llvm::MemoryBufferRef file,
                                 SettingOrigins &origins);

} // namespace mpc

#endif // MPC_FRONTENDS_SPEC_READSPEC_H
