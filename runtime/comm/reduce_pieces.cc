#include "runtime/comm/reduce_pieces.h"

#include <algorithm>

namespace mpc::runtime {
namespace {

constexpr int64_t kBlockBytes = 16 << 10;

}  // namespace

void ReducePieces(absl::Span<const Piece> sources,
                  absl::Span<const Piece> destinations,
                  const Combiner& combiner, int64_t begin, int64_t end) {
  alignas(64) char block[kBlockBytes];
  const int64_t step =
      kBlockBytes / combiner.accumulator_bytes * combiner.element_bytes;
  for (; begin < end; begin += step) {
    const int64_t block_end = std::min(end, begin + step);
    for (size_t i = 0; i < sources.size(); ++i) {
      char* to = block;
      ForEachPart(sources[i], begin, block_end, [&](char* from, int64_t bytes) {
        const int64_t count = bytes / combiner.element_bytes;
        (i == 0 ? combiner.begin : combiner.join)(to, from, count);
        to += count * combiner.accumulator_bytes;
      });
    }
    for (const Piece& destination : destinations) {
      const char* from = block;
      ForEachPart(destination, begin, block_end, [&](char* to, int64_t bytes) {
        const int64_t count = bytes / combiner.element_bytes;
        combiner.finish(to, from, count);
        from += count * combiner.accumulator_bytes;
      });
    }
  }
}

}  // namespace mpc::runtime
