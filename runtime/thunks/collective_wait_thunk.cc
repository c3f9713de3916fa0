#include "runtime/thunks/collective_wait_thunk.h"

#include "absl/memory/memory.h"
#include "absl/strings/str_format.h"

namespace mpc::runtime {

absl::StatusOr<std::unique_ptr<Thunk>> CollectiveWaitThunk::Create(
    const plan::Plan& plan, const plan::CommandList& list,
    const plan::Command& command) {
  const uint32_t handle = command.collective_wait().handle();
  const plan::CollectiveStartCommand* start = nullptr;
  for (const plan::Command& other : list.commands()) {
    if (&other == &command) break;
    if (other.has_collective_start() &&
        other.collective_start().handle() == handle)
      start = &other.collective_start();
  }
  if (!start)
    return absl::InvalidArgumentError(absl::StrFormat(
        "wait for collective %d, which was not started before", handle));
  return absl::WrapUnique(new CollectiveWaitThunk(command, *start));
}

std::vector<BufferUse> CollectiveWaitThunk::buffer_uses() const {
  return {BufferUse::Read(start_.source()),
          BufferUse::Write(start_.destination())};
}

absl::Status CollectiveWaitThunk::Execute(const ThunkContext& context) const {
  return context.communicators[start_.group()]->Wait(start_.handle());
}

}  // namespace mpc::runtime
