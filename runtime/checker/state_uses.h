// Which states the lists of a role use.
#ifndef MPC_RUNTIME_CHECKER_STATE_USES_H_
#define MPC_RUNTIME_CHECKER_STATE_USES_H_

#include <vector>

#include "runtime/checker/access.h"
#include "runtime/plan/plan.pb.h"

namespace mpc::runtime {

/// What a list does to a state of the persistent region.
struct StateUse {
  /// Index into Role.states.
  int state;
  bool reads = false;
  bool writes = false;
  /// The first command that uses it reads it, so that what is there matters.
  bool reads_first = false;
  /// A collective reads it, and then another command writes it.
  bool is_reduced = false;
  bool writes_after_reduction = false;
  /// The first command that uses it.
  int command = 0;
};

/// By list of the role: its uses of states of the given kinds, a state once.
std::vector<std::vector<StateUse>> FindStateUses(
    const plan::Role& role, const std::vector<plan::StateKind>& kinds,
    const RoleAccesses& accesses);

}  // namespace mpc::runtime

#endif  // MPC_RUNTIME_CHECKER_STATE_USES_H_
