#include "runtime/checker/list_check.h"

#include <map>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "runtime/checker/byte_map.h"
#include "runtime/checker/in_flight.h"
#include "runtime/status_macros.h"

namespace mpc::runtime {
namespace {

class ListWalk {
 public:
  ListWalk(const plan::Plan& plan, int role, int list)
      : plan_(plan),
        list_(plan.roles(role).lists(list)),
        place_{role, -1, list, -1} {}

  absl::Status Run(const std::vector<std::vector<Access>>& accesses) {
    for (int i = 0; i < list_.commands_size(); ++i) {
      place_.command = i;
      MPC_RETURN_IF_ERROR(Step(list_.commands(i), accesses[i]));
    }
    return absl::OkStatus();
  }

 private:
  absl::Status Step(const plan::Command& command,
                    const std::vector<Access>& accesses) {
    if (command.has_collective_wait())
      return Land(command.collective_wait().handle());
    for (const Access& access : accesses) {
      // The list runs in any slot: all of them are one memory here.
      const Memory memory = MemoryOf(access.region, 0);
      if (const auto buffer = in_flight_.FindDisturbed(memory, access))
        return DisturbedError(plan_, place_, access, *buffer);
      if (!access.writes) MPC_RETURN_IF_ERROR(CheckWritten(access));
    }
    for (const Access& access : accesses) {
      if (command.has_collective_start())
        Depart(command.collective_start().handle(), access);
      else
        MarkWritten(access);
    }
    return absl::OkStatus();
  }

  void Depart(uint32_t handle, const Access& access) {
    pending_[handle].push_back(
        {in_flight_.Add(MemoryOf(access.region, 0), access, place_), access});
  }

  absl::Status Land(uint32_t handle) {
    for (const auto& [buffer, access] : pending_[handle]) {
      in_flight_.Remove(buffer);
      MarkWritten(access);
    }
    pending_.erase(handle);
    return absl::OkStatus();
  }

  void MarkWritten(const Access& access) {
    if (access.writes && access.region == plan::REGION_TRANSIENT)
      written_.Set(access.range.begin, access.range.end, true);
  }

  absl::Status CheckWritten(const Access& access) const {
    if (access.region != plan::REGION_TRANSIENT) return absl::OkStatus();
    absl::Status status;
    written_.ForEachPiece(
        access.range.begin, access.range.end,
        [&](uint64_t begin, uint64_t end, const bool* written) {
          if (written || !status.ok()) return;
          status = ErrorAt(
              plan_, place_,
              absl::StrFormat("reads bytes %d to %d of the transient region, "
                              "which the list has not written before",
                              begin, end));
        });
    return status;
  }

  const plan::Plan& plan_;
  const plan::CommandList& list_;
  Place place_;
  /// Rows of a matrix with strides are taken together with their gaps.
  ByteMap<bool> written_;
  InFlight in_flight_;
  /// By handle of the collective.
  std::map<uint32_t, std::vector<std::pair<InFlight::Handle, Access>>> pending_;
};

}  // namespace

absl::Status CheckLists(const plan::Plan& plan, int role,
                        const RoleAccesses& accesses) {
  for (int i = 0; i < plan.roles(role).lists_size(); ++i)
    MPC_RETURN_IF_ERROR(ListWalk(plan, role, i).Run(accesses[i]));
  return absl::OkStatus();
}

}  // namespace mpc::runtime
