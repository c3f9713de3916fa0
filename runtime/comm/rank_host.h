// Where the ranks of a run live: what a communicator back end registers.
#ifndef MPC_RUNTIME_COMM_RANK_HOST_H_
#define MPC_RUNTIME_COMM_RANK_HOST_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "runtime/comm/world.h"

namespace mpc::runtime {

/// This process among those of a run.
///
/// Thread-compatible.
class RankHost {
 public:
  virtual ~RankHost() = default;

  /// Of the run; 1 if all ranks are threads of this one.
  virtual int processes() const = 0;
  /// Which of them this is.
  virtual int process() const = 0;

  /// Of a run of `ranks` ranks those that live in this process, and those that
  /// share its machine's memory and cores; ascending.
  virtual std::vector<int> RanksOfThisProcess(int ranks) const = 0;
  virtual std::vector<int> RanksOfThisMachine(int ranks) const = 0;

  /// The worlds of RanksOfThisProcess of one run; all processes call it alike.
  /// kInvalidArgument if the processes cannot hold so many ranks.
  virtual absl::StatusOr<std::vector<std::unique_ptr<World>>> CreateWorlds(
      int ranks) = 0;

  /// Whether this process tells the user what happens to the run: one of those
  /// that live does. Any thread.
  virtual bool speaks() const = 0;

  /// Before this process ends with an error that may not have come from a world:
  /// the others end with it, unless they know of another.
  virtual void Fail(const absl::Status& status) = 0;

  /// The last call after a run without an error: returns when all processes
  /// have come so far. After an error a process of several just exits.
  virtual absl::Status Finish() = 0;
};

struct RankHostOptions {
  /// After how many seconds without a sign of life a process is lost.
  double stall_timeout = 30;
  /// Ends this process, on any thread, when the run has failed and it does not
  /// come to its end by itself.
  /// `speaks` as above.
  std::function<void(const absl::Status& failure, bool speaks)> end_process;
};

/// `local`: ranks are threads of this process. `mpi`: each is a process of its
/// own. kInvalidArgument with the legal names for others; kUnimplemented if
/// this build lacks it.
absl::StatusOr<std::unique_ptr<RankHost>> CreateRankHost(
    absl::string_view communicator, const RankHostOptions& options);

/// What fits how this process was started: `mpi` if a launcher has started
/// several, else `local`.
std::string DefaultCommunicator();

/// Brings the processes together before a run: each has read its inputs, with
/// `status` as the result and `fingerprint` as a digest of all that has to be
/// equal. The first error of a process, as "rank N: …", or which one differs
/// from rank 0.
absl::Status AgreeAmongProcesses(RankHost& host, const absl::Status& status,
                                 absl::string_view fingerprint);

}  // namespace mpc::runtime

#endif  // MPC_RUNTIME_COMM_RANK_HOST_H_
