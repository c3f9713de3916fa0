// A counter-based generator: any rank can make any part of any sample.
#include "runtime/data/synthetic_tokens.h"

#include "runtime/data/draw.h"

namespace mpc::runtime {
int64_t SyntheticTokens::Length(int64_t sample) const {
  const int64_t full = padding_->sequence_length;
  if (sample % global_batch_ == 0) return full;
  return Draw(seed_, Stream::kLength, sample, 0) % (full + 1);
}

int32_t SyntheticTokens::Id(int64_t sample, int64_t position) const {
  if (padding_ && position >= Length(sample)) return padding_->token;
  return Draw(seed_, Stream::kIds, sample, position) % vocabulary_;
}

bool SyntheticTokens::HasLabel(int64_t sample, int64_t position) const {
  const bool is_first = sample % global_batch_ == 0;
  if (is_first && position == 0) return true;
  // Quarters of the positions that have a label.
  uint64_t density = Draw(seed_, Stream::kDensity, sample, 0) % 5;
  if (is_first && density == 0) density = 1;
  return Draw(seed_, Stream::kLabels, sample, position) % 4 < density;
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
