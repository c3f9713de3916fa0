// The processes of a run, as a subcommand joins them.
#ifndef MPC_RUNTIME_TRAIN_RUN_PROCESSES_H_
#define MPC_RUNTIME_TRAIN_RUN_PROCESSES_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "runtime/cli/command_line.h"
#include "runtime/comm/rank_host.h"
#include "runtime/plan/plan.pb.h"
#include "runtime/train/rank_logs.h"

namespace mpc::runtime {

/// --communicator, --stall-timeout and --rank-log.
struct ProcessOptions {
  /// Empty: DefaultCommunicator.
  std::string communicator;
  int64_t stall_timeout = 30;
  std::string rank_log;

  /// The options must not outlive this.
  void AddTo(CommandLine& command);
};

/// What a subcommand's body runs with. All ranks of a run share one output:
/// where there are several processes the first of those that live has it.
struct RunProcesses {
  RankHost* host = nullptr;
  RankLogs* logs = nullptr;

  /// Whether this process reports: rank 0 is here.
  bool reports() const { return host->process() == 0; }

  /// All processes bring what they have read for `plan`: `status`, and in
  /// `fingerprint` what else must be the same for all.
  absl::Status Agree(const absl::Status& status, const plan::Plan& plan,
                     absl::string_view fingerprint) const;

  /// Threads that each rank of this machine computes with by default.
  int DefaultThreads(int64_t ranks) const;

  /// Refuses what does not fit beside the other ranks of this machine: their
  /// arenas and `more` bytes in `more_arenas` for this process.
  absl::Status CheckMemory(const plan::Plan& plan, int threads_per_rank,
                           uint64_t more, int64_t more_arenas,
                           int more_threads) const;
};

/// RunCommand with a body that runs on the processes of `options`, which
/// `command` parses. Where there are several, an error ends the process without
/// a return: MPI cannot be finalised then.
int RunOnProcesses(const CommandLine& command,
                   absl::Span<const std::string> arguments,
                   const ProcessOptions& options,
                   const std::function<absl::Status(const RunProcesses&)>& body,
                   const std::function<absl::Status()>& check);

}  // namespace mpc::runtime

#endif  // MPC_RUNTIME_TRAIN_RUN_PROCESSES_H_
