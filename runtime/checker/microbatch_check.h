// Whether every microbatch takes its way through a stage.
#ifndef MPC_RUNTIME_CHECKER_MICROBATCH_CHECK_H_
#define MPC_RUNTIME_CHECKER_MICROBATCH_CHECK_H_

#include "absl/status/status.h"
#include "runtime/plan/plan.pb.h"

namespace mpc::runtime {

/// Whether lists of this phase compute one microbatch.
bool IsOfMicrobatch(plan::Phase phase);

/// Checks that the schedule of role `role` of a valid plan runs each microbatch
/// once through each phase of each chunk that the role has, in the order of the
/// phases.
absl::Status CheckMicrobatches(const plan::Plan& plan, int role);

}  // namespace mpc::runtime

#endif  // MPC_RUNTIME_CHECKER_MICROBATCH_CHECK_H_
