#include "runtime/thunks/collective_start_thunk.h"

#include "absl/memory/memory.h"
#include "runtime/plan/mesh.h"
#include "runtime/status_macros.h"
#include "runtime/thunks/operand_check.h"

namespace mpc::runtime {
namespace {

Collective CollectiveOf(const plan::CollectiveStartCommand& command,
                        void* source, void* destination) {
  Collective collective;
  collective.kind = command.kind();
  collective.reduction = command.reduction();
  collective.source_dimension = command.source_dimension();
  collective.destination_dimension = command.destination_dimension();
  collective.source = TensorOf(command.source(), source);
  collective.destination = TensorOf(command.destination(), destination);
  return collective;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Thunk>> CollectiveStartThunk::Create(
    const plan::Plan& plan, const plan::CommandList& list,
    const plan::Command& command) {
  const plan::CollectiveStartCommand& start = command.collective_start();
  MPC_RETURN_IF_ERROR(
      CheckCollective(CollectiveOf(start, nullptr, nullptr),
                      GroupSize(plan.mesh(), plan.groups(start.group()))));
  const bool in_place = start.kind() == plan::COLLECTIVE_KIND_ALL_REDUCE &&
                        IsSameSlice(start.source(), start.destination());
  if (!in_place)
    MPC_RETURN_IF_ERROR(CheckDisjoint("destination", start.destination(),
                                      "source", start.source()));
  return absl::WrapUnique(new CollectiveStartThunk(command));
}

std::vector<BufferUse> CollectiveStartThunk::buffer_uses() const {
  const plan::CollectiveStartCommand& start = command().collective_start();
  return {BufferUse::Read(start.source()),
          BufferUse::Write(start.destination())};
}

absl::Status CollectiveStartThunk::Execute(const ThunkContext& context) const {
  const plan::CollectiveStartCommand& start = command().collective_start();
  return context.communicators[start.group()]->Start(
      start.handle(),
      CollectiveOf(start, context.Resolve<void>(start.source()),
                   context.Resolve<void>(start.destination())));
}

}  // namespace mpc::runtime
