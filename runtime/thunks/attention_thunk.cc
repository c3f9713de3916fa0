#include "runtime/thunks/attention_thunk.h"

#include "absl/memory/memory.h"
#include "runtime/status_macros.h"
#include "runtime/thunks/attention_operands.h"

namespace mpc::runtime {

absl::StatusOr<std::unique_ptr<Thunk>> AttentionThunk::Create(
    const plan::Plan& plan, const plan::CommandList& list,
    const plan::Command& command) {
  MPC_RETURN_IF_ERROR(
      CheckAttention(command.attention(), plan.target().device()));
  return absl::WrapUnique(new AttentionThunk(command));
}

std::vector<BufferUse> AttentionThunk::buffer_uses() const {
  const plan::AttentionCommand& attention = command().attention();
  std::vector<BufferUse> uses = AttentionInputs(attention);
  uses.push_back(BufferUse::Write(attention.output()));
  uses.push_back(BufferUse::Write(attention.logsumexp()));
  uses.push_back(BufferUse::Write(attention.workspace()));
  return uses;
}

absl::Status AttentionThunk::Execute(const ThunkContext& context) const {
  context.device.Attention(ResolveAttention(command().attention(), context));
  return absl::OkStatus();
}

}  // namespace mpc::runtime
