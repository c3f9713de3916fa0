// Whether parameters are updated once a step.
#ifndef MPC_RUNTIME_CHECKER_UPDATE_CHECK_H_
#define MPC_RUNTIME_CHECKER_UPDATE_CHECK_H_

#include "absl/status/status.h"
#include "runtime/checker/access.h"
#include "runtime/plan/plan.pb.h"

namespace mpc::runtime {

/// Checks that a step of role `role` of a valid plan writes every byte of each
/// MASTER, and of its moments, once and in the phase `update`.
absl::Status CheckUpdates(const plan::Plan& plan, int role,
                          const RoleAccesses& accesses);

}  // namespace mpc::runtime

#endif  // MPC_RUNTIME_CHECKER_UPDATE_CHECK_H_
