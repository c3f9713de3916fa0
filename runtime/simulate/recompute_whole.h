// Plans that compute again what other systems would.
#ifndef MPC_RUNTIME_SIMULATE_RECOMPUTE_WHOLE_H_
#define MPC_RUNTIME_SIMULATE_RECOMPUTE_WHOLE_H_

#include "runtime/plan/plan.pb.h"

namespace mpc::runtime {

/// A recomputed part of a plan leaves out what backward does not read, e.g. a
/// layer's last product and its reduction. Checkpointing as in Megatron-LM runs
/// the whole part again. This adds to each backward pass the commands of the
/// forward pass that complete what it recomputes: of a layer of which it
/// recomputes a linear layer all that is missing, of one of which it recomputes
/// scores alone the rest of attention.
///
/// The result is for the clock alone: its values would be wrong. For comparison
/// with published measurements.
plan::Plan RecomputeWhole(plan::Plan plan);

}  // namespace mpc::runtime

#endif  // MPC_RUNTIME_SIMULATE_RECOMPUTE_WHOLE_H_
