// What holds for every field of a plan because of its type alone.
#ifndef MPC_RUNTIME_PLAN_FIELD_CHECK_H_
#define MPC_RUNTIME_PLAN_FIELD_CHECK_H_

#include "absl/status/status.h"
#include "runtime/plan/plan.pb.h"

namespace mpc::runtime {

/// Checks that `plan` has no field that this version does not know, no unset or
/// unknown enum value, no unset oneof, no missing slice, and that every slice
/// lies in its region. Errors start with the path of the field, e.g.
/// `roles[0].lists[0] "update".commands[2] "h.3.mlp".gemm.left`.
absl::Status CheckFields(const plan::Plan& plan);

}  // namespace mpc::runtime

#endif  // MPC_RUNTIME_PLAN_FIELD_CHECK_H_
