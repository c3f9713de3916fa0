// Whether gradients are the sums of their microbatches.
#ifndef MPC_RUNTIME_CHECKER_GRADIENT_CHECK_H_
#define MPC_RUNTIME_CHECKER_GRADIENT_CHECK_H_

#include "absl/status/status.h"
#include "runtime/checker/access.h"
#include "runtime/plan/plan.pb.h"

namespace mpc::runtime {

/// Checks for each ACCUMULATOR of role `role` of a valid plan that microbatches
/// are added in ascending order, which makes its bits those of any schedule;
/// that each is, once for each phase and chunk that adds to it; that the first
/// one, of variant FIRST or ONLY, overwrites what the last step has left unless
/// the prologue has; that the update reads it after the last one.
absl::Status CheckGradients(const plan::Plan& plan, int role,
                            const RoleAccesses& accesses);

}  // namespace mpc::runtime

#endif  // MPC_RUNTIME_CHECKER_GRADIENT_CHECK_H_
