// Plan and reference never compute at the same time, so that each has the cores
// for itself.
#include "runtime/verify/reference_run.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "runtime/executor/launch.h"
#include "runtime/executor/rank_program.h"
#include "runtime/status_macros.h"
#include "runtime/train/step_runner.h"
#include "runtime/verify/logical_tensor.h"

namespace mpc::runtime {
namespace {

std::shared_ptr<const SavedStates> SaveLogicalStates(
    const RankProgram& program) {
  auto saved = std::make_shared<SavedStates>(SaveCarriedStates(program));
  const auto states = StatesOfKinds(program.plan(), CarriedKinds());
  for (auto& [key, bytes] : *saved)
    bytes = LogicalBytes(*states.at(key), bytes);
  return saved;
}

}  // namespace

ReferenceRun::ReferenceRun(const plan::Plan& plan, const BatchSource& source,
                           uint32_t seed, int threads)
    : thread_([this, &plan, &source, seed, threads] {
        absl::Status status = RunSteps(plan, source, seed, threads);
        // Without an error it has been told to end, and nobody waits.
        if (status.ok()) return;
        const std::lock_guard<std::mutex> lock(mutex_);
        ended_ = true;
        result_ = absl::Status(status.code(),
                               absl::StrCat("reference: ", status.message()));
        changed_.notify_all();
      }) {}

ReferenceRun::~ReferenceRun() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    ended_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

bool ReferenceRun::AwaitRequest() {
  std::unique_lock<std::mutex> lock(mutex_);
  changed_.wait(lock, [this] { return requested_ || ended_; });
  requested_ = false;
  return !ended_;
}

absl::Status ReferenceRun::RunSteps(const plan::Plan& plan,
                                    const BatchSource& source, uint32_t seed,
                                    int threads) {
  LaunchOptions options;
  options.threads_per_rank = threads;
  return LaunchRanks(plan, options, [&](RankProgram& program) -> absl::Status {
    MPC_RETURN_IF_ERROR(program.InitializeState(seed));
    MPC_ASSIGN_OR_RETURN(StepRunner runner,
                         StepRunner::Create(&program, &source, seed));
    std::shared_ptr<const SavedStates> before = SaveLogicalStates(program);
    const std::vector<ObservedState> observables = ObservablesOf(plan);
    for (int64_t step = 1; AwaitRequest(); ++step) {
      ReferenceStep result;
      MPC_RETURN_IF_ERROR(runner.Run(step, [&](int entry) {
        SaveObservables(program, entry, result.observables);
        return absl::OkStatus();
      }));
      for (const ObservedState& o : observables) {
        std::string& bytes = result.observables[o.name];
        bytes = LogicalBytes(*o.state, bytes);
      }
      result.before = std::move(before);
      result.after = SaveLogicalStates(program);
      before = result.after;
      const std::lock_guard<std::mutex> lock(mutex_);
      result_ = std::move(result);
      changed_.notify_all();
    }
    return absl::OkStatus();
  });
}

absl::StatusOr<ReferenceStep> ReferenceRun::Next() {
  std::unique_lock<std::mutex> lock(mutex_);
  if (!ended_) {
    result_.reset();
    requested_ = true;
    changed_.notify_all();
    changed_.wait(lock, [this] { return result_.has_value(); });
  }
  if (!result_->ok()) return result_->status();
  return *std::move(*result_);
}

}  // namespace mpc::runtime
