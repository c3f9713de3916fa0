// Decides for each tensor which rule applies and words what is found.
#include "runtime/verify/step_check.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "runtime/plan/layout.h"
#include "runtime/plan/mesh.h"
#include "runtime/status_macros.h"
#include "runtime/verify/logical_tensor.h"

namespace mpc::runtime {
namespace {

constexpr char kLoss[] = "loss";
constexpr char kGradientNorm[] = "grad_norm";

std::vector<int64_t> LogicalSizes(const plan::State& state) {
  return {state.logical_sizes().begin(), state.logical_sizes().end()};
}

// ` at [1, 2]`; nothing for scalars.
std::string At(const std::vector<int64_t>& index) {
  return index.empty() ? "" : absl::StrCat(" at ", DescribeSizes(index));
}

std::string DescribeRank(const plan::Mesh& mesh, int64_t rank) {
  const std::string coordinates = DescribeCoordinates(mesh, rank);
  return coordinates.empty()
             ? absl::StrCat("rank ", rank)
             : absl::StrCat("rank ", rank, " (", coordinates, ")");
}

/// What the plan computes in: the type of its parameters' compute copies.
plan::DataType PrecisionOf(const plan::Plan& plan) {
  for (const plan::Role& role : plan.roles())
    for (const plan::State& state : role.states())
      if (state.kind() == plan::STATE_KIND_COMPUTE) return state.type();
  return plan::DATA_TYPE_F32;
}

/// Gradients are compared alike, whether they have been reduced or not.
plan::StateKind KindOf(const plan::State& state) {
  return state.kind() == plan::STATE_KIND_GRADIENT
             ? plan::STATE_KIND_ACCUMULATOR
             : state.kind();
}

bool IsMoment(plan::StateKind kind) {
  return kind == plan::STATE_KIND_MOMENT1 || kind == plan::STATE_KIND_MOMENT2;
}

}  // namespace

StepCheck::StepCheck(const plan::Plan& plan, const ReferenceStep& reference,
                     int64_t step, double learning_rate, Options options)
    : plan_(plan),
      reference_(reference),
      tolerances_(TolerancesOf(PrecisionOf(plan))),
      learning_rate_(learning_rate),
      options_(options) {
  report_.step = step;
  auto note = [this](const plan::State& state, const std::string& bytes) {
    const auto values = DecodeElements(state.type(), bytes);
    if (!values.ok()) return;
    double& largest = largest_[KindOf(state)];
    largest = std::max(largest, LargestMagnitude(*values));
  };
  for (const ObservedState& o : ObservablesOf(plan))
    note(*o.state, reference.observables.at(o.name));
  for (const auto& [key, state] : StatesOfKinds(plan, CarriedKinds()))
    if (IsMoment(key.first)) note(*state, reference.after->at(key));
  if (!options.free_run) correction_ = ShownCorrection();
  const auto norm = reference.observables.find(kGradientNorm);
  if (PrecisionOf(plan) == plan::DATA_TYPE_F16 &&
      norm != reference.observables.end()) {
    const auto values = DecodeElements(plan::DATA_TYPE_F32, norm->second);
    is_discarded_ = values.ok() && !std::isfinite(values->front());
  }
}

double StepCheck::ShownCorrection() const {
  double correction = 1;
  for (const auto& entry : *reference_.after) {
    const StateKey& key = entry.first;
    if (key.first != plan::STATE_KIND_MOMENT2) continue;
    const auto values = [&](const SavedStates& states, plan::StateKind kind) {
      const auto found = states.find({kind, key.second});
      return found == states.end()
                 ? std::vector<double>()
                 : DecodeElements(plan::DATA_TYPE_F32, found->second)
                       .value_or(std::vector<double>());
    };
    const std::vector<double> before =
        values(*reference_.before, plan::STATE_KIND_MASTER);
    const std::vector<double> after =
        values(*reference_.after, plan::STATE_KIND_MASTER);
    const std::vector<double> moment1 =
        values(*reference_.after, plan::STATE_KIND_MOMENT1);
    const std::vector<double> moment2 =
        values(*reference_.after, plan::STATE_KIND_MOMENT2);
    UpdateFacts facts;
    facts.learning_rate = learning_rate_;
    facts.before = before;
    facts.after = after;
    facts.moment1.reference = moment1;
    facts.moment2.reference = moment2;
    correction = std::max(correction, BiasCorrection(facts));
  }
  return correction;
}

double StepCheck::LargestOfKind(plan::StateKind kind) const {
  const auto found = largest_.find(kind);
  return found == largest_.end() ? 0 : found->second;
}

void StepCheck::AddDifference(const std::string& text) {
  report_.differences.push_back(
      absl::StrCat("step ", report_.step, ": ", text));
}

absl::StatusOr<std::vector<double>> StepCheck::Take(const Subject& subject,
                                                    bool check_padding) {
  MPC_ASSIGN_OR_RETURN(AssembledTensor tensor,
                       Assemble(plan_.mesh(), *subject.state, subject.pieces));
  if (tensor.replica_difference) {
    const HeldElement& a = tensor.replica_difference->replica;
    const HeldElement& b = tensor.replica_difference->first;
    AddDifference(absl::StrFormat(
        "%s%s is %.9g on %s and %.9g on %s, which hold replicas; expected the "
        "same bits%s",
        subject.name, At(a.index), a.value, DescribeRank(plan_.mesh(), a.rank),
        b.value, DescribeRank(plan_.mesh(), b.rank), subject.origin));
  }
  if (check_padding && tensor.padding) {
    const HeldElement& element = *tensor.padding;
    AddDifference(absl::StrFormat(
        "%s%s is %.9g on %s; expected 0, it is padding beyond %s%s",
        subject.name, At(element.index), element.value,
        DescribeRank(plan_.mesh(), element.rank),
        DescribeSizes(LogicalSizes(*subject.state)), subject.origin));
  }
  return std::move(tensor.values);
}

void StepCheck::CompareTensor(const Subject& subject, const Pair& pair,
                              absl::FunctionRef<double(int64_t)> allowed) {
  ++report_.compared;
  const Comparison result = Compare(
      pair, [&](int64_t i) { return options_.exact ? 0.0 : allowed(i); });
  if (result.worst_share > report_.worst_share) {
    report_.worst_share = result.worst_share;
    report_.worst = subject.name;
  }
  if (!result.first) return;
  const Difference& d = *result.first;
  const std::vector<int64_t> index =
      IndexOf(LogicalSizes(*subject.state), d.position);
  AddDifference(absl::StrFormat(
      "%s%s is %.9g on %s, the reference has %.9g; they differ by %.3g, "
      "allowed are %.3g%s",
      subject.name, At(index), d.value,
      DescribeHolders(plan_.mesh(), *subject.state, subject.pieces, index),
      d.reference, std::abs(d.value - d.reference), d.allowed, subject.origin));
}

void StepCheck::CompareLoss(const Subject& subject, const Pair& pair) {
  report_.loss = pair.value[0];
  report_.reference_loss = pair.reference[0];
  if (!options_.free_run) return;
  CompareTensor(subject, pair, [&](int64_t) {
    return tolerances_.free_run * LargestMagnitude(pair.reference);
  });
}

absl::Status StepCheck::AddInitialValue(const StateKey& key,
                                        const plan::State& state,
                                        absl::Span<const std::string> pieces) {
  const Subject subject{
      absl::StrCat("the initial value of ", DescribeState(key)), "", &state,
      pieces};
  MPC_ASSIGN_OR_RETURN(const std::vector<double> values,
                       Take(subject, /*check_padding=*/false));
  MPC_ASSIGN_OR_RETURN(
      const std::vector<double> reference,
      DecodeElements(state.type(), reference_.before->at(key)));
  CompareTensor(subject, {values, reference}, [](int64_t) { return 0; });
  return absl::OkStatus();
}

bool StepCheck::HasMoment2(const std::string& parameter) const {
  return reference_.after->count({plan::STATE_KIND_MOMENT2, parameter}) > 0;
}

absl::Status StepCheck::AddObservable(const ObservedState& observable,
                                      absl::Span<const std::string> pieces) {
  const plan::State& state = *observable.state;
  const StateKey key(KindOf(state), state.name());
  const std::string described = DescribeState(key);
  const Subject subject{
      state.name() == observable.name
          ? described
          : absl::StrCat(observable.name, " (", described, ")"),
      observable.location.empty()
          ? ""
          : absl::StrCat("; it comes from ", observable.location),
      &state, pieces};
  const bool is_gradient = key.first == plan::STATE_KIND_ACCUMULATOR;
  MPC_ASSIGN_OR_RETURN(std::vector<double> values,
                       Take(subject, /*check_padding=*/is_gradient));
  MPC_ASSIGN_OR_RETURN(
      std::vector<double> reference,
      DecodeElements(state.type(), reference_.observables.at(observable.name)));
  if (observable.name == kLoss) CompareLoss(subject, {values, reference});
  if (options_.free_run) return absl::OkStatus();
  if (is_discarded_ && (is_gradient || (observable.name == kGradientNorm &&
                                        !std::isfinite(values.front()))))
    return absl::OkStatus();
  const double allowance =
      state.type() == plan::DATA_TYPE_I32
          ? 0
          : TensorAllowance(reference,
                            is_gradient ? LargestOfKind(key.first) : 0, 1,
                            tolerances_);
  CompareTensor(subject, {values, reference},
                [&](int64_t) { return allowance; });
  if (is_gradient && !HasMoment2(state.name()))
    seen_[key] = {std::move(values), std::move(reference)};
  return absl::OkStatus();
}

Pair StepCheck::Find(plan::StateKind kind, const std::string& parameter) const {
  const auto found = seen_.find({kind, parameter});
  return found == seen_.end() ? Pair{} : found->second.pair();
}

std::vector<double> StepCheck::ParameterAllowance(const std::string& parameter,
                                                  const Values& values) const {
  const StateKey key(plan::STATE_KIND_MASTER, parameter);
  const auto before =
      DecodeElements(plan::DATA_TYPE_F32, reference_.before->at(key));
  UpdateFacts facts;
  facts.tolerances = tolerances_;
  facts.learning_rate = learning_rate_;
  facts.before = *before;
  facts.after = values.reference;
  facts.gradient = Find(plan::STATE_KIND_ACCUMULATOR, parameter);
  facts.moment1 = Find(plan::STATE_KIND_MOMENT1, parameter);
  facts.moment2 = Find(plan::STATE_KIND_MOMENT2, parameter);
  facts.least_correction = correction_;
  return UpdateAllowance(facts);
}

absl::Status StepCheck::AddState(const StateKey& key, const plan::State& state,
                                 absl::Span<const std::string> pieces) {
  const Subject subject{absl::StrCat(DescribeState(key), " after the update"),
                        "", &state, pieces};
  Values values;
  MPC_ASSIGN_OR_RETURN(values.value,
                       Take(subject, /*check_padding=*/!options_.free_run));
  if (options_.free_run) return absl::OkStatus();
  MPC_ASSIGN_OR_RETURN(values.reference,
                       DecodeElements(state.type(), reference_.after->at(key)));
  if (key.first == plan::STATE_KIND_MASTER &&
      state.type() == plan::DATA_TYPE_F32) {
    const std::vector<double> allowed = ParameterAllowance(key.second, values);
    CompareTensor(subject, values.pair(),
                  [&](int64_t i) { return allowed[i]; });
    // Nothing that comes later depends on them.
    for (plan::StateKind kind :
         {plan::STATE_KIND_ACCUMULATOR, plan::STATE_KIND_MOMENT1,
          plan::STATE_KIND_MOMENT2})
      seen_.erase({kind, key.second});
    return absl::OkStatus();
  }
  double allowance = 0;
  if (IsMoment(key.first)) {
    allowance = TensorAllowance(
        values.reference, LargestOfKind(key.first),
        key.first == plan::STATE_KIND_MOMENT2 ? kSquareFactor : 1, tolerances_);
  }
  CompareTensor(subject, values.pair(), [&](int64_t) { return allowance; });
  if (IsMoment(key.first)) seen_[key] = std::move(values);
  return absl::OkStatus();
}

absl::Status StepCheck::AddReplicas(const StateKey& key,
                                    const plan::State& state,
                                    absl::Span<const std::string> pieces) {
  return Take({DescribeState(key), "", &state, pieces},
              /*check_padding=*/false)
      .status();
}

}  // namespace mpc::runtime
