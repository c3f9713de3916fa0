#include "runtime/floats/narrow_floats.h"

#include <cstring>

// Processors with vector conversions take them, others run the plain loops.
#define MPC_VECTOR_CLONES __attribute__((target_clones("arch=x86-64-v3", "default")))

namespace mpc::runtime {
namespace {

/// The bits of bf16 are the upper half of those of f32.
MPC_VECTOR_CLONES
void WidenBf16(const uint16_t* from, int64_t count, float* to) {
  for (int64_t i = 0; i < count; ++i) {
    const uint32_t bits = static_cast<uint32_t>(from[i]) << 16;
    std::memcpy(&to[i], &bits, sizeof(bits));
  }
}

MPC_VECTOR_CLONES
void NarrowBf16(const float* from, int64_t count, uint16_t* to) {
  for (int64_t i = 0; i < count; ++i) {
    uint32_t bits;
    std::memcpy(&bits, &from[i], sizeof(bits));
    const uint32_t rounded = (bits + 0x7fff + ((bits >> 16) & 1)) >> 16;
    const bool is_nan = (bits & 0x7fffffff) > 0x7f800000;
    // A NaN whose payload rounding would carry away gets a quiet one.
    to[i] = static_cast<uint16_t>(is_nan ? (bits >> 16) | 0x40 : rounded);
  }
}

MPC_VECTOR_CLONES
void WidenF16(const _Float16* from, int64_t count, float* to) {
  for (int64_t i = 0; i < count; ++i) to[i] = static_cast<float>(from[i]);
}

MPC_VECTOR_CLONES
void NarrowF16(const float* from, int64_t count, _Float16* to) {
  for (int64_t i = 0; i < count; ++i) to[i] = static_cast<_Float16>(from[i]);
}

}  // namespace

void WidenFloats(plan::DataType type, const void* from, int64_t count,
                 float* to) {
  if (type == plan::DATA_TYPE_BF16)
    WidenBf16(static_cast<const uint16_t*>(from), count, to);
  else
    WidenF16(static_cast<const _Float16*>(from), count, to);
}

void NarrowFloats(plan::DataType type, const float* from, int64_t count,
                  void* to) {
  if (type == plan::DATA_TYPE_BF16)
    NarrowBf16(from, count, static_cast<uint16_t*>(to));
  else
    NarrowF16(from, count, static_cast<_Float16*>(to));
}

}  // namespace mpc::runtime
