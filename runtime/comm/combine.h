// Elementwise reductions of host memory.
#ifndef MPC_RUNTIME_COMM_COMBINE_H_
#define MPC_RUNTIME_COMM_COMBINE_H_

#include <cstdint>

#include "runtime/plan/plan.pb.h"

namespace mpc::runtime {

/// left = left op right, for whole elements.
using CombineFunction = void (*)(void* left, const void* right, int64_t bytes);

/// Of f32 or i32 (sums modulo 2³²) and sum or max (NaN if one of them is).
CombineFunction CombineOf(plan::DataType type, plan::Reduction reduction);

}  // namespace mpc::runtime

#endif  // MPC_RUNTIME_COMM_COMBINE_H_
