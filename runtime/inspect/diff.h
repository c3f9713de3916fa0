// What two plans do differently.
#ifndef MPC_RUNTIME_INSPECT_DIFF_H_
#define MPC_RUNTIME_INSPECT_DIFF_H_

#include <string>

#include "runtime/inspect/summary.h"
#include "runtime/plan/plan.pb.h"

namespace mpc::runtime {

/// Strategy, mesh and the like, then by stage memory by category, commands of a
/// rank in a step by list and kind, and communication by kind and axes; rows
/// and stages that agree are left out. One sentence if nothing differs. Names
/// of lists are compared, not their order.
std::string PrintDiff(const plan::Plan& before, const PlanSummary& before_facts,
                      const plan::Plan& after, const PlanSummary& after_facts);

}  // namespace mpc::runtime

#endif  // MPC_RUNTIME_INSPECT_DIFF_H_
