#include "runtime/device/cpu/blas.h"
#include "runtime/device/cpu/attention.h"

#include <cblas.h>

#include <algorithm>
#include <cmath>

#include "runtime/device/cpu/score_tile.h"

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

/// The output and logsumexp of some queries of one head.
void ComputeQueries(const AttentionArguments& a, const QueryRange& queries,
                    float* scores) {
  const AttentionShape& shape = a.shape;
  const int64_t d = shape.head_size;
  const int64_t stride = QueryStride(shape);
  float* const output = a.output + queries.Offset(shape);
  ScoreTile tile(a, queries);
  RowState rows[kTileQueries];
  bool first = true;
  for (int64_t begin = 0; begin < shape.keys; begin += kTileKeys) {
    const KeyRange keys = tile.Visible(
        {begin, std::min(kTileKeys, shape.keys - begin)});
    if (keys.count == 0) continue;
    tile.Compute(keys, scores);
    const int64_t vectors = (keys.count + kVector - 1) / kVector;
    for (int64_t row = 0; row < queries.count; ++row) {
      Floats* const p = AsVectors(scores + row * kTileKeys);
      const float correction = UpdateRow(rows[row], p, vectors);
      if (!first && correction != 1)
        ScaleRow(output + row * stride, d, correction);
      if (a.dropout > 0)
        for (int64_t i = 0; i < vectors; ++i)
          p[i] *= tile.DropoutFactors(row, i);
    }
    const float* const value =
        a.value +
        (queries.sample * shape.keys + keys.begin) * KeyStride(shape) +
        queries.key_value_head * d;
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, queries.count, d,
                keys.count, 1.0f, scores, kTileKeys, value, KeyStride(shape),
                first ? 0.0f : 1.0f, output, stride);
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
  UseBlasInCallingThread();
  const AttentionShape& shape = a.shape;
  const int64_t tiles = (shape.queries + kTileQueries - 1) / kTileQueries;
  RunInLanes(pool, QueryTiles(shape), Lanes(shape), a.workspace,
             [&](int64_t item, float* lane) {
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
