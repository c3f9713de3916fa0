// What holds in every run of a command list.
#ifndef MPC_RUNTIME_CHECKER_LIST_CHECK_H_
#define MPC_RUNTIME_CHECKER_LIST_CHECK_H_

#include "absl/status/status.h"
#include "runtime/checker/access.h"
#include "runtime/plan/plan.pb.h"

namespace mpc::runtime {

/// Checks the lists of role `role` of a valid plan: transient memory is written
/// before it is read, and the buffers of a collective are left alone until its
/// wait.
absl::Status CheckLists(const plan::Plan& plan, int role,
                        const RoleAccesses& accesses);

}  // namespace mpc::runtime

#endif  // MPC_RUNTIME_CHECKER_LIST_CHECK_H_
