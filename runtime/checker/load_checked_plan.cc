#include "runtime/checker/load_checked_plan.h"

#include "absl/strings/str_cat.h"
#include "runtime/checker/check_plan.h"
#include "runtime/plan/plan_reader.h"
#include "runtime/status_macros.h"

namespace mpc::runtime {

absl::StatusOr<plan::Plan> LoadCheckedPlan(const std::string& path) {
  MPC_ASSIGN_OR_RETURN(plan::Plan plan, LoadPlan(path));
  if (const absl::Status status = CheckPlan(plan); !status.ok())
    return absl::Status(
        status.code(),
        absl::StrCat("plan ", path == "-" ? "standard input" : path,
                     " is not run: ", status.message()));
  return plan;
}

}  // namespace mpc::runtime
