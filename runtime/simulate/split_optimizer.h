// Optimizers that are split without regard to tensors.
#ifndef MPC_RUNTIME_SIMULATE_SPLIT_OPTIMIZER_H_
#define MPC_RUNTIME_SIMULATE_SPLIT_OPTIMIZER_H_

#include <cstdint>

#include "runtime/plan/plan.pb.h"

namespace mpc::runtime {

/// Whether a group, within a stage, has ranks that hold the same parameters.
bool IsDataParallel(const plan::Plan& plan, uint32_t group);

/// Makes a role of a plan, for the clock alone, into what Megatron-LM's
/// distributed optimizer does: gradients of parameters are scattered in
/// whatever pieces, in buckets of 40 million elements, each rank updates its
/// piece, and parameters are gathered in two bytes an element from the
/// beginning of the step on. `role`'s handles are unique.
void SplitOptimizer(const plan::Plan& plan, plan::Role* role);

}  // namespace mpc::runtime

#endif  // MPC_RUNTIME_SIMULATE_SPLIT_OPTIMIZER_H_
