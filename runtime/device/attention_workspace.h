// The working memory of attention, computed alike by the compiler, which
// reserves it, and by the device, which uses it.
#ifndef MPC_RUNTIME_DEVICE_ATTENTION_WORKSPACE_H_
#define MPC_RUNTIME_DEVICE_ATTENTION_WORKSPACE_H_

#include <cstdint>

#include "runtime/plan/plan.pb.h"

namespace mpc::runtime {

/// The bytes of AttentionCommand.workspace for the command and for its gradient
/// on a device of that kind: a slice of at least
/// ⌈bytes / 4⌉ f32 elements. Depends on the types and sizes of `command.query` and `command.key` alone and
/// suffices for any number of threads; 0 for a kind without attention.
uint64_t AttentionWorkspaceBytes(const plan::AttentionCommand& command,
                                 plan::DeviceKind device);

}  // namespace mpc::runtime

#endif  // MPC_RUNTIME_DEVICE_ATTENTION_WORKSPACE_H_
