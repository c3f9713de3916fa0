// Which communicators this build has.
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "runtime/comm/launch_environment.h"
#include "runtime/comm/local/local_host.h"
#include "runtime/comm/rank_host.h"
#ifdef MPC_HAS_MPI
#include "runtime/comm/mpi/mpi_host.h"
#endif

namespace mpc::runtime {
namespace {

using Create = absl::StatusOr<std::unique_ptr<RankHost>> (*)(
    const RankHostOptions& options);

struct BackEnd {
  std::string name;
  /// Null if it was left out of this build.
  Create create;
};

const std::vector<BackEnd>& BackEnds() {
  static const auto& back_ends = *new std::vector<BackEnd>{
      {"local", CreateLocalHost},
#ifdef MPC_HAS_MPI
      {"mpi", CreateMpiHost},
#else
      {"mpi", nullptr},
#endif
  };
  return back_ends;
}

}  // namespace

absl::StatusOr<std::unique_ptr<RankHost>> CreateRankHost(
    absl::string_view communicator, const RankHostOptions& options) {
  std::vector<std::string> names;
  for (const BackEnd& back_end : BackEnds()) {
    names.push_back(back_end.name);
    if (back_end.name != communicator) continue;
    if (back_end.create != nullptr) return back_end.create(options);
    return absl::UnimplementedError(absl::StrCat(
        "communicator ", communicator,
        " was left out when this mpc-run was built (CMake says why)"));
  }
  return absl::InvalidArgumentError(
      absl::StrCat("communicator ", communicator,
                   " is unknown; legal: ", absl::StrJoin(names, ", ")));
}

std::string DefaultCommunicator() {
  return ReadLaunchEnvironment().processes > 1 ? "mpi" : "local";
}

}  // namespace mpc::runtime
