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

/// Two tiles: the gradient keeps probabilities and their gradients.
inline constexpr int64_t kLaneElements = 2 * kTileQueries * kTileKeys;
inline constexpr uint64_t kLaneBytes = kLaneElements * sizeof(float);

/// Attention uses no more threads than this.
inline constexpr int64_t kMaximalLanes = 64;

/// Blocks of queries of all heads of all samples.
inline int64_t QueryTiles(const AttentionShape& shape) {
  return shape.batch * shape.key_value_heads * shape.group *
         ((shape.queries + kTileQueries - 1) / kTileQueries);
}

/// Parts of the working memory; each is used by one thread at a time.
inline int64_t Lanes(const AttentionShape& shape) {
  return std::min(kMaximalLanes, QueryTiles(shape));
}

}  // namespace mpc::runtime

#endif  // MPC_RUNTIME_DEVICE_CPU_ATTENTION_TILES_H_
