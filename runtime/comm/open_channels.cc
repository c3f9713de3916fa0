#include "runtime/comm/open_channels.h"

#include "runtime/plan/mesh.h"
#include "runtime/status_macros.h"

namespace mpc::runtime {

absl::StatusOr<std::vector<std::unique_ptr<ChannelEnd>>> OpenChannels(
    const plan::Plan& plan, World& world) {
  const int rank = world.rank();
  std::vector<std::unique_ptr<ChannelEnd>> ends(plan.channels_size());
  for (int i = 0; i < plan.channels_size(); ++i) {
    const plan::Channel& channel = plan.channels(i);
    ChannelId id;
    id.number = i;
    id.name = channel.name();
    id.source = RankOfStage(plan.mesh(), rank, channel.source_stage());
    id.destination =
        RankOfStage(plan.mesh(), rank, channel.destination_stage());
    if (id.source != rank && id.destination != rank) continue;
    MPC_ASSIGN_OR_RETURN(ends[i], world.OpenChannel(id));
  }
  return ends;
}

}  // namespace mpc::runtime
