// Values for the tests of kernels.
#ifndef MPC_PASSES_LOWERING_KERNELS_TESTVALUES_H
#define MPC_PASSES_LOWERING_KERNELS_TESTVALUES_H

#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

namespace mpc::kernels {

using Floats = std::vector<float>;
using Ints = std::vector<int32_t>;

inline Floats randomFloats(size_t count, unsigned seed = 1) {
  std::mt19937 engine(seed);
  std::normal_distribution<float> normal;
  Floats values(count);
  for (float &value : values)
    value = normal(engine);
  return values;
}

/// Integers in [-8, 8]: every order of a sum gives the same bits.
inline Floats smallIntegers(size_t count, unsigned seed = 1) {
  std::mt19937 engine(seed);
  Floats values(count);
  for (float &value : values)
    value = static_cast<int>(engine() % 17) - 8;
  return values;
}

/// first, first + 1, ...
inline Ints consecutive(size_t count, int32_t first = 0) {
  Ints values(count);
  for (size_t i = 0; i < count; ++i)
    values[i] = first + i;
  return values;
}

inline uint32_t mix(uint32_t x) {
  x ^= x >> 16;
  x *= 0x7feb352d;
  x ^= x >> 15;
  x *= 0x846ca68b;
  return x ^ x >> 16;
}

/// What dropout makes of `x` at an element with this hash.
inline float dropped(float x, uint32_t hash, float rate) {
  bool keeps = (hash >> 8) >= std::lround(double(rate) * (1 << 24));
  return keeps ? x * (1.0f / (1.0f - rate)) : 0.0f;
}

} // namespace mpc::kernels

#endif // MPC_PASSES_LOWERING_KERNELS_TESTVALUES_H
