// Checks of a command's slices that several kinds of thunk share. Messages name
// the operand.
#ifndef MPC_RUNTIME_THUNKS_OPERAND_CHECK_H_
#define MPC_RUNTIME_THUNKS_OPERAND_CHECK_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "runtime/comm/communicator.h"
#include "runtime/plan/plan.pb.h"

namespace mpc::runtime {

inline absl::Span<const int64_t> SizesOf(const plan::Slice& slice) {
  return {slice.sizes().data(), static_cast<size_t>(slice.sizes_size())};
}

/// kUnimplemented unless the slice is of `type`.
absl::Status CheckType(absl::string_view name, const plan::Slice& slice,
                       plan::DataType type);

/// f32, bf16 or f16.
absl::Status CheckFloats(absl::string_view name, const plan::Slice& slice);

/// A dense slice of these sizes.
absl::Status CheckDense(absl::string_view name, const plan::Slice& slice,
                        plan::DataType type, absl::Span<const int64_t> sizes);

/// Equal type and sizes; strides may differ.
absl::Status CheckAlike(absl::string_view name, const plan::Slice& slice,
                        absl::string_view other_name, const plan::Slice& other);

/// Dense slices that share bytes. Strided ones may interleave and are not
/// compared.
absl::Status CheckDisjoint(absl::string_view name, const plan::Slice& slice,
                           absl::string_view other_name,
                           const plan::Slice& other);

/// Whether two slices are the same elements in the same order.
bool IsSameSlice(const plan::Slice& a, const plan::Slice& b);

/// The elements from row to row of a slice read as a matrix of rows × columns.
absl::StatusOr<int64_t> MatrixStride(absl::string_view name,
                                     const plan::Slice& slice, int64_t rows,
                                     int64_t columns);

/// The slice at `data`.
Tensor TensorOf(const plan::Slice& slice, void* data);

}  // namespace mpc::runtime

#endif  // MPC_RUNTIME_THUNKS_OPERAND_CHECK_H_
