// All ranks walk the same tensors in the same order; rank 0 compares. A rank
// whose stage does not have a tensor sends nothing for it. Nothing is sent
// while a step runs: observables are copied then and gathered after it.
#include "runtime/verify/verify.h"

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "runtime/executor/launch.h"
#include "runtime/executor/rank_program.h"
#include "runtime/plan/layout.h"
#include "runtime/status_macros.h"
#include "runtime/train/step_runner.h"
#include "runtime/verify/logical_tensor.h"

namespace mpc::runtime {
namespace {

constexpr int kRoot = 0;

// What the ranks of this process find: the same on all.
struct Finding {
  std::mutex mutex;
  // Empty if nothing differs.
  std::string difference;
};

class RankVerifier {
 public:
  RankVerifier(RankProgram& program, ReferenceRun* reference, Finding& finding,
               const VerifyOptions& options)
      : program_(program),
        reference_(program.rank() == kRoot ? reference : nullptr),
        finding_(finding),
        options_(options),
        observables_(ObservablesOf(program.plan())),
        carried_(CarriedStates(program.plan())),
        replicas_(StatesOfKinds(program.plan(), {plan::STATE_KIND_COMPUTE,
                                                 plan::STATE_KIND_METRIC})) {}

  absl::Status Run(const BatchSource& source) {
    MPC_RETURN_IF_ERROR(program_.InitializeState(options_.seed));
    MPC_ASSIGN_OR_RETURN(StepRunner runner,
                         StepRunner::Create(&program_, &source, options_.seed));
    for (int64_t step = 1; step <= options_.steps; ++step) {
      MPC_ASSIGN_OR_RETURN(const bool equal, RunStep(runner, step));
      if (!equal) break;
    }
    return absl::OkStatus();
  }

 private:
  absl::StatusOr<bool> RunStep(StepRunner& runner, int64_t step) {
    ReferenceStep reference;
    if (reference_ != nullptr) {
      MPC_ASSIGN_OR_RETURN(reference, reference_->Next());
    }
    if (step == 1) {
      MPC_ASSIGN_OR_RETURN(const bool equal, CompareInitialValues(reference));
      if (!equal) return false;
    }
    if (!options_.check.free_run) {
      MPC_RETURN_IF_ERROR(LoadStates(reference));
    }
    SavedObservables observed;
    MPC_RETURN_IF_ERROR(runner.Run(step, [&](int entry) {
      SaveObservables(program_, entry, observed);
      return absl::OkStatus();
    }));
    return CompareStep(reference, observed, step, runner.LearningRate(step));
  }

  // The part of a state that this rank holds; empty if its stage has none.
  absl::Span<char> PartOf(const StateKey& key) const {
    const auto index = program_.FindState(key.first, key.second);
    return index.ok() ? program_.StateBytes(*index) : absl::Span<char>();
  }

  absl::StatusOr<std::vector<std::string>> Gather(absl::Span<const char> part) {
    return program_.world().Gather({part.data(), part.size()}, kRoot);
  }

  // Gives every rank its part of what the reference starts the step from.
  absl::Status LoadStates(const ReferenceStep& reference) {
    for (const auto& [key, state] : carried_) {
      absl::string_view bytes;
      if (reference_ != nullptr) bytes = reference.before->at(key);
      MPC_ASSIGN_OR_RETURN(const std::string whole,
                           program_.world().Broadcast(bytes, kRoot));
      const absl::Span<char> part = PartOf(key);
      if (!part.empty()) {
        WritePiece(program_.plan().mesh(), *state, program_.rank(), whole,
                   part);
      }
    }
    return absl::OkStatus();
  }

  // They are functions of name and global index alone, so no bit may differ.
  absl::StatusOr<bool> CompareInitialValues(const ReferenceStep& reference) {
    std::optional<StepCheck> check;
    if (reference_ != nullptr) {
      check.emplace(program_.plan(), reference, /*step=*/1,
                    /*learning_rate=*/0, options_.check);
    }
    for (const auto& [key, state] : carried_) {
      MPC_ASSIGN_OR_RETURN(const std::vector<std::string> pieces,
                           Gather(PartOf(key)));
      if (check)
        MPC_RETURN_IF_ERROR(check->AddInitialValue(key, *state, pieces));
    }
    return Conclude(check);
  }

