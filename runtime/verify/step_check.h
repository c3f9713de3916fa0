// The comparison of one step with the reference, on the rank that gathers.
#ifndef MPC_RUNTIME_VERIFY_STEP_CHECK_H_
#define MPC_RUNTIME_VERIFY_STEP_CHECK_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "runtime/plan/plan.pb.h"
#include "runtime/verify/followed_states.h"
#include "runtime/verify/reference_run.h"
#include "runtime/verify/tolerance.h"

namespace mpc::runtime {

/// What was found in one step. Tensors are described as DescribeState does.
struct StepReport {
  int64_t step = 0;
  double loss = 0;
  double reference_loss = 0;
  int compared = 0;
  /// One message a tensor that is out of tolerance or whose replicas differ, in
  /// the order of computation: the first is where to look.
  std::vector<std::string> differences;
  /// The tensor nearest to its tolerance, and how much of it was used.
  std::string worst;
  double worst_share = 0;
};

/// Takes the tensors of a step one by one, in the order in which they became
/// final, and compares them.
class StepCheck {
 public:
  struct Options {
    /// Allow no difference at all.
    bool exact = false;
    /// Compare replicas and the loss only (to free_run of tolerance.h): the states
    /// are no longer the reference's.
    bool free_run = false;
  };

  /// All must outlive the check.
  StepCheck(const plan::Plan& plan, const ReferenceStep& reference,
            int64_t step, double learning_rate, Options options);

  /// A carried state before the first step, which has to be the reference's to
  /// the bit. `pieces` are the parts of all ranks, by rank; so below.
  absl::Status AddInitialValue(const StateKey& key, const plan::State& state,
                               absl::Span<const std::string> pieces);

  absl::Status AddObservable(const ObservedState& observable,
                             absl::Span<const std::string> pieces);

  /// A carried state after the step. Moments of a parameter come before the
  /// parameter.
  absl::Status AddState(const StateKey& key, const plan::State& state,
                        absl::Span<const std::string> pieces);

  /// A state of which only the replicas are compared.
  absl::Status AddReplicas(const StateKey& key, const plan::State& state,
                           absl::Span<const std::string> pieces);

  const StepReport& report() const { return report_; }

 private:
  /// A tensor in messages, and what the ranks hold of it.
  struct Subject {
    std::string name;
    std::string origin;
    const plan::State* state;
    absl::Span<const std::string> pieces;
  };
  /// Values that the allowance of a parameter depends on.
  struct Values {
    std::vector<double> value;
    std::vector<double> reference;
    Pair pair() const { return {value, reference}; }
  };

  absl::StatusOr<std::vector<double>> Take(const Subject& subject,
                                           bool check_padding);
  void CompareTensor(const Subject& subject, const Pair& pair,
                     absl::FunctionRef<double(int64_t)> allowed);
  void CompareLoss(const Subject& subject, const Pair& pair);
  void AddDifference(const std::string& text);
  bool HasMoment2(const std::string& parameter) const;
  /// The largest element of all reference tensors of a kind.
  double LargestOfKind(plan::StateKind kind) const;
  std::vector<double> ParameterAllowance(const std::string& parameter,
                                         const Values& values) const;
  /// The bias correction that the updates of all parameters show.
  double ShownCorrection() const;
  Pair Find(plan::StateKind kind, const std::string& parameter) const;

  const plan::Plan& plan_;
  const ReferenceStep& reference_;
  Tolerances tolerances_;
  double learning_rate_;
  Options options_;
  double correction_ = 1;
  /// A gradient of the reference exceeds f16, so that the step changes nothing but
  /// the loss scale. Which others do, too, depends on the order of sums.
  bool is_discarded_ = false;
  std::map<plan::StateKind, double> largest_;
  /// What the update of a parameter that is still to come depends on: its
  /// moments, or its gradient if there is no second moment.
  std::map<StateKey, Values> seen_;
  StepReport report_;
};

}  // namespace mpc::runtime

#endif  // MPC_RUNTIME_VERIFY_STEP_CHECK_H_
