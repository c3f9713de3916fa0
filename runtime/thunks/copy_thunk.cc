#include "runtime/thunks/copy_thunk.h"

#include "absl/memory/memory.h"
#include "runtime/status_macros.h"
#include "runtime/thunks/device_copy.h"
#include "runtime/thunks/operand_check.h"

namespace mpc::runtime {

absl::StatusOr<std::unique_ptr<Thunk>> CopyThunk::Create(
    const plan::Plan& plan, const plan::CommandList& list,
    const plan::Command& command) {
  const plan::CopyCommand& copy = command.copy();
  MPC_RETURN_IF_ERROR(CheckAlike("destination", copy.destination(), "source",
                                 copy.source()));
  MPC_RETURN_IF_ERROR(CheckDisjoint("destination", copy.destination(),
                                    "source", copy.source()));
  return absl::WrapUnique(new CopyThunk(command));
}

std::vector<BufferUse> CopyThunk::buffer_uses() const {
  return {BufferUse::Read(command().copy().source()),
          BufferUse::Write(command().copy().destination())};
}

absl::Status CopyThunk::Execute(const ThunkContext& context) const {
  const plan::CopyCommand& copy = command().copy();
  CopyOnDevice(
      context.device,
      PieceOf(TensorOf(copy.source(), context.Resolve<void>(copy.source())), 0,
              0, 1),
      TensorOf(copy.destination(), context.Resolve<void>(copy.destination())));
  return absl::OkStatus();
}

}  // namespace mpc::runtime
