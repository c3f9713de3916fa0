// What commands do, in the terms that a device is priced in.
#ifndef MPC_CLUSTER_WORK_H_
#define MPC_CLUSTER_WORK_H_

#include <cstdint>
#include <variant>

namespace mpc::cluster {

/// Of operands; names as in Peak.type.
enum class ElementType { kF32, kBf16, kF16 };

constexpr int SizeOf(ElementType type) {
  return type == ElementType::kF32 ? 4 : 2;
}

/// `count` products of rows × inner with inner × columns.
struct Product {
  int64_t rows = 0, inner = 0, columns = 0;
  int64_t count = 1;
  ElementType type = ElementType::kF32;
  double flops() const { return 2.0 * rows * inner * columns * count; }
  /// Of operands and result, each once.
  double bytes() const {
    return SizeOf(type) * count *
           (1.0 * rows * inner + 1.0 * inner * columns + 1.0 * rows * columns);
  }
};

/// Fused attention of `heads` query heads (batch included) of `queries` ×
/// `keys` scores, `depth` elements a head. A causal one computes half of the
/// scores.
struct Attention {
  int64_t heads = 0, queries = 0, keys = 0, depth = 0;
  bool causal = false;
  /// The gradients: five products instead of two.
  bool gradient = false;
  ElementType type = ElementType::kF32;
  double flops() const {
    return (gradient ? 10.0 : 4.0) * heads * queries * keys * depth *
           (causal ? 0.5 : 1.0);
  }
  /// Queries, keys, values and output, and their gradients.
  double bytes() const {
    return SizeOf(type) * (gradient ? 2.0 : 1.0) * heads * depth *
           (2.0 * queries + 2.0 * keys);
  }
};

/// A kernel, a copy or a fill: bound by memory or by elementary operations.
struct Traffic {
  int64_t bytes = 0;
  double operations = 0;
};

/// What one command that computes does.
using Work = std::variant<Product, Attention, Traffic>;

enum class CollectiveKind { kAllReduce, kAllGather, kReduceScatter, kAllToAll };

/// The ranks of a group, in the numbers of devices: `size` members, `stride`
/// apart. A group of several mesh axes that are not neighbours has the stride
/// of its innermost axis and `span`, the distance from its first member to its
/// last plus one.
struct Group {
  int64_t size = 1, stride = 1, span = 1;
};

struct Transfer {
  CollectiveKind kind = CollectiveKind::kAllReduce;
  /// Of the whole tensor: what a member brings to an all_reduce or
  /// reduce_scatter, gets from an all_gather, brings to an all_to_all.
  int64_t bytes = 0;
  Group group;
};

}  // namespace mpc::cluster

#endif  // MPC_CLUSTER_WORK_H_
