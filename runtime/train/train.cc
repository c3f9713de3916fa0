// Rank 0 speaks for the run: it measures, reports and decides when to end.
#include "runtime/train/train.h"

#include <chrono>
#include <string>
#include <vector>

#include "absl/strings/str_format.h"
#include "runtime/executor/launch.h"
#include "runtime/executor/rank_program.h"
#include "runtime/status_macros.h"
#include "runtime/train/digest.h"
#include "runtime/train/step_runner.h"

namespace mpc::runtime {
namespace {

using Clock = std::chrono::steady_clock;

absl::StatusOr<StepRecord> ReadRecord(const RankProgram& program,
                                      const StepRunner& runner, int64_t step,
                                      std::chrono::duration<double> time) {
  const plan::Training& training = program.plan().training();
  StepRecord record;
  record.step = step;
  MPC_ASSIGN_OR_RETURN(record.loss,
                       program.ReadScalar(plan::STATE_KIND_METRIC, "loss"));
  MPC_ASSIGN_OR_RETURN(
      record.grad_norm,
      program.ReadScalar(plan::STATE_KIND_METRIC, "grad_norm"));
  record.learning_rate = runner.LearningRate(step);
  record.tokens_per_second =
      training.global_batch() * training.sequence_length() / time.count();
  return record;
}

/// Rank 0 gets the digest of all.
absl::StatusOr<std::string> DigestOfAllRanks(const RankProgram& program) {
  const uint64_t own = DigestOfState(program);
  MPC_ASSIGN_OR_RETURN(
      const std::vector<std::string> all,
      program.world().Gather({reinterpret_cast<const char*>(&own), sizeof(own)},
                             /*root=*/0));
  Digest digest;
  for (const std::string& of_rank : all) digest.Add(of_rank);
  return absl::StrFormat("%016x", digest.value());
}

absl::Status TrainRank(RankProgram& program, const BatchSource& source,
                       const TrainOptions& options) {
  MPC_RETURN_IF_ERROR(program.InitializeState(options.seed));
  MPC_ASSIGN_OR_RETURN(StepRunner runner,
                       StepRunner::Create(&program, &source, options.seed));
  Clock::time_point begin = Clock::now();
  for (int64_t step = 1; step <= options.steps; ++step) {
    const Clock::time_point step_begin = Clock::now();
    MPC_RETURN_IF_ERROR(runner.Run(step, /*after_entry=*/nullptr));
    if (options.note) {
      const std::chrono::duration<double> time = Clock::now() - step_begin;
      options.note(program.rank(),
                   absl::StrFormat("step %d took %.3f s", step, time.count()));
    }
    bool ends = false;
    if (program.rank() == 0) {
      const Clock::time_point end = Clock::now();
      MPC_ASSIGN_OR_RETURN(const StepRecord record,
                           ReadRecord(program, runner, step, end - begin));
      begin = end;
      MPC_RETURN_IF_ERROR(options.after_step(record));
      ends = options.stop && options.stop();
    }
    // All ranks must end after the same step.
    MPC_ASSIGN_OR_RETURN(
        const std::string decision,
        program.world().Broadcast(ends ? "end" : "go on", /*root=*/0));
    if (decision == "end") break;
  }
  if (options.at_end) {
    MPC_ASSIGN_OR_RETURN(const std::string digest, DigestOfAllRanks(program));
    if (program.rank() == 0) options.at_end(digest);
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status Train(const plan::Plan& plan, const BatchSource& source,
                   const TrainOptions& options) {
  LaunchOptions launch;
  launch.threads_per_rank = options.threads_per_rank;
  launch.host = options.host;
  launch.note = options.note;
  return LaunchRanks(plan, launch, [&](RankProgram& program) {
    return TrainRank(program, source, options);
  });
}

}  // namespace mpc::runtime
