#include "runtime/thunks/fill_thunk.h"

#include "absl/memory/memory.h"
#include "runtime/status_macros.h"
#include "runtime/thunks/device_fill.h"
#include "runtime/thunks/operand_check.h"

namespace mpc::runtime {

absl::StatusOr<std::unique_ptr<Thunk>> FillThunk::Create(
    const plan::Plan& plan, const plan::CommandList& list,
    const plan::Command& command) {
  const plan::FillCommand& fill = command.fill();
  MPC_ASSIGN_OR_RETURN(const uint32_t bits,
                       FillBits(fill.value(), fill.destination().type()));
  return absl::WrapUnique(new FillThunk(command, bits));
}

std::vector<BufferUse> FillThunk::buffer_uses() const {
  return {BufferUse::Write(command().fill().destination())};
}

absl::Status FillThunk::Execute(const ThunkContext& context) const {
  const plan::Slice& destination = command().fill().destination();
  FillOnDevice(context.device,
               TensorOf(destination, context.Resolve<void>(destination)),
               bits_);
  return absl::OkStatus();
}

}  // namespace mpc::runtime
