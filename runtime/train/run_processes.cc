#include "runtime/train/run_processes.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <thread>

#include "absl/strings/str_cat.h"
#include "runtime/cli/command_main.h"
#include "runtime/comm/launch_environment.h"
#include "runtime/executor/launch.h"
#include "runtime/plan/mesh.h"
#include "runtime/status_macros.h"
#include "runtime/train/machine.h"

namespace mpc::runtime {
namespace {

constexpr int64_t kMostSeconds = 86400;
constexpr std::chrono::milliseconds kTimeForOthers(300);

/// Ends a process whose run has failed: what others wait for will not come, so
/// nothing is finalised. mpirun ends what is left.
[[noreturn]] void EndProcess(int code) {
  std::fflush(stdout);
  std::fflush(stderr);
  _exit(code);
}

absl::Status RunBody(
    const CommandLine& command, const ProcessOptions& options,
    const std::function<absl::Status(const RunProcesses&)>& body) {
  const LaunchEnvironment launch = ReadLaunchEnvironment();
  const std::string communicator = options.communicator.empty()
                                       ? DefaultCommunicator()
                                       : options.communicator;
  if (communicator == "local" && launch.processes > 1)
    return absl::InvalidArgumentError(absl::StrCat(
        "a launcher has started ", launch.processes,
        " processes, which --communicator=local would make runs of their own; "
        "expected --communicator=mpi, or one process"));
  RankLogs logs(options.rank_log);
  MPC_RETURN_IF_ERROR(logs.Open());
  std::unique_ptr<RankHost> host;
  RankHostOptions host_options;
  host_options.stall_timeout = static_cast<double>(options.stall_timeout);
  host_options.end_process = [&](const absl::Status& failure, bool speaks) {
    if (speaks) PrintError(command.name(), failure);
    logs.Note(launch.process, absl::StrCat("ended: ", failure.message()));
    // The first that ends brings the launcher to end the others: these are to
    // find out for themselves.
    std::this_thread::sleep_for(kTimeForOthers);
    EndProcess(kRunFailed);
  };
  const auto run = [&]() -> absl::Status {
    MPC_ASSIGN_OR_RETURN(host, CreateRankHost(communicator, host_options));
    MPC_RETURN_IF_ERROR(body({host.get(), &logs}));
    return host->Finish();
  };
  const absl::Status status = run();
  if (status.ok() || launch.processes == 1) return status;
  if (host) host->Fail(status);
  const bool speaks = host ? host->speaks() : launch.process == 0;
  if (speaks) PrintError(command.name(), status);
  logs.Note(launch.process, absl::StrCat("error: ", status.message()));
  std::this_thread::sleep_for(kTimeForOthers);
  EndProcess(kRunFailed);
}

}  // namespace

void ProcessOptions::AddTo(CommandLine& command) {
  command.AddString(
      "communicator", "NAME",
      "what connects the ranks: local (threads of this process) or mpi (each "
      "rank is a process that mpirun has started). Without it mpi if a "
      "launcher has started several processes, else local",
      &communicator);
  command.AddInteger(
      "stall-timeout",
      "with mpi: after how many seconds without a sign of life of a process "
      "(it is stopped, or its host is cut off) the others end and name it. One "
      "that computes for long gives signs; one that dies is noticed at once",
      1, kMostSeconds, &stall_timeout);
  command.AddString("rank-log", "DIR",
                    "a directory, made if need be, for a file rank-N.log of "
                    "each rank with its own messages. Without it a run has "
                    "only the messages of all ranks together",
                    &rank_log);
}

absl::Status RunProcesses::Agree(const absl::Status& status,
                                 const plan::Plan& plan,
                                 absl::string_view fingerprint) const {
  return AgreeAmongProcesses(*host, status,
                             absl::StrCat("the plan of checksum ",
                                          plan.checksum(), ", ", fingerprint));
}

int RunProcesses::DefaultThreads(int64_t ranks) const {
  const auto here = host->RanksOfThisMachine(static_cast<int>(ranks));
  const int share = DefaultThreadsPerRank(
      static_cast<int64_t>(host->RanksOfThisProcess(ranks).size()));
  // A launcher may have bound each process to cores of its own, or none.
  const int cores = static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
  return std::clamp(cores / static_cast<int>(here.size()), 1, share);
}

absl::Status RunProcesses::CheckMemory(const plan::Plan& plan,
                                       int threads_per_rank, uint64_t more,
                                       int64_t more_arenas,
                                       int more_threads) const {
  const int ranks = static_cast<int>(RankCount(plan.mesh()));
  // With another number of processes the run is refused when it starts.
  if (host->processes() > 1 && host->processes() != ranks)
    return absl::OkStatus();
  const std::vector<int> machine = host->RanksOfThisMachine(ranks);
  MPC_ASSIGN_OR_RETURN(const uint64_t available, AvailableMemory());
  MPC_RETURN_IF_ERROR(runtime::CheckMemory(
      RequiredBytes(plan, machine) + more,
      static_cast<int64_t>(machine.size()) + more_arenas, available));
  const std::vector<int> process = host->RanksOfThisProcess(ranks);
  return CheckAddressSpace(
      RequiredBytes(plan, process) + more,
      static_cast<int64_t>(process.size()) * threads_per_rank + more_threads,
      AddressSpaceLeft());
}

int RunOnProcesses(const CommandLine& command,
                   absl::Span<const std::string> arguments,
                   const ProcessOptions& options,
                   const std::function<absl::Status(const RunProcesses&)>& body,
                   const std::function<absl::Status()>& check) {
  const auto run = [&] { return RunBody(command, options, body); };
  if (ReadLaunchEnvironment().process == 0)
    return RunCommand(command, arguments, run, check);
  // All processes have the same arguments, and the first tells what is wrong.
  if (CommandLine::AsksForHelp(arguments)) return kSuccess;
  if (!command.Parse(arguments).ok() || (check && !check().ok()))
    return kBadUsage;
  return run().ok() ? kSuccess : kRunFailed;
}

}  // namespace mpc::runtime
