// Reads plans that are to be run.
#ifndef MPC_RUNTIME_CHECKER_LOAD_CHECKED_PLAN_H_
#define MPC_RUNTIME_CHECKER_LOAD_CHECKED_PLAN_H_

#include <string>

#include "absl/status/statusor.h"
#include "runtime/plan/plan.pb.h"

namespace mpc::runtime {

/// LoadPlan and CheckPlan. Every command of mpc-run that launches ranks reads
/// its plans with it.
absl::StatusOr<plan::Plan> LoadCheckedPlan(const std::string& path);

}  // namespace mpc::runtime

#endif  // MPC_RUNTIME_CHECKER_LOAD_CHECKED_PLAN_H_
