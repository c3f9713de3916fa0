// Elementwise reductions of host memory.
#ifndef MPC_RUNTIME_COMM_COMBINE_H_
#define MPC_RUNTIME_COMM_COMBINE_H_

#include <cstdint>

#include "runtime/plan/plan.pb.h"

namespace mpc::runtime {

/// How values of one type are reduced: the first is put into an accumulator, the
/// others are joined to it, and what it holds is written at last. The accumulator
/// of a narrow float is an f32, so that a result is rounded once.
struct Combiner {
  int64_t element_bytes;
  int64_t accumulator_bytes;
  void (*begin)(void* accumulator, const void* first, int64_t count);
  void (*join)(void* accumulator, const void* next, int64_t count);
  void (*finish)(void* result, const void* accumulator, int64_t count);
};

/// Of f32, bf16, f16 or i32 (sums modulo 2³²) and sum or max (NaN if one of them
/// is).
Combiner CombinerOf(plan::DataType type, plan::Reduction reduction);

}  // namespace mpc::runtime

#endif  // MPC_RUNTIME_COMM_COMBINE_H_
