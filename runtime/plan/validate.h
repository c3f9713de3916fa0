// The checks of a plan that need nothing but the plan.
#ifndef MPC_RUNTIME_PLAN_VALIDATE_H_
#define MPC_RUNTIME_PLAN_VALIDATE_H_

#include "absl/status/status.h"
#include "runtime/plan/plan.pb.h"

namespace mpc::runtime {

/// Checks that every enum and oneof is set, every index exists, every slice
/// lies in its region, states are unique and as large as their shardings say,
/// that every collective is waited for in its list, and every message in its
/// step, whose bytes both ends of the channel agree on. What is special to a
/// kind of command (shapes, types) is checked by its thunk, what the commands
/// of a step do together by CheckPlan (runtime/checker).
///
/// kInvalidArgument with a message that names the place, what was found and
/// what is legal.
absl::Status ValidatePlan(const plan::Plan& plan);

}  // namespace mpc::runtime

#endif  // MPC_RUNTIME_PLAN_VALIDATE_H_
