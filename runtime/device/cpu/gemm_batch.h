// The products of a batch, one by one.
#ifndef MPC_RUNTIME_DEVICE_CPU_GEMM_BATCH_H_
#define MPC_RUNTIME_DEVICE_CPU_GEMM_BATCH_H_

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "runtime/device/device.h"
#include "runtime/plan/layout.h"

namespace mpc::runtime {

/// The address of the element `index` after `data`.
template <typename Void>
Void* ElementAt(Void* data, int64_t index, plan::DataType type) {
  using Byte = std::conditional_t<std::is_const_v<Void>, const char, char>;
  return static_cast<Byte*>(data) + index * DataTypeBytes(type);
}

/// Calls `visit` with the product at each coordinate of those dimensions of the
/// batch that are summed, or of the others; the last dimension goes fastest.
template <typename Visit>
void ForEachProduct(const GemmArguments& a, bool summed, const Visit& visit,
                    size_t dimension = 0) {
  if (dimension == a.batch.size()) return visit(a);
  const GemmBatch& batch = a.batch[dimension];
  if ((batch.destination_stride == 0) != summed)
    return ForEachProduct(a, summed, visit, dimension + 1);
  GemmArguments at = a;
  for (int64_t i = 0; i < batch.count; ++i) {
    at.left = ElementAt(a.left, i * batch.left_stride, a.type);
    at.right = ElementAt(a.right, i * batch.right_stride, a.type);
    at.destination = ElementAt(a.destination, i * batch.destination_stride,
                               a.destination_type);
    ForEachProduct(at, summed, visit, dimension + 1);
  }
}

}  // namespace mpc::runtime

#endif  // MPC_RUNTIME_DEVICE_CPU_GEMM_BATCH_H_
