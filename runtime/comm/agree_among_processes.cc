// Uses a world of all processes, like a run of one rank each.
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "runtime/comm/rank_host.h"
#include "runtime/status_macros.h"

namespace mpc::runtime {
namespace {

/// What the processes say: "+" and a fingerprint, or "-" and a message.
std::string FirstComplaint(const std::vector<std::string>& said) {
  for (size_t i = 0; i < said.size(); ++i)
    if (said[i][0] == '-')
      return absl::StrCat("rank ", i, ": ", said[i].substr(1));
  for (size_t i = 1; i < said.size(); ++i)
    if (said[i] != said[0])
      return absl::StrCat("rank ", i, ": was started with ", said[i].substr(1),
                          ", rank 0 with ", said[0].substr(1),
                          "; expected the same plan, data and options");
  return "";
}

}  // namespace

absl::Status AgreeAmongProcesses(RankHost& host, const absl::Status& status,
                                 absl::string_view fingerprint) {
  if (host.processes() == 1) return status;
  MPC_ASSIGN_OR_RETURN(auto worlds, host.CreateWorlds(host.processes()));
  World& world = *worlds[0];
  MPC_ASSIGN_OR_RETURN(
      const std::vector<std::string> said,
      world.Gather(status.ok() ? absl::StrCat("+", fingerprint)
                               : absl::StrCat("-", status.message()),
                   /*root=*/0));
  MPC_ASSIGN_OR_RETURN(
      const std::string complaint,
      world.Broadcast(host.process() == 0 ? FirstComplaint(said) : "",
                      /*root=*/0));
  if (complaint.empty()) return absl::OkStatus();
  return absl::FailedPreconditionError(complaint);
}

}  // namespace mpc::runtime
