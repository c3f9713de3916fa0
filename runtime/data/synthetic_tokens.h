// Samples made from a seed, for `verify`.
#ifndef MPC_RUNTIME_DATA_SYNTHETIC_TOKENS_H_
#define MPC_RUNTIME_DATA_SYNTHETIC_TOKENS_H_

#include <cstdint>
#include <optional>

#include "runtime/data/batch_source.h"

namespace mpc::runtime {

/// Ids and labels as a function of (seed, sample, position) alone. Samples have
/// different numbers of labels, about one in five has none; the first sample of
/// each step has some, since a step without any changes nothing.
///
/// With padding, samples are of different lengths, the first one of each step
/// is full and some are empty.
class SyntheticTokens : public BatchSource {
 public:
  struct Padding {
    int32_t token;
    int64_t sequence_length;
  };

  SyntheticTokens(uint64_t seed, int64_t global_batch, int64_t vocabulary,
                  std::optional<Padding> padding = std::nullopt)
      : seed_(seed),
        global_batch_(global_batch),
        vocabulary_(vocabulary),
        padding_(padding) {}

  void ReadIds(int64_t sample, int64_t begin,
               absl::Span<int32_t> ids) const override;
  void ReadLabels(int64_t sample, int64_t begin,
                  absl::Span<int32_t> labels) const override;

 private:
  /// Tokens in front of the padding.
  int64_t Length(int64_t sample) const;
  int32_t Id(int64_t sample, int64_t position) const;
  bool HasLabel(int64_t sample, int64_t position) const;

  uint64_t seed_;
  int64_t global_batch_;
  int64_t vocabulary_;
  std::optional<Padding> padding_;
};

}  // namespace mpc::runtime

#endif  // MPC_RUNTIME_DATA_SYNTHETIC_TOKENS_H_
