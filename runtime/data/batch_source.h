// Where the tokens of a training run come from.
#ifndef MPC_RUNTIME_DATA_BATCH_SOURCE_H_
#define MPC_RUNTIME_DATA_BATCH_SOURCE_H_

#include <cstdint>

#include "absl/types/span.h"

namespace mpc::runtime {

/// An endless row of samples of `sequence_length` tokens, numbered from 0 since
/// the start of training. Step k (from 0) of a run with B samples a step takes
/// the samples k·B … k·B + B − 1, on every mesh.
///
/// Thread-safe: all ranks of a process read one source.
class BatchSource {
 public:
  virtual ~BatchSource() = default;

  /// Writes the ids of positions [begin, begin + ids.size()) of a sample.
  virtual void ReadIds(int64_t sample, int64_t begin,
                       absl::Span<int32_t> ids) const = 0;

  /// Writes the labels of the same positions: what they are to predict, or −1
  /// where that is nothing.
  virtual void ReadLabels(int64_t sample, int64_t begin,
                          absl::Span<int32_t> labels) const = 0;

  /// Writes the positions themselves, or −1 where there is only padding.
  virtual void ReadPositions(int64_t sample, int64_t begin,
                             absl::Span<int32_t> positions) const {
    for (size_t i = 0; i < positions.size(); ++i) positions[i] = begin + i;
  }
};

}  // namespace mpc::runtime

#endif  // MPC_RUNTIME_DATA_BATCH_SOURCE_H_
