#include "runtime/thunks/attention_grad_thunk.h"

#include <utility>

#include "absl/memory/memory.h"
#include "runtime/status_macros.h"
#include "runtime/thunks/attention_operands.h"
#include "runtime/thunks/operand_check.h"

namespace mpc::runtime {
namespace {

/// Gradients are written while inputs are still read.
absl::Status CheckGradient(const char* name, const plan::Slice& gradient,
                           const plan::Slice& input,
                           const plan::AttentionGradCommand& command) {
  MPC_RETURN_IF_ERROR(CheckDense(name, gradient, input.type(), SizesOf(input)));
  const plan::AttentionCommand& forward = command.forward();
  for (const auto& [other_name, other] :
       {std::make_pair("query", &forward.query()),
        std::make_pair("key", &forward.key()),
        std::make_pair("value", &forward.value()),
        std::make_pair("output", &forward.output()),
        std::make_pair("output_grad", &command.output_grad()),
        std::make_pair("workspace", &forward.workspace())})
    MPC_RETURN_IF_ERROR(CheckDisjoint(name, gradient, other_name, *other));
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::unique_ptr<Thunk>> AttentionGradThunk::Create(
    const plan::Plan& plan, const plan::CommandList& list,
    const plan::Command& command) {
  const plan::AttentionGradCommand& grad = command.attention_grad();
  const plan::AttentionCommand& forward = grad.forward();
  MPC_RETURN_IF_ERROR(CheckAttention(forward, plan.target().device()));
  MPC_RETURN_IF_ERROR(CheckDense("output_grad", grad.output_grad(),
                                 forward.query().type(),
                                 SizesOf(forward.query())));
  MPC_RETURN_IF_ERROR(
      CheckGradient("query_grad", grad.query_grad(), forward.query(), grad));
  MPC_RETURN_IF_ERROR(
      CheckGradient("key_grad", grad.key_grad(), forward.key(), grad));
  MPC_RETURN_IF_ERROR(
      CheckGradient("value_grad", grad.value_grad(), forward.value(), grad));
  return absl::WrapUnique(new AttentionGradThunk(command));
}

std::vector<BufferUse> AttentionGradThunk::buffer_uses() const {
  const plan::AttentionGradCommand& grad = command().attention_grad();
  std::vector<BufferUse> uses = AttentionInputs(grad.forward());
  uses.push_back(BufferUse::Read(grad.forward().output()));
  uses.push_back(BufferUse::Read(grad.forward().logsumexp()));
  uses.push_back(BufferUse::Read(grad.output_grad()));
  uses.push_back(BufferUse::Write(grad.forward().workspace()));
  uses.push_back(BufferUse::Write(grad.query_grad()));
  uses.push_back(BufferUse::Write(grad.key_grad()));
  uses.push_back(BufferUse::Write(grad.value_grad()));
  return uses;
}

absl::Status AttentionGradThunk::Execute(const ThunkContext& context) const {
  const plan::AttentionGradCommand& grad = command().attention_grad();
  AttentionGradArguments arguments;
  arguments.forward = ResolveAttention(grad.forward(), context);
  arguments.output_grad = context.Resolve<const void>(grad.output_grad());
  arguments.query_grad = context.Resolve<void>(grad.query_grad());
  arguments.key_grad = context.Resolve<void>(grad.key_grad());
  arguments.value_grad = context.Resolve<void>(grad.value_grad());
  context.device.AttentionGrad(arguments);
  return absl::OkStatus();
}

}  // namespace mpc::runtime
