// The checks of channels and of the messages on them.
#ifndef MPC_RUNTIME_PLAN_CHANNEL_CHECK_H_
#define MPC_RUNTIME_PLAN_CHANNEL_CHECK_H_

#include "absl/status/status.h"
#include "runtime/plan/plan.pb.h"

namespace mpc::runtime {

/// Checks that channels have names of their own and join two different stages.
absl::Status CheckChannels(const plan::Plan& plan);

/// Of a command of `role` that is about a message: checks that the channel
/// exists and that the role has this end of it. Other commands pass.
absl::Status CheckChannelEnd(const plan::Command& command,
                             const plan::Role& role, const plan::Plan& plan);

/// Walks the schedules: every message of a step is waited for after its start,
/// within its list if it is in the transient region, and both ends of a channel
/// agree on how many messages there are and on the bytes of each. Everything
/// else has been checked.
absl::Status CheckMessages(const plan::Plan& plan);

}  // namespace mpc::runtime

#endif  // MPC_RUNTIME_PLAN_CHANNEL_CHECK_H_
