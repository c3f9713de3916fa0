// The checks of one piece of state.
#ifndef MPC_RUNTIME_PLAN_STATE_CHECK_H_
#define MPC_RUNTIME_PLAN_STATE_CHECK_H_

#include "absl/status/status.h"
#include "runtime/plan/plan.pb.h"

namespace mpc::runtime {

/// Checks that sizes, sharding, slice, initial value and kind of a state agree.
/// Its fields have passed CheckFields.
absl::Status CheckState(const plan::State& state, const plan::Mesh& mesh);

}  // namespace mpc::runtime

#endif  // MPC_RUNTIME_PLAN_STATE_CHECK_H_
