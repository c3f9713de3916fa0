#include "runtime/device/cpu/attention.h"

#include <algorithm>
#include <cmath>

#include "runtime/device/cpu/score_tile.h"
#include "runtime/device/cpu/tile_product.h"

namespace mpc::runtime {
namespace {

/// The softmax of a row so far: exponentials are relative to `max`.
struct RowState {
  float max = -kInfinity;
  float sum = 0;
};

/// Exponentials are relative to this: finite even if all keys are masked.
float Reference(float max) { return max == -kInfinity ? 0 : max; }

/// Replaces a row of scores by probabilities, still to be divided by the sum,
/// and returns what earlier probabilities of the row are to be multiplied by.
float UpdateRow(RowState& row, Floats* scores, int64_t vectors) {
  Floats max = Floats{} + row.max;
  for (int64_t i = 0; i < vectors; ++i)
    max = max < scores[i] ? scores[i] : max;
  const float new_max = HorizontalMax(max);
  const float reference = Reference(new_max);
  Floats sum = {};
  for (int64_t i = 0; i < vectors; ++i) {
    scores[i] = Exp(scores[i] - reference);
    sum += scores[i];
  }
  const float correction =
      new_max == row.max ? 1 : std::exp(row.max - reference);
  row.max = new_max;
  row.sum = row.sum * correction + HorizontalSum(sum);
  return correction;
}

void ScaleRow(float* row, int64_t size, float factor) {
  for (int64_t i = 0; i < size; ++i) row[i] *= factor;
}

/// Turns the scores of some keys into probabilities and adds what they
/// contribute to the output.
void AddKeys(const AttentionArguments& a, const QueryRange& queries,
             const KeyRange& keys, const Lane& lane, bool first,
             ScoreTile& tile, RowState* rows, float* output) {
  const AttentionShape& shape = a.shape;
  const int64_t stride = QueryStride(shape);
  const int64_t offset = KeyOffset(shape, queries.sample,
                                   queries.key_value_head, keys.begin);
  TransposeTile(AsF32(a.key) + offset, KeyStride(shape), keys.count, shape.head_size,
                lane.transposed_keys, kTileKeys);
  CopyTile(AsF32(a.value) + offset, KeyStride(shape), keys.count, shape.head_size,
           lane.keys, TileRow(shape));
  tile.Compute(keys, lane);
  for (int64_t row = 0; row < queries.count; ++row) {
    Floats* const p = AsVectors(lane.scores + row * kTileKeys);
    const float correction = UpdateRow(rows[row], p, keys.vectors());
    if (!first && correction != 1)
      ScaleRow(output + row * stride, shape.head_size, correction);
    if (a.dropout > 0)
      for (int64_t i = 0; i < keys.vectors(); ++i)
        p[i] *= tile.DropoutFactors(row, i);
  }
  TileProduct product;
  product.rows = queries.count;
  product.columns = shape.head_size;
  product.inner = keys.count;
  product.left = lane.scores, product.left_stride = kTileKeys;
  product.right = lane.keys, product.right_stride = TileRow(shape);
  product.destination = output, product.destination_stride = stride;
  product.accumulate = !first;
  Multiply(product);
}

/// The output and logsumexp of some queries of one head.
void ComputeQueries(const AttentionArguments& a, const QueryRange& queries,
                    const Lane& lane) {
  const AttentionShape& shape = a.shape;
  const int64_t d = shape.head_size;
  const int64_t stride = QueryStride(shape);
  float* const output = AsF32(a.output) + queries.Offset(shape);
  CopyTile(AsF32(a.query) + queries.Offset(shape), stride, queries.count, d,
           lane.queries, TileRow(shape));
  ScoreTile tile(a, queries);
  RowState rows[kTileQueries];
  bool first = true;
  for (int64_t begin = 0; begin < shape.keys; begin += kTileKeys) {
    const KeyRange keys = tile.Visible(
        {begin, std::min(kTileKeys, shape.keys - begin)});
    if (keys.count == 0) continue;
    AddKeys(a, queries, keys, lane, first, tile, rows, output);
    first = false;
  }
  float* const logsumexp = a.logsumexp + queries.RowOffset(shape);
  const int64_t row_stride = shape.key_value_heads * shape.group;
  for (int64_t row = 0; row < queries.count; ++row) {
    const RowState& state = rows[row];
    logsumexp[row * row_stride] = state.max + std::log(state.sum);
    if (first || state.sum == 0) {
      std::fill_n(output + row * stride, d, 0.0f);
      logsumexp[row * row_stride] = -kInfinity;
    } else {
      ScaleRow(output + row * stride, d, 1 / state.sum);
    }
  }
}

}  // namespace

void Attention(const AttentionArguments& a, ThreadPool& pool) {
  const AttentionShape& shape = a.shape;
  const int64_t tiles = (shape.queries + kTileQueries - 1) / kTileQueries;
  RunInLanes(pool, QueryTiles(shape), a,
             [&](int64_t item, const Lane& lane) {
               QueryRange queries;
               // The last queries see most keys under a causal mask: first.
               queries.begin = (tiles - 1 - item % tiles) * kTileQueries;
               const int64_t head = item / tiles;
               queries.group = head % shape.group;
               queries.key_value_head =
                   head / shape.group % shape.key_value_heads;
               queries.sample = head / shape.group / shape.key_value_heads;
               queries.count =
                   std::min(kTileQueries, shape.queries - queries.begin);
               ComputeQueries(a, queries, lane);
             });
}

}  // namespace mpc::runtime
