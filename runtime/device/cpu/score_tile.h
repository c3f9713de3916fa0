// What attention and its gradient share: scores of some queries with some keys.
//
// Only for sources that are compiled for x86-64-v3.
#ifndef MPC_RUNTIME_DEVICE_CPU_SCORE_TILE_H_
#define MPC_RUNTIME_DEVICE_CPU_SCORE_TILE_H_

#include <cstdint>
#include <functional>

#include "runtime/device/cpu/attention_tiles.h"
#include "runtime/device/cpu/vector_math.h"
#include "runtime/device/device.h"
#include "runtime/threads/thread_pool.h"

namespace mpc::runtime {

/// Elements from one token to the next in q and in k.
inline int64_t QueryStride(const AttentionShape& shape) {
  return shape.key_value_heads * shape.group * shape.head_size;
}
inline int64_t KeyStride(const AttentionShape& shape) {
  return shape.key_value_heads * shape.head_size;
}

/// The queries of a tile: `count` positions from `begin` on, of one head.
struct QueryRange {
  int64_t sample, key_value_head, group, begin, count;

  /// The place of its first row in q, and in logsumexp, whose rows are
  /// kv · group elements apart.
  int64_t Offset(const AttentionShape& shape) const;
  int64_t RowOffset(const AttentionShape& shape) const;
};

/// Keys of a tile.
struct KeyRange {
  int64_t begin, count;

  /// Vectors of a row of scores.
  int64_t vectors() const { return (count + kVector - 1) / kVector; }
};

/// The place of a key in k and v.
inline int64_t KeyOffset(const AttentionShape& shape, int64_t sample,
                         int64_t key_value_head, int64_t key) {
  return (sample * shape.keys + key) * KeyStride(shape) +
         key_value_head * shape.head_size;
}

/// One tile of scores, in a lane of the working memory.
class ScoreTile {
 public:
  ScoreTile(const AttentionArguments& arguments, const QueryRange& queries);

  /// Narrows `keys` to what any of the queries sees; count 0: nothing.
  KeyRange Visible(KeyRange keys) const;

  /// Writes scale · q kᵀ to the lane's scores, −∞ where masked and up to the next
  /// vector behind each row. The lane holds the queries and the transposed keys.
  void Compute(const KeyRange& keys, const Lane& lane);

  /// What the probabilities of vector `vector` of row `row` are multiplied by on
  /// account of dropout; for the keys of the last Compute.
  Floats DropoutFactors(int64_t row, int64_t vector) const {
    const Words position = (Words)reinterpret_cast<const Ints*>(
        key_positions_)[vector];
    Words hash = position + row_hashes_[row];
    hash ^= hash >> 16;
    hash *= 0x7feb352du;
    hash ^= hash >> 15;
    hash *= 0x846ca68bu;
    hash ^= hash >> 16;
    return (hash >> 8) >= threshold_ ? Floats{} + factor_ : Floats{};
  }

 private:
  void Mask(const KeyRange& keys, float* scores) const;

  const AttentionArguments& a_;
  const QueryRange& queries_;
  const int32_t* query_positions_;
  int32_t first_position_, last_position_;
  uint32_t threshold_;
  float factor_;
  uint32_t row_hashes_[kTileQueries];
  alignas(64) int32_t key_positions_[kTileKeys];
};

/// Runs `items` items on as many threads as there are lanes in the working memory
/// of `arguments`.
void RunInLanes(
    ThreadPool& pool, int64_t items, const AttentionArguments& arguments,
    const std::function<void(int64_t item, const Lane& lane)>& body);

}  // namespace mpc::runtime

#endif  // MPC_RUNTIME_DEVICE_CPU_SCORE_TILE_H_
