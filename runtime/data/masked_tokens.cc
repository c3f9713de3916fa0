#include "runtime/data/masked_tokens.h"

#include <algorithm>

#include "runtime/data/draw.h"

namespace mpc::runtime {

bool MaskedTokens::IsChosen(int64_t sample, int64_t position,
                            int32_t token) const {
  const auto& special = masking_.special_tokens();
  if (token == masking_.mask_token() || IsPadding(token) ||
      std::find(special.begin(), special.end(), token) != special.end())
    return false;
  return DrawUnit(seed_, Stream::kChoice, sample, position) < masking_.rate();
}

int32_t MaskedTokens::Replace(int64_t sample, int64_t position,
                              int32_t token) const {
  const double draw = DrawUnit(seed_, Stream::kReplacement, sample, position);
  if (draw < masking_.mask_share()) return masking_.mask_token();
  if (draw < masking_.mask_share() + masking_.random_share())
    return Draw(seed_, Stream::kReplacementToken, sample, position) %
           vocabulary_;
  return token;
}

void MaskedTokens::ReadIds(int64_t sample, int64_t begin,
                           absl::Span<int32_t> ids) const {
  source_->ReadIds(sample, begin, ids);
  for (size_t i = 0; i < ids.size(); ++i)
    if (IsChosen(sample, begin + i, ids[i]))
      ids[i] = Replace(sample, begin + i, ids[i]);
}

void MaskedTokens::ReadLabels(int64_t sample, int64_t begin,
                              absl::Span<int32_t> labels) const {
  source_->ReadIds(sample, begin, labels);
  for (size_t i = 0; i < labels.size(); ++i)
    if (!IsChosen(sample, begin + i, labels[i])) labels[i] = -1;
}

void MaskedTokens::ReadPositions(int64_t sample, int64_t begin,
                                 absl::Span<int32_t> positions) const {
  source_->ReadIds(sample, begin, positions);
  for (size_t i = 0; i < positions.size(); ++i)
    positions[i] = IsPadding(positions[i]) ? -1 : begin + i;
}

}  // namespace mpc::runtime
