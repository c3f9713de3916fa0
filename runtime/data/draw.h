// Random numbers that depend on their place alone: any rank can make any of
// them.
#ifndef MPC_RUNTIME_DATA_DRAW_H_
#define MPC_RUNTIME_DATA_DRAW_H_

#include <cstdint>

namespace mpc::runtime {

/// What a number is drawn for; keeps the streams apart.
enum class Stream : uint64_t {
  kIds = 1,
  kDensity = 2,
  kLabels = 3,
  kLength = 4,
  kChoice = 5,
  kReplacement = 6,
  kReplacementToken = 7,
};

/// The finaliser of splitmix64 (Steele, Lea, Flood 2014).
inline uint64_t Mix(uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

/// Uniform over all 64 bits.
inline uint64_t Draw(uint64_t seed, Stream stream, int64_t sample,
                     int64_t position) {
  const uint64_t key = Mix(seed ^ Mix(static_cast<uint64_t>(stream)));
  return Mix(Mix(key + sample) + position);
}

/// Uniform in [0, 1).
inline double DrawUnit(uint64_t seed, Stream stream, int64_t sample,
                       int64_t position) {
  return (Draw(seed, stream, sample, position) >> 11) * 0x1p-53;
}

}  // namespace mpc::runtime

#endif  // MPC_RUNTIME_DATA_DRAW_H_
