// Sizes of slices, and where a rank's part of a sharded state lies in the whole.
//
// These functions take a valid plan's messages.
#ifndef MPC_RUNTIME_PLAN_LAYOUT_H_
#define MPC_RUNTIME_PLAN_LAYOUT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "runtime/plan/plan.pb.h"

namespace mpc::runtime {

/// The bytes of an element; 0 for an unspecified type.
int64_t DataTypeBytes(plan::DataType type);

/// "f32", "bf16", "f16", "i32".
std::string DataTypeName(plan::DataType type);

/// The product of the sizes; 1 for a scalar.
int64_t ElementCount(absl::Span<const int64_t> sizes);

/// Whether the rows of a slice follow each other without a gap.
bool IsDense(const plan::Slice& slice);

/// From the first byte of a slice to behind its last, gaps of strided rows
/// included; 0 for a slice without elements.
int64_t SpanBytes(const plan::Slice& slice);

/// A part of a tensor: in each dimension `sizes` elements from `offsets` on.
struct Box {
  std::vector<int64_t> offsets;
  std::vector<int64_t> sizes;
};

/// The rank's part of a state of `global_sizes`, in row-major order the same
/// elements as in the rank's memory. Of a state with partial axes every member
/// of these axes has the same box.
Box LocalBox(const plan::Mesh& mesh, const plan::State& state, int64_t rank);

/// The part of `box` inside `logical_sizes` (no padding); a size may become 0.
Box ClipToLogical(const Box& box, absl::Span<const int64_t> logical_sizes);

/// Whether no rank of the same stage with a lower number holds the same box: of
/// replicated states
/// one copy is the first. Partial axes count as replicated.
bool IsFirstReplica(const plan::Mesh& mesh, const plan::State& state,
                    int64_t rank);

/// "[4, 1024, 768]".
std::string DescribeSizes(absl::Span<const int64_t> sizes);

}  // namespace mpc::runtime

#endif  // MPC_RUNTIME_PLAN_LAYOUT_H_
