// What the thunks of attention and of its gradient share.
#ifndef MPC_RUNTIME_THUNKS_ATTENTION_OPERANDS_H_
#define MPC_RUNTIME_THUNKS_ATTENTION_OPERANDS_H_

#include <vector>

#include "absl/status/status.h"
#include "runtime/thunks/thunk.h"

namespace mpc::runtime {

/// Checks all operands of an attention command.
absl::Status CheckAttention(const plan::AttentionCommand& command,
                            plan::DeviceKind device);

/// The operands that are read by the command and by its gradient.
std::vector<BufferUse> AttentionInputs(const plan::AttentionCommand& command);

AttentionArguments ResolveAttention(const plan::AttentionCommand& command,
                                    const ThunkContext& context);

}  // namespace mpc::runtime

#endif  // MPC_RUNTIME_THUNKS_ATTENTION_OPERANDS_H_
