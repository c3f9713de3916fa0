#include "runtime/checker/check_plan.h"

#include <vector>

#include "runtime/checker/access.h"
#include "runtime/checker/gradient_check.h"
#include "runtime/checker/list_check.h"
#include "runtime/checker/microbatch_check.h"
#include "runtime/checker/step_walk.h"
#include "runtime/checker/update_check.h"
#include "runtime/status_macros.h"

namespace mpc::runtime {

absl::Status CheckPlan(const plan::Plan& plan) {
  std::vector<RoleAccesses> accesses;
  for (int i = 0; i < plan.roles_size(); ++i) {
    accesses.push_back(AccessesOf(plan.roles(i)));
    MPC_RETURN_IF_ERROR(CheckLists(plan, i, accesses[i]));
    MPC_RETURN_IF_ERROR(CheckMicrobatches(plan, i));
  }
  // First of all whether the step ends: a gradient that is out of order in a
  // step that hangs is not what its author wants to read.
  MPC_RETURN_IF_ERROR(CheckStep(plan, accesses));
  for (int i = 0; i < plan.roles_size(); ++i) {
    MPC_RETURN_IF_ERROR(CheckGradients(plan, i, accesses[i]));
    MPC_RETURN_IF_ERROR(CheckUpdates(plan, i, accesses[i]));
  }
  return absl::OkStatus();
}

}  // namespace mpc::runtime
