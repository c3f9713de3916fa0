// Masked language modelling on the tokens of another source.
#ifndef MPC_RUNTIME_DATA_MASKED_TOKENS_H_
#define MPC_RUNTIME_DATA_MASKED_TOKENS_H_

#include <cstdint>
#include <memory>
#include <utility>

#include "runtime/data/batch_source.h"
#include "runtime/plan/plan.pb.h"

namespace mpc::runtime {

/// Hides some tokens of a source and makes them labels (Devlin et al. 2019).
/// Whether a token is chosen and what stands in its place is a function of
/// (seed, sample, position) and the token alone, hence the same on every mesh,
/// for every microbatch size and after every restart. Padding is at position
/// −1.
class MaskedTokens : public BatchSource {
 public:
  /// Takes `source`'s ids, of a vocabulary of `vocabulary`, and not its labels.
  MaskedTokens(std::unique_ptr<BatchSource> source,
               const plan::Masking& masking, int64_t vocabulary, uint64_t seed)
      : source_(std::move(source)),
        masking_(masking),
        vocabulary_(vocabulary),
        seed_(seed) {}

  void ReadIds(int64_t sample, int64_t begin,
               absl::Span<int32_t> ids) const override;
  void ReadLabels(int64_t sample, int64_t begin,
                  absl::Span<int32_t> labels) const override;
  void ReadPositions(int64_t sample, int64_t begin,
                     absl::Span<int32_t> positions) const override;

 private:
  bool IsPadding(int32_t token) const {
    return masking_.has_pad_token() && token == masking_.pad_token();
  }
  bool IsChosen(int64_t sample, int64_t position, int32_t token) const;
  /// What is to be seen of a chosen token.
  int32_t Replace(int64_t sample, int64_t position, int32_t token) const;

  std::unique_ptr<BatchSource> source_;
  plan::Masking masking_;
  int64_t vocabulary_;
  uint64_t seed_;
};

}  // namespace mpc::runtime

#endif  // MPC_RUNTIME_DATA_MASKED_TOKENS_H_
