// Names tie a plan's states to the reference's; layouts may differ.
#include "runtime/verify/followed_states.h"

#include <algorithm>
#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "google/protobuf/util/message_differencer.h"
#include "runtime/plan/layout.h"
#include "runtime/plan/mesh.h"
#include "runtime/status_macros.h"

namespace mpc::runtime {
namespace {

absl::Status Mismatch(absl::string_view what, absl::string_view plan,
                      absl::string_view reference) {
  return absl::InvalidArgumentError(absl::StrCat(
      "the plan's ", what, " is ", plan, ", the reference's ", reference,
      "; both must come from the same model and "
      "training"));
}

absl::Status CheckTraining(const plan::Training& plan,
                           const plan::Training& reference) {
  auto check = [](absl::string_view what, int64_t a, int64_t b) {
    return a == b ? absl::OkStatus()
                  : Mismatch(what, absl::StrCat(a), absl::StrCat(b));
  };
  MPC_RETURN_IF_ERROR(check("sequence_length", plan.sequence_length(),
                            reference.sequence_length()));
  MPC_RETURN_IF_ERROR(
      check("global_batch", plan.global_batch(), reference.global_batch()));
  MPC_RETURN_IF_ERROR(
      check("vocabulary", plan.vocabulary(), reference.vocabulary()));
  if (!google::protobuf::util::MessageDifferencer::Equals(
          plan.learning_rate(), reference.learning_rate())) {
    return Mismatch(
        "learning rate",
        absl::StrCat("{", plan.learning_rate().ShortDebugString(), "}"),
        absl::StrCat("{", reference.learning_rate().ShortDebugString(), "}"));
  }
  return absl::OkStatus();
}

absl::Status CheckState(const std::string& name, const plan::State& state,
                        const plan::State& reference) {
  const std::vector<int64_t> sizes(state.logical_sizes().begin(),
                                   state.logical_sizes().end());
  const std::vector<int64_t> expected(reference.logical_sizes().begin(),
                                      reference.logical_sizes().end());
  if (sizes != expected || state.type() != reference.type()) {
    return absl::InvalidArgumentError(absl::StrFormat(
        "%s is %s %s in the plan, %s %s in the reference", name,
        DataTypeName(state.type()), DescribeSizes(sizes),
        DataTypeName(reference.type()), DescribeSizes(expected)));
  }
  return absl::OkStatus();
}

// Whether values of the kind are compared.
bool IsFollowed(plan::StateKind kind) {
  switch (kind) {
    case plan::STATE_KIND_MASTER:
    case plan::STATE_KIND_MOMENT1:
    case plan::STATE_KIND_MOMENT2:
    case plan::STATE_KIND_COUNTER:
    case plan::STATE_KIND_COMPUTE:
    case plan::STATE_KIND_METRIC:
      return true;
    default:
      return false;
  }
}

bool IsReplica(const plan::State& a, const plan::State& b) {
  plan::State of_b = a;
  *of_b.mutable_global_sizes() = b.global_sizes();
  *of_b.mutable_logical_sizes() = b.logical_sizes();
  *of_b.mutable_sharding() = b.sharding();
  of_b.set_type(b.type());
  return google::protobuf::util::MessageDifferencer::Equivalent(a, of_b);
}

absl::Status Missing(const std::string& name, absl::string_view where,
                     absl::string_view other) {
  return absl::InvalidArgumentError(
      absl::StrCat(name, " is in ", where, " but not in ", other));
}

// What several stages have is a replica: each has it alike.
absl::Status CheckStages(const plan::Plan& plan) {
  std::map<std::string, const plan::State*> first;
  auto check = [&](const std::string& name, const plan::State& state,
                   const plan::Role& role) -> absl::Status {
    const plan::State& other = *first.emplace(name, &state).first->second;
    if (IsReplica(state, other)) return absl::OkStatus();
    return absl::InvalidArgumentError(absl::StrFormat(
        "%s of stage %d differs in type, sizes or sharding from that of an "
        "earlier stage; expected a replica of it",
        name, role.stage()));
  };
  for (const plan::Role& role : plan.roles()) {
    for (const plan::State& state : role.states())
      if (IsFollowed(state.kind()))
        MPC_RETURN_IF_ERROR(
            check(DescribeState({state.kind(), state.name()}), state, role));
    for (const plan::Observable& o : role.observables())
      MPC_RETURN_IF_ERROR(check(absl::StrCat("observable ", o.name()),
                                role.states(o.state()), role));
  }
  return absl::OkStatus();
}

absl::Status CheckCarriedStates(const plan::Plan& plan,
                                const plan::Plan& reference) {
  const auto states = StatesOfKinds(plan, CarriedKinds());
  const auto expected = StatesOfKinds(reference, CarriedKinds());
  for (const auto& [key, state] : states) {
    const std::string name = DescribeState(key);
    const auto found = expected.find(key);
    if (found == expected.end())
      return Missing(name, "the plan", "the reference");
    MPC_RETURN_IF_ERROR(CheckState(name, *state, *found->second));
    if (!state->sharding().partial_axes().empty()) {
      return absl::InvalidArgumentError(absl::StrCat(
          name, " is partial in the plan; what a step starts from is whole"));
    }
  }
  for (const auto& [key, state] : expected)
    if (states.count(key) == 0)
      return Missing(DescribeState(key), "the reference", "the plan");
  return absl::OkStatus();
}

absl::Status CheckObservables(const plan::Plan& plan,
                              const plan::Plan& reference) {
  std::map<std::string, const plan::State*> expected;
  for (const ObservedState& o : ObservablesOf(reference))
    expected.emplace(o.name, o.state);
  const std::vector<ObservedState> observables = ObservablesOf(plan);
  if (observables.empty())
    return absl::InvalidArgumentError(
        "the plan has no observables, nothing can be compared");
  std::set<std::string> names;
  for (const ObservedState& o : observables) {
    names.insert(o.name);
    const std::string name = absl::StrCat("observable ", o.name);
    const auto found = expected.find(o.name);
    if (found == expected.end())
      return Missing(name, "the plan", "the reference");
    MPC_RETURN_IF_ERROR(CheckState(name, *o.state, *found->second));
  }
  for (const auto& [name, state] : expected)
    if (names.count(name) == 0)
      return Missing(absl::StrCat("observable ", name), "the reference",
                     "the plan");
  return absl::OkStatus();
}

}  // namespace

std::string DescribeState(const StateKey& key) {
  switch (key.first) {
    case plan::STATE_KIND_MASTER:
      return absl::StrCat("parameter ", key.second);
    case plan::STATE_KIND_MOMENT1:
      return absl::StrCat("first moment of ", key.second);
    case plan::STATE_KIND_MOMENT2:
      return absl::StrCat("second moment of ", key.second);
    case plan::STATE_KIND_ACCUMULATOR:
    case plan::STATE_KIND_GRADIENT:
      return absl::StrCat("gradient of ", key.second);
    case plan::STATE_KIND_COMPUTE:
      return absl::StrCat("compute copy of ", key.second);
    case plan::STATE_KIND_COUNTER:
      return absl::StrCat("counter ", key.second);
    case plan::STATE_KIND_METRIC:
      return absl::StrCat("metric ", key.second);
    default:
      return absl::StrCat("state ", key.second);
  }
}

std::map<StateKey, const plan::State*> StatesOfKinds(
    const plan::Plan& plan, const std::vector<plan::StateKind>& kinds) {
  std::map<StateKey, const plan::State*> states;
  for (const plan::Role& role : plan.roles()) {
    for (const plan::State& state : role.states()) {
      if (std::find(kinds.begin(), kinds.end(), state.kind()) != kinds.end())
        states.emplace(StateKey(state.kind(), state.name()), &state);
    }
  }
  return states;
}

const std::vector<plan::StateKind>& CarriedKinds() {
  static const std::vector<plan::StateKind> kinds = {
      plan::STATE_KIND_MASTER, plan::STATE_KIND_MOMENT1,
      plan::STATE_KIND_MOMENT2, plan::STATE_KIND_COUNTER};
  return kinds;
}

std::vector<std::pair<StateKey, const plan::State*>> CarriedStates(
    const plan::Plan& plan) {
  std::map<StateKey, const plan::State*> left =
      StatesOfKinds(plan, CarriedKinds());
  std::vector<std::pair<StateKey, const plan::State*>> states;
  auto take = [&](plan::StateKind kind, const std::string& name) {
    const auto found = left.find({kind, name});
    if (found == left.end()) return;
    states.push_back(*found);
    left.erase(found);
  };
  for (const plan::Role& role : plan.roles()) {
    for (const plan::State& state : role.states()) {
      if (state.kind() != plan::STATE_KIND_MASTER) continue;
      take(plan::STATE_KIND_MOMENT1, state.name());
      take(plan::STATE_KIND_MOMENT2, state.name());
      take(plan::STATE_KIND_MASTER, state.name());
    }
  }
  states.insert(states.end(), left.begin(), left.end());
  return states;
}

std::vector<ObservedState> ObservablesOf(const plan::Plan& plan) {
  // By entry of the schedule; equal keys stay in the order of insertion.
  std::multimap<uint32_t, ObservedState> ordered;
  std::set<std::string> names;
  for (const plan::Role& role : plan.roles()) {
    for (const plan::Observable& o : role.observables()) {
      if (!names.insert(o.name()).second) continue;
      ordered.insert({o.schedule_entry(),
                      {o.name(), o.location(), &role.states(o.state())}});
    }
  }
  std::vector<ObservedState> observables;
  for (auto& [entry, observable] : ordered)
    observables.push_back(std::move(observable));
  return observables;
}

SavedStates SaveCarriedStates(const RankProgram& program) {
  SavedStates bytes;
  for (plan::StateKind kind : CarriedKinds()) {
    for (int index : program.StatesOfKind(kind)) {
      const absl::Span<char> part = program.StateBytes(index);
      bytes[{kind, program.role().states(index).name()}] =
          std::string(part.data(), part.size());
    }
  }
  return bytes;
}

void SaveObservables(const RankProgram& program, int entry,
                     SavedObservables& out) {
  for (const plan::Observable& o : program.role().observables()) {
    if (static_cast<int>(o.schedule_entry()) != entry) continue;
    const absl::Span<char> part = program.StateBytes(o.state());
    out[o.name()] = std::string(part.data(), part.size());
  }
}

absl::Status CheckComparable(const plan::Plan& plan,
                             const plan::Plan& reference) {
  if (const int64_t ranks = RankCount(reference.mesh()); ranks != 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("the reference has ", ranks,
                     " ranks, expected one; compile it with reference=true"));
  }
  if (plan.model_hash() != reference.model_hash()) {
    return Mismatch(
        "model",
        absl::StrCat(plan.model_name(), " with hash ", plan.model_hash()),
        absl::StrCat(reference.model_name(), " with hash ",
                     reference.model_hash()));
  }
  MPC_RETURN_IF_ERROR(CheckTraining(plan.training(), reference.training()));
  MPC_RETURN_IF_ERROR(CheckStages(plan));
  MPC_RETURN_IF_ERROR(CheckCarriedStates(plan, reference));
  return CheckObservables(plan, reference);
}

}  // namespace mpc::runtime
