#include <algorithm>

#include "runtime/device/cpu/attention.h"
#include "runtime/device/cpu/score_tile.h"
#include "runtime/device/cpu/tile_product.h"

namespace mpc::runtime {
namespace {

/// What the gradient needs of each query: its logsumexp, +∞ where all keys are
/// masked, and the inner product of output and output gradient.
struct QueryRows {
  float logsumexp[kTileQueries];
  float product[kTileQueries];
};

QueryRows ReadRows(const AttentionGradArguments& g, const QueryRange& queries) {
  const AttentionShape& shape = g.forward.shape;
  const int64_t stride = QueryStride(shape);
  const float* output = AsF32(g.forward.output) + queries.Offset(shape);
  const float* output_grad = AsF32(g.output_grad) + queries.Offset(shape);
  QueryRows rows;
  for (int64_t row = 0; row < queries.count; ++row) {
    rows.product[row] = InnerProduct(
        output + row * stride, output_grad + row * stride, shape.head_size);
    const float logsumexp =
        g.forward.logsumexp[queries.RowOffset(shape) +
                            row * shape.key_value_heads * shape.group];
    rows.logsumexp[row] = logsumexp == -kInfinity ? kInfinity : logsumexp;
  }
  return rows;
}

/// Turns scores into the probabilities that met the values (dropout applied),
/// and gradients of those into gradients of the unscaled scores.
void Differentiate(const ScoreTile& tile, const QueryRows& rows, bool dropout,
                   int64_t row, int64_t vectors, Floats* scores,
                   Floats* gradients) {
  for (int64_t i = 0; i < vectors; ++i) {
    const Floats p = Exp(scores[i] - rows.logsumexp[row]);
    const Floats factor =
        dropout ? tile.DropoutFactors(row, i) : Floats{} + 1.0f;
    scores[i] = p * factor;
    gradients[i] = p * (gradients[i] * factor - rows.product[row]);
  }
}

/// Reads the keys and values of a tile.
void LoadKeys(const AttentionArguments& a, int64_t offset, int64_t count,
              const Lane& lane) {
  const AttentionShape& shape = a.shape;
  const int64_t stride = KeyStride(shape);
  CopyTile(AsF32(a.key) + offset, stride, count, shape.head_size, lane.keys,
           TileRow(shape));
  TransposeTile(AsF32(a.key) + offset, stride, count, shape.head_size,
                lane.transposed_keys, kTileKeys);
  TransposeTile(AsF32(a.value) + offset, stride, count, shape.head_size,
                lane.transposed_values, kTileKeys);
}

/// Adds what some queries of one head and the keys of the lane contribute to the
/// gradients of both.
void AddQueries(const AttentionGradArguments& g, const QueryRange& queries,
                const KeyRange& all_keys, const Lane& lane) {
  const AttentionArguments& a = g.forward;
  const AttentionShape& shape = a.shape;
  const int64_t tile_row = TileRow(shape);
  const int64_t query_stride = QueryStride(shape);
  const int64_t query_offset = queries.Offset(shape);
  const int64_t key_offset = KeyOffset(shape, queries.sample,
                                       queries.key_value_head, all_keys.begin);
  ScoreTile tile(a, queries);
  const KeyRange keys = tile.Visible(all_keys);
  if (keys.count == 0) return;
  CopyTile(AsF32(a.query) + query_offset, query_stride, queries.count,
           shape.head_size, lane.queries, tile_row);
  CopyTile(AsF32(g.output_grad) + query_offset, query_stride, queries.count,
           shape.head_size, lane.output_gradients, tile_row);
  tile.Compute(keys, lane);

  // dP = dO Vᵀ
  TileProduct product;
  product.rows = queries.count;
  product.columns = keys.vectors() * kVector;
  product.inner = shape.head_size;
  product.left = lane.output_gradients, product.left_stride = tile_row;
  product.right = lane.transposed_values, product.right_stride = kTileKeys;
  product.destination = lane.gradients, product.destination_stride = kTileKeys;
  Multiply(product);
  const QueryRows rows = ReadRows(g, queries);
  for (int64_t i = 0; i < queries.count; ++i)
    Differentiate(tile, rows, a.dropout > 0, i, keys.vectors(),
                  AsVectors(lane.scores + i * kTileKeys),
                  AsVectors(lane.gradients + i * kTileKeys));

  // dV += Pᵀ dO
  product.rows = keys.count;
  product.columns = shape.head_size;
  product.inner = queries.count;
  product.transpose_left = true;
  product.left = lane.scores, product.left_stride = kTileKeys;
  product.right = lane.output_gradients, product.right_stride = tile_row;
  product.destination = AsF32(g.value_grad) + key_offset;
  product.destination_stride = KeyStride(shape);
  product.accumulate = true;
  Multiply(product);
  // dK += scale dSᵀ Q
  product.left = lane.gradients;
  product.right = lane.queries;
  product.destination = AsF32(g.key_grad) + key_offset;
  product.scale = a.scale;
  Multiply(product);
  // dQ += scale dS K
  product.rows = queries.count;
  product.inner = keys.count;
  product.transpose_left = false;
  product.right = lane.keys;
  product.destination = AsF32(g.query_grad) + query_offset;
  product.destination_stride = query_stride;
  Multiply(product);
}

void ZeroRows(float* first, int64_t stride, int64_t rows, int64_t columns) {
  for (int64_t row = 0; row < rows; ++row)
    std::fill_n(first + row * stride, columns, 0.0f);
}

/// All of a key-value head of a sample.
void DifferentiateHead(const AttentionGradArguments& g, int64_t sample,
                       int64_t head, const Lane& lane) {
  const AttentionShape& shape = g.forward.shape;
  const int64_t d = shape.head_size;
  const int64_t first_key = KeyOffset(shape, sample, head, 0);
  ZeroRows(AsF32(g.key_grad) + first_key, KeyStride(shape), shape.keys, d);
  ZeroRows(AsF32(g.value_grad) + first_key, KeyStride(shape), shape.keys, d);
  // The query heads of a group lie next to each other.
  ZeroRows(AsF32(g.query_grad) + QueryRange{sample, head, 0, 0, 0}.Offset(shape),
           QueryStride(shape), shape.queries, shape.group * d);
  for (int64_t begin = 0; begin < shape.keys; begin += kTileKeys) {
    const KeyRange keys = {begin, std::min(kTileKeys, shape.keys - begin)};
    LoadKeys(g.forward, KeyOffset(shape, sample, head, begin), keys.count,
             lane);
    for (int64_t group = 0; group < shape.group; ++group)
      for (int64_t query = 0; query < shape.queries; query += kTileQueries)
        AddQueries(g,
                   {sample, head, group, query,
                    std::min(kTileQueries, shape.queries - query)},
                   keys, lane);
  }
}

}  // namespace

void AttentionGrad(const AttentionGradArguments& g, ThreadPool& pool) {
  const AttentionShape& shape = g.forward.shape;
  RunInLanes(pool, shape.batch * shape.key_value_heads, g.forward,
             [&](int64_t item, const Lane& lane) {
               DifferentiateHead(g, item / shape.key_value_heads,
                                 item % shape.key_value_heads, lane);
             });
}

}  // namespace mpc::runtime
