// Conversion between f32 and the narrower floats, bf16 and f16.
#ifndef MPC_RUNTIME_FLOATS_NARROW_FLOATS_H_
#define MPC_RUNTIME_FLOATS_NARROW_FLOATS_H_

#include <cstdint>

#include "runtime/plan/plan.pb.h"

namespace mpc::runtime {

/// Whether `type` is bf16 or f16.
inline bool IsNarrowFloat(plan::DataType type) {
  return type == plan::DATA_TYPE_BF16 || type == plan::DATA_TYPE_F16;
}

/// to[i] = from[i], `count` elements of a narrow type; exact.
void WidenFloats(plan::DataType type, const void* from, int64_t count,
                 float* to);

/// to[i] = from[i] in a narrow type, rounded to the nearest, ties to even; what
/// exceeds its range becomes infinite, and a NaN stays one.
void NarrowFloats(plan::DataType type, const float* from, int64_t count,
                  void* to);

}  // namespace mpc::runtime

#endif  // MPC_RUNTIME_FLOATS_NARROW_FLOATS_H_
