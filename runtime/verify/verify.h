// Runs a plan beside a reference plan and compares them.
#ifndef MPC_RUNTIME_VERIFY_VERIFY_H_
#define MPC_RUNTIME_VERIFY_VERIFY_H_

#include <cstdint>
#include <functional>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "runtime/comm/rank_host.h"
#include "runtime/data/batch_source.h"
#include "runtime/plan/plan.pb.h"
#include "runtime/verify/step_check.h"

namespace mpc::runtime {

struct VerifyOptions {
  /// At least 1.
  int64_t steps = 0;
  uint32_t seed = 0;
  int threads_per_rank = 1;
  int reference_threads = 1;
  /// Where the ranks of the plan live, and their own messages; see
  /// LaunchOptions. The reference runs in the process of rank 0.
  RankHost* host = nullptr;
  std::function<void(int rank, absl::string_view line)> note;
  StepCheck::Options check;
  /// Called on rank 0 after each step that has no difference. May be empty.
  std::function<absl::Status(const StepReport&)> after_step;
};

/// Compares initial values bit for bit, then runs both plans for `steps` steps.
/// Each step starts from the reference's state (unless `free_run`) and all
/// observables, parameters, moments, counters and replicas are compared. Ends
/// after the first step with a difference.
///
/// kInvalidArgument if the plans are not comparable; kDataLoss with the first
/// difference; else fails like LaunchRanks.
absl::Status Verify(const plan::Plan& plan, const plan::Plan& reference,
                    const BatchSource& source, const VerifyOptions& options);

}  // namespace mpc::runtime

#endif  // MPC_RUNTIME_VERIFY_VERIFY_H_
