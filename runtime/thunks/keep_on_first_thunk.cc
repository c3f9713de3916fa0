#include "runtime/thunks/keep_on_first_thunk.h"

#include "absl/memory/memory.h"
#include "runtime/status_macros.h"
#include "runtime/thunks/device_copy.h"
#include "runtime/thunks/device_fill.h"
#include "runtime/thunks/operand_check.h"

namespace mpc::runtime {

absl::StatusOr<std::unique_ptr<Thunk>> KeepOnFirstThunk::Create(
    const plan::Plan& plan, const plan::CommandList& list,
    const plan::Command& command) {
  const plan::KeepOnFirstCommand& keep = command.keep_on_first();
  MPC_RETURN_IF_ERROR(CheckAlike("destination", keep.destination(), "source",
                                 keep.source()));
  MPC_RETURN_IF_ERROR(FillBits(0, keep.destination().type()).status());
  if (!IsSameSlice(keep.source(), keep.destination()))
    MPC_RETURN_IF_ERROR(CheckDisjoint("destination", keep.destination(),
                                      "source", keep.source()));
  return absl::WrapUnique(new KeepOnFirstThunk(command));
}

std::vector<BufferUse> KeepOnFirstThunk::buffer_uses() const {
  return {BufferUse::Read(command().keep_on_first().source()),
          BufferUse::Write(command().keep_on_first().destination())};
}

absl::Status KeepOnFirstThunk::Execute(const ThunkContext& context) const {
  const plan::KeepOnFirstCommand& keep = command().keep_on_first();
  const Tensor source =
      TensorOf(keep.source(), context.Resolve<void>(keep.source()));
  const Tensor destination =
      TensorOf(keep.destination(), context.Resolve<void>(keep.destination()));
  if (context.communicators[keep.group()]->rank() != 0)
    FillOnDevice(context.device, destination, 0);
  else if (source.data != destination.data)
    CopyOnDevice(context.device, PieceOf(source, 0, 0, 1), destination);
  return absl::OkStatus();
}

}  // namespace mpc::runtime
