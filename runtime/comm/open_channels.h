// A plan's channels between the ranks of a run.
#ifndef MPC_RUNTIME_COMM_OPEN_CHANNELS_H_
#define MPC_RUNTIME_COMM_OPEN_CHANNELS_H_

#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/comm/world.h"
#include "runtime/plan/plan.pb.h"

namespace mpc::runtime {

/// The ends of this rank by channel of a valid plan; null where it has none.
absl::StatusOr<std::vector<std::unique_ptr<ChannelEnd>>> OpenChannels(
    const plan::Plan& plan, World& world);

}  // namespace mpc::runtime

#endif  // MPC_RUNTIME_COMM_OPEN_CHANNELS_H_
