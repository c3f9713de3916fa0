// One rank's training step: inputs, batches and the schedule.
#ifndef MPC_RUNTIME_TRAIN_STEP_RUNNER_H_
#define MPC_RUNTIME_TRAIN_STEP_RUNNER_H_

#include <cstdint>
#include <functional>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "runtime/data/batch_loader.h"
#include "runtime/data/batch_source.h"
#include "runtime/executor/rank_program.h"

namespace mpc::runtime {

/// Feeds a rank's program. Used by the thread of the rank.
class StepRunner {
 public:
  /// Both must outlive the runner. kInvalidArgument if the plan has an input
  /// scalar or batch input that this runtime does not know.
  static absl::StatusOr<StepRunner> Create(RankProgram* program,
                                           const BatchSource* source,
                                           uint32_t seed);

  /// Runs step `step`, from 1. `after_entry` may be empty; see StepCallbacks.
  absl::Status Run(int64_t step,
                   const std::function<absl::Status(int entry)>& after_entry);

  /// The learning rate of a step as the program gets it.
  float LearningRate(int64_t step) const;

 private:
  StepRunner(RankProgram* program, BatchLoader loader, uint32_t seed)
      : program_(program), loader_(std::move(loader)), seed_(seed) {}

  absl::Status WriteInputs(int64_t step);

  RankProgram* program_;
  BatchLoader loader_;
  uint32_t seed_;
};

}  // namespace mpc::runtime

#endif  // MPC_RUNTIME_TRAIN_STEP_RUNNER_H_
