#include "runtime/thunks/shard_thunk.h"

#include "absl/memory/memory.h"
#include "absl/strings/str_format.h"
#include "runtime/plan/layout.h"
#include "runtime/plan/mesh.h"
#include "runtime/status_macros.h"
#include "runtime/thunks/device_copy.h"
#include "runtime/thunks/operand_check.h"

namespace mpc::runtime {

absl::StatusOr<std::unique_ptr<Thunk>> ShardThunk::Create(
    const plan::Plan& plan, const plan::CommandList& list,
    const plan::Command& command) {
  const plan::ShardCommand& shard = command.shard();
  const auto source = SizesOf(shard.source());
  const int64_t pieces = GroupSize(plan.mesh(), plan.groups(shard.group()));
  if (shard.dimension() >= source.size() ||
      source[shard.dimension()] % pieces != 0)
    return absl::InvalidArgumentError(absl::StrFormat(
        "dimension %d of sizes %s does not divide into %d pieces",
        shard.dimension(), DescribeSizes(source), pieces));
  plan::Slice piece = shard.source();
  piece.set_sizes(shard.dimension(), source[shard.dimension()] / pieces);
  MPC_RETURN_IF_ERROR(CheckAlike("destination", shard.destination(),
                                 "piece of source", piece));
  MPC_RETURN_IF_ERROR(CheckDisjoint("destination", shard.destination(),
                                    "source", shard.source()));
  return absl::WrapUnique(new ShardThunk(command));
}

std::vector<BufferUse> ShardThunk::buffer_uses() const {
  return {BufferUse::Read(command().shard().source()),
          BufferUse::Write(command().shard().destination())};
}

absl::Status ShardThunk::Execute(const ThunkContext& context) const {
  const plan::ShardCommand& shard = command().shard();
  const Communicator& group = *context.communicators[shard.group()];
  CopyOnDevice(
      context.device,
      PieceOf(TensorOf(shard.source(), context.Resolve<void>(shard.source())),
              shard.dimension(), group.rank(), group.size()),
      TensorOf(shard.destination(),
               context.Resolve<void>(shard.destination())));
  return absl::OkStatus();
}

}  // namespace mpc::runtime
