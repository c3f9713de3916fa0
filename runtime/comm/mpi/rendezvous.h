// How the processes that one launcher has started find each other.
#ifndef MPC_RUNTIME_COMM_MPI_RENDEZVOUS_H_
#define MPC_RUNTIME_COMM_MPI_RENDEZVOUS_H_

#include <string>

#include "absl/status/status.h"
#include "runtime/comm/mpi/watch.h"

namespace mpc::runtime {

/// Connects the watch of this process with that of rank 0, whose addresses are
/// told by the launcher's PMIx server: this works before MPI is initialised, so
/// that its initialisation can be watched. IPv4 only.
///
/// The errors say what the launcher did not do. A rank 0 that does not answer
/// is a matter for the watch, which ends the process: this then never returns.
absl::Status MeetThroughLauncher(int rank, int size, Watch& watch);

/// After it MPI alone is the launcher's client. Called once MPI is initialised.
void LeaveLauncher();

/// "host b, process 1234": this process.
std::string DescribeThisProcess();

}  // namespace mpc::runtime

#endif  // MPC_RUNTIME_COMM_MPI_RENDEZVOUS_H_
