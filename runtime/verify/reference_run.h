// The run of the reference plan, a step at a time on request.
#ifndef MPC_RUNTIME_VERIFY_REFERENCE_RUN_H_
#define MPC_RUNTIME_VERIFY_REFERENCE_RUN_H_

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "runtime/data/batch_source.h"
#include "runtime/plan/plan.pb.h"
#include "runtime/verify/followed_states.h"

namespace mpc::runtime {

/// What the reference holds around one step, as logical tensors.
struct ReferenceStep {
  std::shared_ptr<const SavedStates> before;
  std::shared_ptr<const SavedStates> after;
  SavedObservables observables;
};

/// Runs a plan of one rank on a thread of its own, which sleeps between steps.
///
/// Thread-compatible.
class ReferenceRun {
 public:
  /// `plan` and `source` must outlive the run.
  ReferenceRun(const plan::Plan& plan, const BatchSource& source, uint32_t seed,
               int threads);
  /// Ends the run.
  ~ReferenceRun();

  /// Runs the next step. After an error it returns that error again.
  absl::StatusOr<ReferenceStep> Next();

 private:
  absl::Status RunSteps(const plan::Plan& plan, const BatchSource& source,
                        uint32_t seed, int threads);
  /// Waits for a request; false when there will be none.
  bool AwaitRequest();

  std::mutex mutex_;
  std::condition_variable changed_;
  bool requested_ = false;
  bool ended_ = false;
  std::optional<absl::StatusOr<ReferenceStep>> result_;
  std::thread thread_;
};

}  // namespace mpc::runtime

#endif  // MPC_RUNTIME_VERIFY_REFERENCE_RUN_H_
