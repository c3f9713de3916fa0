// A cluster file of this machine.
#include "runtime/profile/profile_command.h"

#include <google/protobuf/text_format.h>

#include "cluster/read_cluster.h"
#include "runtime/cli/command_line.h"
#include "runtime/cli/command_main.h"
#include "runtime/profile/measure_machine.h"
#include "runtime/status_macros.h"

namespace mpc::runtime {

int ProfileCommand(absl::Span<const std::string> arguments) {
  int64_t ranks = 2, threads = 1;
  CommandLine command(
      "mpc-run profile",
      "Measures this machine (products, memory, collectives among ranks that "
      "are threads) and prints it as a cluster for mpc-run simulate. Takes a "
      "few "
      "seconds; nothing else should run meanwhile.");
  command.AddInteger("ranks", "ranks that work at the same time", 1, 1024,
                     &ranks);
  command.AddInteger("threads", "threads of each rank", 1, 1024, &threads);
  command.AddExample("mpc-run profile --ranks=2 >machine.textproto",
                     "a cluster of two devices");
  command.AddExample(
      "mpc-run simulate model.plan --cluster-file=machine.textproto",
      "a step of a plan on it");
  return RunCommand(command, arguments, [&]() -> absl::Status {
    ProfileOptions options;
    options.ranks = static_cast<int>(ranks);
    options.threads = static_cast<int>(threads);
    MPC_ASSIGN_OR_RETURN(const cluster::Cluster cluster,
                         MeasureMachine(options));
    MPC_RETURN_IF_ERROR(cluster::CheckCluster(cluster));
    std::string text;
    google::protobuf::TextFormat::PrintToString(cluster, &text);
    return WriteOutput(text);
  });
}

}  // namespace mpc::runtime
