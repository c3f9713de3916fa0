// What a member of a group says before it sends data.
#ifndef MPC_RUNTIME_COMM_MPI_GROUP_HEADER_H_
#define MPC_RUNTIME_COMM_MPI_GROUP_HEADER_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "runtime/comm/posted.h"

namespace mpc::runtime {

/// The operation that a member is about to take part in, as it goes on the
/// wire. Data of at most kInlineBytes follows it in the same message.
struct GroupHeader {
  static constexpr int kMaxDimensions = 8;
  static constexpr int64_t kInlineBytes = 2048;

  int32_t kind = 0;
  int32_t root = 0;
  int32_t collective = 0;
  int32_t reduction = 0;
  int32_t source_dimension = 0;
  int32_t destination_dimension = 0;
  int32_t type = 0;
  int32_t source_dimensions = 0;
  int32_t destination_dimensions = 0;
  int32_t unused = 0;
  /// A digest of the group's members in their order.
  uint64_t members = 0;
  int64_t source_sizes[kMaxDimensions] = {};
  int64_t destination_sizes[kMaxDimensions] = {};
  /// Of a broadcast's or gather's data that this member brings; members may
  /// differ in it.
  int64_t bytes = 0;
};

/// kUnimplemented if a tensor has too many dimensions.
absl::StatusOr<GroupHeader> HeaderOf(const Posted& posted,
                                     absl::Span<const int> members);

/// Whether both are about to do the same.
bool Agree(const GroupHeader& a, const GroupHeader& b);

/// Like Describe of Posted.
std::string Describe(const GroupHeader& header);

}  // namespace mpc::runtime

#endif  // MPC_RUNTIME_COMM_MPI_GROUP_HEADER_H_
