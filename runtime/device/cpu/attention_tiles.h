// How attention is cut into tiles, hence how much working memory it needs.
#ifndef MPC_RUNTIME_DEVICE_CPU_ATTENTION_TILES_H_
#define MPC_RUNTIME_DEVICE_CPU_ATTENTION_TILES_H_

#include <algorithm>
#include <cstdint>

#include "runtime/device/device.h"

namespace mpc::runtime {

/// A tile of scores is that many queries times that many keys, at most. Its rows
/// are kTileKeys elements apart in memory, whatever its size.
inline constexpr int64_t kTileQueries = 64;
inline constexpr int64_t kTileKeys = 128;

/// Attention uses no more threads than this.
inline constexpr int64_t kMaximalLanes = 64;

/// Elements from row to row of a tile of queries or keys: aligned rows.
inline int64_t TileRow(const AttentionShape& shape) {
  return (shape.head_size + 15) / 16 * 16;
}

/// The elements of an operand that holds f32.
inline float* AsF32(void* data) { return static_cast<float*>(data); }
inline const float* AsF32(const void* data) {
  return static_cast<const float*>(data);
}

/// The working memory of one thread.
struct Lane {
  Lane(float* memory, const AttentionShape& shape)
      : scores(memory),
        gradients(scores + kTileQueries * kTileKeys),
        queries(gradients + kTileQueries * kTileKeys),
        output_gradients(queries + kTileQueries * TileRow(shape)),
        keys(output_gradients + kTileQueries * TileRow(shape)),
        transposed_keys(keys + kTileKeys * TileRow(shape)),
        transposed_values(transposed_keys + kTileKeys * TileRow(shape)) {}

  /// [kTileQueries, kTileKeys]
  float* scores;
  float* gradients;
  /// [kTileQueries, TileRow]
  float* queries;
  float* output_gradients;
  /// [kTileKeys, TileRow]: keys in the gradient, values in the forward pass.
  float* keys;
  /// [head size, kTileKeys]
  float* transposed_keys;
  float* transposed_values;
};

/// The elements of a Lane.
inline int64_t LaneElements(const AttentionShape& shape) {
  return 2 * kTileQueries * kTileKeys +
         (2 * kTileQueries + 3 * kTileKeys) * TileRow(shape);
}

/// Blocks of queries of all heads of all samples.
inline int64_t QueryTiles(const AttentionShape& shape) {
  return shape.batch * shape.key_value_heads * shape.group *
         ((shape.queries + kTileQueries - 1) / kTileQueries);
}

inline int64_t Lanes(const AttentionShape& shape) {
  return std::min(kMaximalLanes, QueryTiles(shape));
}

/// Elements of q and of k, each up to whole cache lines.
inline int64_t QueryElements(const AttentionShape& shape) {
  return (shape.batch * shape.queries * shape.key_value_heads * shape.group *
              shape.head_size + 15) / 16 * 16;
}
inline int64_t KeyElements(const AttentionShape& shape) {
  return (shape.batch * shape.keys * shape.key_value_heads * shape.head_size +
          15) / 16 * 16;
}

/// Elements of the f32 copies of narrow operands, behind the lanes: of queries,
/// output and their gradients, and of keys, values and theirs.
inline int64_t WideElements(const AttentionShape& shape) {
  return 4 * QueryElements(shape) + 4 * KeyElements(shape);
}

}  // namespace mpc::runtime

#endif  // MPC_RUNTIME_DEVICE_CPU_ATTENTION_TILES_H_
