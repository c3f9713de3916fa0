// The arguments of a world's operations, which are the same for all transports.
#ifndef MPC_RUNTIME_COMM_CHECK_WORLD_H_
#define MPC_RUNTIME_COMM_CHECK_WORLD_H_

#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "runtime/comm/world.h"

namespace mpc::runtime {

/// The members of the group of all of `size` ranks: 0 to size − 1.
std::vector<int> AllRanks(int size);

/// The place of the world's rank among `members`; kInvalidArgument if they are
/// no group of it.
absl::StatusOr<int> IndexInGroup(absl::Span<const int> members,
                                 const World& world);

/// kInvalidArgument if the world's rank cannot open the channel.
absl::Status CheckChannel(const ChannelId& id, const World& world);

/// kInvalidArgument if `root` is no rank.
absl::Status CheckRoot(int root, const World& world);

}  // namespace mpc::runtime

#endif  // MPC_RUNTIME_COMM_CHECK_WORLD_H_
