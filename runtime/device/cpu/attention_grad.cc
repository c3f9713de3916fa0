#include <cblas.h>

#include <algorithm>

#include "runtime/device/cpu/blas.h"
#include "runtime/device/cpu/attention.h"
#include "runtime/device/cpu/score_tile.h"

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
  const float* output = g.forward.output + queries.Offset(shape);
  const float* output_grad = g.output_grad + queries.Offset(shape);
  QueryRows rows;
  for (int64_t row = 0; row < queries.count; ++row) {
    rows.product[row] = cblas_sdot(shape.head_size, output + row * stride, 1,
                                   output_grad + row * stride, 1);
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

/// Adds what some queries of one head contribute to the gradients of their keys
/// and values, and sets the gradient of these queries.
void DifferentiateQueries(const AttentionGradArguments& g,
                          const QueryRange& queries, float* scores,
                          float* gradients) {
  const AttentionArguments& a = g.forward;
  const AttentionShape& shape = a.shape;
  const int64_t d = shape.head_size;
  const int64_t query_stride = QueryStride(shape);
  const int64_t key_stride = KeyStride(shape);
  const int64_t query_offset = queries.Offset(shape);
  ScoreTile tile(a, queries);
  const QueryRows rows = ReadRows(g, queries);
  bool first = true;
  for (int64_t begin = 0; begin < shape.keys; begin += kTileKeys) {
    const KeyRange keys = tile.Visible(
        {begin, std::min(kTileKeys, shape.keys - begin)});
    if (keys.count == 0) continue;
    const int64_t key_offset =
        (queries.sample * shape.keys + keys.begin) * key_stride +
        queries.key_value_head * d;
    tile.Compute(keys, scores);
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, queries.count,
                keys.count, d, 1.0f, g.output_grad + query_offset, query_stride,
                a.value + key_offset, key_stride, 0.0f, gradients, kTileKeys);
    const int64_t vectors = (keys.count + kVector - 1) / kVector;
    for (int64_t row = 0; row < queries.count; ++row)
      Differentiate(tile, rows, a.dropout > 0, row, vectors,
                    AsVectors(scores + row * kTileKeys),
                    AsVectors(gradients + row * kTileKeys));
    cblas_sgemm(CblasRowMajor, CblasTrans, CblasNoTrans, keys.count, d,
                queries.count, 1.0f, scores, kTileKeys,
                g.output_grad + query_offset, query_stride, 1.0f,
                g.value_grad + key_offset, key_stride);
    cblas_sgemm(CblasRowMajor, CblasTrans, CblasNoTrans, keys.count, d,
                queries.count, a.scale, gradients, kTileKeys,
                a.query + query_offset, query_stride, 1.0f,
                g.key_grad + key_offset, key_stride);
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, queries.count, d,
                keys.count, a.scale, gradients, kTileKeys, a.key + key_offset,
                key_stride, first ? 0.0f : 1.0f, g.query_grad + query_offset,
                query_stride);
    first = false;
  }
  if (first)
    for (int64_t row = 0; row < queries.count; ++row)
      std::fill_n(g.query_grad + query_offset + row * query_stride, d, 0.0f);
}

/// All of a key-value head of a sample.
void DifferentiateHead(const AttentionGradArguments& g, int64_t sample,
                       int64_t head, float* lane) {
  const AttentionShape& shape = g.forward.shape;
  const int64_t d = shape.head_size;
  for (int64_t key = 0; key < shape.keys; ++key) {
    const int64_t offset =
        (sample * shape.keys + key) * KeyStride(shape) + head * d;
    std::fill_n(g.key_grad + offset, d, 0.0f);
    std::fill_n(g.value_grad + offset, d, 0.0f);
  }
  for (int64_t group = 0; group < shape.group; ++group)
    for (int64_t begin = 0; begin < shape.queries; begin += kTileQueries)
      DifferentiateQueries(
          g,
          {sample, head, group, begin,
           std::min(kTileQueries, shape.queries - begin)},
          lane, lane + kTileQueries * kTileKeys);
}

}  // namespace

void AttentionGrad(const AttentionGradArguments& g, ThreadPool& pool) {
  UseBlasInCallingThread();
  const AttentionShape& shape = g.forward.shape;
  RunInLanes(pool, shape.batch * shape.key_value_heads, Lanes(shape),
             g.forward.workspace, [&](int64_t item, float* lane) {
               DifferentiateHead(g, item / shape.key_value_heads,
                                 item % shape.key_value_heads, lane);
             });
}

}  // namespace mpc::runtime
