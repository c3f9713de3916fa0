// What `verify` looks at, in an order that all ranks know from the plan.
#ifndef MPC_RUNTIME_VERIFY_FOLLOWED_STATES_H_
#define MPC_RUNTIME_VERIFY_FOLLOWED_STATES_H_

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "runtime/executor/rank_program.h"
#include "runtime/plan/plan.pb.h"

namespace mpc::runtime {

/// (kind, name) of a state: the same in plan and reference.
using StateKey = std::pair<plan::StateKind, std::string>;

/// `gradient of w`, `parameter w`, `counter step`.
std::string DescribeState(const StateKey& key);

/// The states of these kinds in any role. The pointers are into the plan.
std::map<StateKey, const plan::State*> StatesOfKinds(
    const plan::Plan& plan, const std::vector<plan::StateKind>& kinds);

/// What a step starts from: parameters, moments, counters.
const std::vector<plan::StateKind>& CarriedKinds();

/// The carried states of any role, each once: a parameter's moments and then
/// the parameter, in the order of the plan; at last the counters.
std::vector<std::pair<StateKey, const plan::State*>> CarriedStates(
    const plan::Plan& plan);

/// An observable of any role and the state that holds it.
struct ObservedState {
  std::string name;
  std::string location;
  const plan::State* state = nullptr;
};

/// In the order in which they become final, each name once.
std::vector<ObservedState> ObservablesOf(const plan::Plan& plan);

/// The bytes of a rank's part of states or observables.
using SavedStates = std::map<StateKey, std::string>;
using SavedObservables = std::map<std::string, std::string>;

/// Copies this rank's part of the carried states.
SavedStates SaveCarriedStates(const RankProgram& program);

/// Copies this rank's part of the observables that are final after an entry of
/// the schedule.
void SaveObservables(const RankProgram& program, int entry,
                     SavedObservables& out);

/// kInvalidArgument with the first reason why `plan` is not compared with
/// `reference`: another model or training, other states or observables, a
/// reference of several ranks.
absl::Status CheckComparable(const plan::Plan& plan,
                             const plan::Plan& reference);

}  // namespace mpc::runtime

#endif  // MPC_RUNTIME_VERIFY_FOLLOWED_STATES_H_
