// The walk of all stages through a step.
#ifndef MPC_RUNTIME_CHECKER_STEP_WALK_H_
#define MPC_RUNTIME_CHECKER_STEP_WALK_H_

#include <vector>

#include "absl/status/status.h"
#include "runtime/checker/access.h"
#include "runtime/plan/plan.pb.h"

namespace mpc::runtime {

/// Walks one rank of each stage of a valid plan, side by side, through the
/// commands of a step: a start passes, a wait once the other members have
/// started. No command has a choice, so the order of the walk does not matter
/// and one walk decides. Checks that
/// - the ends of a message agree on its bytes, and all are waited for;
/// - stages start the collectives among them in one order;
/// - no stage waits for ever;
/// - buffers of messages are left alone until the wait;
/// - what a list reads from a slot or a message was written in this step, for
///   its own microbatch.
///
/// As a step leaves nothing under way, the next one goes the same way.
absl::Status CheckStep(const plan::Plan& plan,
                       const std::vector<RoleAccesses>& accesses);

}  // namespace mpc::runtime

#endif  // MPC_RUNTIME_CHECKER_STEP_WALK_H_
