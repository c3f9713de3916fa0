// This process as one of those that mpirun has started.
#ifndef MPC_RUNTIME_COMM_MPI_MPI_PROCESS_H_
#define MPC_RUNTIME_COMM_MPI_MPI_PROCESS_H_

#include <mpi.h>

#include <functional>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "runtime/comm/mpi/shared_memory.h"
#include "runtime/comm/mpi/watch.h"

namespace mpc::runtime {

/// MPI and the watch, from start to end; one in a process.
class MpiProcess {
 public:
  /// Joins the other processes and initialises MPI, which one thread at a time
  /// then calls. `end_process` as in Watch::Options; it is also called when the
  /// processes do not come together within `timeout`.
  static absl::StatusOr<std::unique_ptr<MpiProcess>> Start(
      Watch::Seconds timeout,
      std::function<void(const absl::Status&, bool)> end_process);

  int rank() const { return rank_; }
  int size() const { return size_; }
  /// Ascending; with this one.
  const std::vector<int>& ranks_of_this_machine() const {
    return ranks_of_this_machine_;
  }
  MPI_Comm communicator() const { return communicator_; }
  Watch& watch() { return *watch_; }
  SharedMemory& shared() { return shared_; }

  /// The number of a new world; the same on all ranks if they call it alike.
  int NewWorld() { return worlds_++; }

  /// Finalises MPI with all others, or returns why that cannot be done.
  absl::Status Finish();

 private:
  MpiProcess() = default;
  absl::Status Initialize();
  void FindRanksOfThisMachine();

  int rank_ = 0;
  int size_ = 1;
  int worlds_ = 0;
  std::vector<int> ranks_of_this_machine_;
  MPI_Comm communicator_ = MPI_COMM_NULL;
  std::unique_ptr<Watch> watch_;
  SharedMemory shared_;
};

/// The text of an error code of MPI.
absl::Status MpiError(int code);

}  // namespace mpc::runtime

#endif  // MPC_RUNTIME_COMM_MPI_MPI_PROCESS_H_
