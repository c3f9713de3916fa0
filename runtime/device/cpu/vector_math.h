// Eight floats at a time, for compilers with GCC's vector extensions.
//
// Only for sources that are compiled for x86-64-v3.
#ifndef MPC_RUNTIME_DEVICE_CPU_VECTOR_MATH_H_
#define MPC_RUNTIME_DEVICE_CPU_VECTOR_MATH_H_

#include <cstdint>
#include <limits>

namespace mpc::runtime {

using Floats = float __attribute__((vector_size(32), may_alias));
using Ints = int32_t __attribute__((vector_size(32), may_alias));
using Words = uint32_t __attribute__((vector_size(32), may_alias));

inline constexpr int64_t kVector = 8;
inline constexpr float kInfinity = std::numeric_limits<float>::infinity();

/// The vectors of a row that begins at a multiple of 32 bytes.
inline Floats* AsVectors(float* row) {
  return reinterpret_cast<Floats*>(row);
}

/// e^x for x up to 88, off by less than 2 units in the last place; 0 below
/// about −87.3, where the result would be denormal, and for −∞. NaN for NaN.
inline Floats Exp(Floats x) {
  constexpr float kLowest = -87.33654f;
  // Adding this rounds to an integer and leaves it in the low bits.
  constexpr float kRounder = 12582912.0f;  // 1.5 · 2²³
  const Floats clamped = x < kLowest ? Floats{} + kLowest : x;
  const Floats shifted = clamped * 1.44269504088896341f + kRounder;
  const Floats count = shifted - kRounder;
  // ln 2 in two parts: the first product is exact.
  Floats rest = clamped - count * 0.693359375f;
  rest = rest - count * -2.12194440e-4f;
  Floats p = rest * 1.9875691500e-4f + 1.3981999507e-3f;
  p = p * rest + 8.3334519073e-3f;
  p = p * rest + 4.1665795894e-2f;
  p = p * rest + 1.6666665459e-1f;
  p = p * rest + 5.0000001201e-1f;
  p = p * (rest * rest) + rest + 1.0f;
  const Words scaled = (Words)p + ((Words)shifted << 23);
  const Floats result = (Floats)scaled;
  return x < kLowest ? Floats{} : (x == x ? result : x);
}

inline float HorizontalSum(Floats x) {
  return ((x[0] + x[4]) + (x[2] + x[6])) + ((x[1] + x[5]) + (x[3] + x[7]));
}

inline float HorizontalMax(Floats x) {
  float max = x[0];
  for (int i = 1; i < kVector; ++i) max = max < x[i] ? x[i] : max;
  return max;
}

}  // namespace mpc::runtime

#endif  // MPC_RUNTIME_DEVICE_CPU_VECTOR_MATH_H_
