#include "runtime/device/cpu/random.h"

namespace mpc::runtime {
namespace {

/// The output function of the splitmix64 generator.
uint64_t MixBits64(uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

/// FNV-1a.
uint64_t HashOfName(absl::string_view name) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (char c : name) hash = (hash ^ static_cast<uint8_t>(c)) * 0x100000001b3u;
  return hash;
}

/// The upper 53 bits as a number in (0, 1].
double ToUnitInterval(uint64_t bits) {
  return (static_cast<double>(bits >> 11) + 1.0) * 0x1.0p-53;
}

}  // namespace

void NormalValues(uint32_t seed, absl::string_view key, int64_t begin,
                  int64_t end, double* values) {
  constexpr double kTwoPi = 6.283185307179586476925286766559;
  const uint64_t stream = MixBits64(seed) ^ HashOfName(key);
  for (int64_t pair = begin / 2; 2 * pair < end; ++pair) {
    // Box and Muller: two uniform numbers give two normal ones.
    const uint64_t first = MixBits64(stream + 2 * static_cast<uint64_t>(pair));
    const uint64_t second = MixBits64(first ^ stream);
    const double radius = std::sqrt(-2.0 * std::log(ToUnitInterval(first)));
    const double angle = kTwoPi * ToUnitInterval(second);
    if (2 * pair >= begin) values[2 * pair - begin] = radius * std::cos(angle);
    if (2 * pair + 1 >= begin && 2 * pair + 1 < end)
      values[2 * pair + 1 - begin] = radius * std::sin(angle);
  }
}

}  // namespace mpc::runtime
