// Random numbers that are functions of what they are for, not of an order of
// calls: the same on every mesh and for any number of threads.
#ifndef MPC_RUNTIME_DEVICE_CPU_RANDOM_H_
#define MPC_RUNTIME_DEVICE_CPU_RANDOM_H_

#include <cmath>
#include <cstdint>

#include "absl/strings/string_view.h"

namespace mpc::runtime {

/// A permutation of the 32-bit numbers whose output bits depend on all input
/// bits. Compiled kernels contain the same function.
inline uint32_t MixBits(uint32_t x) {
  x ^= x >> 16;
  x *= 0x7feb352du;
  x ^= x >> 15;
  x *= 0x846ca68bu;
  x ^= x >> 16;
  return x;
}

/// Dropout of attention probabilities: the hash of an element is
/// MixBits(AttentionRowHash(…) + key position).
inline uint32_t AttentionRowHash(uint32_t seed, uint32_t key, uint32_t sample,
                                 uint32_t head, uint32_t query_position) {
  return MixBits(MixBits(MixBits(MixBits(seed ^ key) + sample) + head) +
                 query_position);
}

/// An element is kept if its hash >> 8 is at least this.
inline uint32_t DropoutThreshold(float rate) {
  return static_cast<uint32_t>(
      std::lround(static_cast<double>(rate) * (1 << 24)));
}

/// What a kept element is multiplied by.
inline float DropoutScale(float rate) { return 1.0f / (1.0f - rate); }

/// Writes elements begin … end − 1 of the standard normal sequence of
/// (seed, key) to `values`.
void NormalValues(uint32_t seed, absl::string_view key, int64_t begin,
                  int64_t end, double* values);

}  // namespace mpc::runtime

#endif  // MPC_RUNTIME_DEVICE_CPU_RANDOM_H_
