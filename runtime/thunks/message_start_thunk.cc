#include "runtime/thunks/message_start_thunk.h"

#include "absl/memory/memory.h"
#include "runtime/plan/layout.h"
#include "runtime/status_macros.h"
#include "runtime/thunks/operand_check.h"

namespace mpc::runtime {
namespace {

const plan::Slice& MessageOf(const plan::Command& command) {
  return command.has_send_start() ? command.send_start().source()
                                  : command.receive_start().destination();
}

}  // namespace

absl::StatusOr<std::unique_ptr<Thunk>> MessageStartThunk::Create(
    const plan::Plan& plan, const plan::CommandList& list,
    const plan::Command& command) {
  const plan::Slice& message = MessageOf(command);
  MPC_RETURN_IF_ERROR(
      CheckDense(command.has_send_start() ? "source" : "destination", message,
                 message.type(), SizesOf(message)));
  return absl::WrapUnique(new MessageStartThunk(command));
}

std::vector<BufferUse> MessageStartThunk::buffer_uses() const {
  return {command().has_send_start() ? BufferUse::Read(MessageOf(command()))
                                     : BufferUse::Write(MessageOf(command()))};
}

absl::Status MessageStartThunk::Execute(const ThunkContext& context) const {
  const uint32_t channel = command().has_send_start()
                               ? command().send_start().channel()
                               : command().receive_start().channel();
  const plan::Slice& message = MessageOf(command());
  return context.channels[channel]->Start(
      {context.Resolve<char>(message),
       static_cast<size_t>(SpanBytes(message))});
}

}  // namespace mpc::runtime
