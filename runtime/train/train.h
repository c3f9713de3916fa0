// The training loop.
#ifndef MPC_RUNTIME_TRAIN_TRAIN_H_
#define MPC_RUNTIME_TRAIN_TRAIN_H_

#include <cstdint>
#include <functional>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "runtime/comm/rank_host.h"
#include "runtime/data/batch_source.h"
#include "runtime/plan/plan.pb.h"
#include "runtime/train/run_log.h"

namespace mpc::runtime {

struct TrainOptions {
  /// At least 1.
  int64_t steps = 0;
  uint32_t seed = 0;
  int threads_per_rank = 1;
  /// Where the ranks live, and their own messages; see LaunchOptions.
  RankHost* host = nullptr;
  std::function<void(int rank, absl::string_view line)> note;
  /// Called on rank 0 after each step; an error stops all ranks.
  std::function<absl::Status(const StepRecord&)> after_step;
  /// Asked on rank 0 after each step: whether to end early. May be empty.
  std::function<bool()> stop;
  /// Called on rank 0 at the end with a digest of the parameters, the
  /// optimizer's state and the counters of all ranks: equal for equal bits on
  /// the same mesh. Empty, on all ranks, it saves the time.
  std::function<void(const std::string& digest)> at_end;
};

/// Initialises and trains the plan's model on all ranks of the plan. Fails like
/// LaunchRanks.
absl::Status Train(const plan::Plan& plan, const BatchSource& source,
                   const TrainOptions& options);

}  // namespace mpc::runtime

#endif  // MPC_RUNTIME_TRAIN_TRAIN_H_
