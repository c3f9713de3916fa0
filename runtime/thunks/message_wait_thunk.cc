#include "runtime/thunks/message_wait_thunk.h"

#include "absl/memory/memory.h"

namespace mpc::runtime {

absl::StatusOr<std::unique_ptr<Thunk>> MessageWaitThunk::Create(
    const plan::Plan& plan, const plan::CommandList& list,
    const plan::Command& command) {
  return absl::WrapUnique(new MessageWaitThunk(command));
}

absl::Status MessageWaitThunk::Execute(const ThunkContext& context) const {
  const uint32_t channel = command().has_send_wait()
                               ? command().send_wait().channel()
                               : command().receive_wait().channel();
  return context.channels[channel]->Wait();
}

}  // namespace mpc::runtime