  absl::StatusOr<bool> CompareStep(const ReferenceStep& reference,
                                   const SavedObservables& observed,
                                   int64_t step, double learning_rate) {
    std::optional<StepCheck> check;
    if (reference_ != nullptr) {
      check.emplace(program_.plan(), reference, step, learning_rate,
                    options_.check);
    }
    for (const ObservedState& observable : observables_) {
      const auto found = observed.find(observable.name);
      MPC_ASSIGN_OR_RETURN(
          const std::vector<std::string> pieces,
          Gather(found == observed.end() ? "" : found->second));
      if (check) MPC_RETURN_IF_ERROR(check->AddObservable(observable, pieces));
    }
    for (const auto& [key, state] : carried_) {
      MPC_ASSIGN_OR_RETURN(const std::vector<std::string> pieces,
                           Gather(PartOf(key)));
      if (check) MPC_RETURN_IF_ERROR(check->AddState(key, *state, pieces));
    }
    for (const auto& [key, state] : replicas_) {
      MPC_ASSIGN_OR_RETURN(const std::vector<std::string> pieces,
                           Gather(PartOf(key)));
      if (check) MPC_RETURN_IF_ERROR(check->AddReplicas(key, *state, pieces));
    }
    MPC_ASSIGN_OR_RETURN(const bool equal, Conclude(check));
    if (equal && check && options_.after_step)
      MPC_RETURN_IF_ERROR(options_.after_step(check->report()));
    return equal;
  }

  // Tells all ranks what differences the check of rank 0 found; true if none.
  absl::StatusOr<bool> Conclude(const std::optional<StepCheck>& check) {
    std::string difference;
    if (check && !check->report().differences.empty())
      difference = DescribeDifferences(check->report());
    MPC_ASSIGN_OR_RETURN(difference,
                         program_.world().Broadcast(difference, kRoot));
    if (difference.empty()) return true;
    const std::lock_guard<std::mutex> lock(finding_.mutex);
    finding_.difference = difference;
    return false;
  }

  static std::string DescribeDifferences(const StepReport& report) {
    std::string text = report.differences[0];
    if (report.differences.size() > 1) {
      absl::StrAppend(&text, "\n", report.differences.size() - 1,
                      " more found in this step");
      constexpr size_t kShown = 10;
      for (size_t i = 1; i < report.differences.size() && i <= kShown; ++i)
        absl::StrAppend(&text, "\n  ", report.differences[i]);
      if (report.differences.size() > kShown + 1) text += "\n  …";
    }
    return text;
  }

  RankProgram& program_;
  // Null but on rank 0.
  ReferenceRun* reference_;
  Finding& finding_;
  const VerifyOptions& options_;
  const std::vector<ObservedState> observables_;
  const std::vector<std::pair<StateKey, const plan::State*>> carried_;
  // Compared among the ranks only.
  const std::map<StateKey, const plan::State*> replicas_;
};

}  // namespace

absl::Status Verify(const plan::Plan& plan, const plan::Plan& reference,
                    const BatchSource& source, const VerifyOptions& options) {
  MPC_RETURN_IF_ERROR(CheckComparable(plan, reference));
  // In the process of rank 0, the first.
  std::optional<ReferenceRun> reference_run;
  if (options.host == nullptr || options.host->process() == 0)
    reference_run.emplace(reference, source, options.seed,
                          options.reference_threads);
  LaunchOptions launch;
  launch.threads_per_rank = options.threads_per_rank;
  launch.host = options.host;
  launch.note = options.note;
  Finding finding;
  MPC_RETURN_IF_ERROR(LaunchRanks(plan, launch, [&](RankProgram& program) {
    return RankVerifier(program, reference_run ? &*reference_run : nullptr,
                        finding, options)
        .Run(source);
  }));
  if (!finding.difference.empty())
    return absl::DataLossError(finding.difference);
  return absl::OkStatus();
}

}  // namespace mpc::runtime
