#include "runtime/device/cpu/score_tile.h"

#include <algorithm>
#include <atomic>
#include <limits>

#include "runtime/device/cpu/random.h"
#include "runtime/device/cpu/tile_product.h"

namespace mpc::runtime {

int64_t QueryRange::Offset(const AttentionShape& shape) const {
  return (sample * shape.queries + begin) * QueryStride(shape) +
         (key_value_head * shape.group + group) * shape.head_size;
}

int64_t QueryRange::RowOffset(const AttentionShape& shape) const {
  return (sample * shape.queries + begin) * shape.key_value_heads *
             shape.group +
         key_value_head * shape.group + group;
}

ScoreTile::ScoreTile(const AttentionArguments& arguments,
                     const QueryRange& queries)
    : a_(arguments),
      queries_(queries),
      query_positions_(nullptr),
      first_position_(std::numeric_limits<int32_t>::max()),
      last_position_(std::numeric_limits<int32_t>::max()),
      threshold_(DropoutThreshold(arguments.dropout)),
      factor_(DropoutScale(arguments.dropout)) {
  const AttentionShape& shape = a_.shape;
  if (a_.causal || a_.dropout > 0)
    query_positions_ =
        a_.query_positions + queries.sample * shape.queries + queries.begin;
  if (a_.causal) {
    const auto [first, last] = std::minmax_element(
        query_positions_, query_positions_ + queries.count);
    first_position_ = *first;
    last_position_ = *last;
  }
  if (a_.dropout > 0) {
    const int32_t head =
        a_.heads[queries.key_value_head * shape.group + queries.group];
    for (int64_t row = 0; row < queries.count; ++row)
      row_hashes_[row] =
          AttentionRowHash(*a_.seed, a_.dropout_key,
                           a_.samples[queries.sample], head,
                           query_positions_[row]);
  }
}

KeyRange ScoreTile::Visible(KeyRange keys) const {
  const int32_t* positions =
      a_.key_positions + queries_.sample * a_.shape.keys + keys.begin;
  while (keys.count > 0 && (positions[keys.count - 1] < 0 ||
                            positions[keys.count - 1] > last_position_))
    --keys.count;
  return keys;
}

void ScoreTile::Compute(const KeyRange& keys, const Lane& lane) {
  const AttentionShape& shape = a_.shape;
  TileProduct product;
  product.rows = queries_.count;
  product.columns = keys.vectors() * kVector;
  product.inner = shape.head_size;
  product.left = lane.queries, product.left_stride = TileRow(shape);
  product.right = lane.transposed_keys, product.right_stride = kTileKeys;
  product.destination = lane.scores, product.destination_stride = kTileKeys;
  product.scale = a_.scale;
  Multiply(product);
  std::fill_n(key_positions_, kTileKeys, 0);
  std::copy_n(a_.key_positions + queries_.sample * shape.keys + keys.begin,
              keys.count, key_positions_);
  Mask(keys, lane.scores);
}

void ScoreTile::Mask(const KeyRange& keys, float* scores) const {
  const int64_t vectors = keys.vectors();
  for (int64_t row = 0; row < queries_.count; ++row)
    for (int64_t i = keys.count; i < vectors * kVector; ++i)
      scores[row * kTileKeys + i] = -kInfinity;
  const auto [least, most] =
      std::minmax_element(key_positions_, key_positions_ + keys.count);
  if (*least >= 0 && *most <= first_position_) return;
  const auto* positions = reinterpret_cast<const Ints*>(key_positions_);
  for (int64_t row = 0; row < queries_.count; ++row) {
    Floats* const vector = AsVectors(scores + row * kTileKeys);
    const int32_t position = a_.causal ? query_positions_[row] : last_position_;
    for (int64_t i = 0; i < vectors; ++i)
      vector[i] = ((positions[i] < 0) | (positions[i] > position))
                      ? Floats{} - kInfinity
                      : vector[i];
  }
}

void RunInLanes(
    ThreadPool& pool, int64_t items, const AttentionArguments& arguments,
    const std::function<void(int64_t item, const Lane& lane)>& body) {
  const AttentionShape& shape = arguments.shape;
  std::atomic<int64_t> next{0};
  const int64_t lanes =
      std::min<int64_t>({Lanes(shape), items, pool.threads()});
  pool.Run(lanes, [&](int64_t i, int) {
    const Lane lane(
        static_cast<float*>(arguments.workspace) + i * LaneElements(shape),
        shape);
    for (int64_t item = next++; item < items; item = next++) body(item, lane);
  });
}

}  // namespace mpc::runtime
