// A counter-based generator: any rank can make any part of any sample.
#include "runtime/data/synthetic_tokens.h"

namespace mpc::runtime {
namespace {

// What a number is drawn for; keeps the streams apart.
enum Stream : uint64_t { kIds = 1, kDensity = 2, kLabels = 3 };

// The finaliser of splitmix64 (Steele, Lea, Flood 2014).
uint64_t Mix(uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

uint64_t Draw(uint64_t seed, Stream stream, int64_t sample, int64_t position) {
  return Mix(Mix(Mix(seed ^ Mix(stream)) + sample) + position);
}

}  // namespace

int32_t SyntheticTokens::Id(int64_t sample, int64_t position) const {
  return Draw(seed_, kIds, sample, position) % vocabulary_;
}

bool SyntheticTokens::HasLabel(int64_t sample, int64_t position) const {
  const bool is_first = sample % global_batch_ == 0;
  if (is_first && position == 0) return true;
  // Quarters of the positions that have a label.
  uint64_t density = Draw(seed_, kDensity, sample, 0) % 5;
  if (is_first && density == 0) density = 1;
  return Draw(seed_, kLabels, sample, position) % 4 < density;
}

void SyntheticTokens::ReadIds(int64_t sample, int64_t begin,
                              absl::Span<int32_t> ids) const {
  for (size_t i = 0; i < ids.size(); ++i) ids[i] = Id(sample, begin + i);
}

void SyntheticTokens::ReadLabels(int64_t sample, int64_t begin,
                                 absl::Span<int32_t> labels) const {
  for (size_t i = 0; i < labels.size(); ++i) {
    const int64_t position = begin + i;
    labels[i] = HasLabel(sample, position) ? Id(sample, position + 1) : -1;
  }
}

}  // namespace mpc::runtime
