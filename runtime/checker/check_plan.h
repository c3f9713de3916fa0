// The checker of plans.
#ifndef MPC_RUNTIME_CHECKER_CHECK_PLAN_H_
#define MPC_RUNTIME_CHECKER_CHECK_PLAN_H_

#include "absl/status/status.h"
#include "runtime/plan/plan.pb.h"

namespace mpc::runtime {

/// Decides without running it whether a step of the plan ends, and computes
/// what a step should: microbatches go through all phases, gradients are summed
/// in order, parameters are updated once; messages and collectives match; no
/// buffer is read before it is written or touched while it is under way. The
/// files of this folder say precisely what each of their checks means.
///
/// The plan is valid (ParsePlan), and its commands are as their thunks want
/// them. The error is the first violation; it names rank, entry of the
/// schedule, list, command and location as far as there are any.
absl::Status CheckPlan(const plan::Plan& plan);

}  // namespace mpc::runtime

#endif  // MPC_RUNTIME_CHECKER_CHECK_PLAN_H_
