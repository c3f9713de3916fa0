// One rank a process.
#ifndef MPC_RUNTIME_COMM_MPI_MPI_HOST_H_
#define MPC_RUNTIME_COMM_MPI_MPI_HOST_H_

#include <memory>

#include "absl/status/statusor.h"
#include "runtime/comm/rank_host.h"

namespace mpc::runtime {

/// The processes that mpirun has started, one rank each.
absl::StatusOr<std::unique_ptr<RankHost>> CreateMpiHost(
    const RankHostOptions& options);

}  // namespace mpc::runtime

#endif  // MPC_RUNTIME_COMM_MPI_MPI_HOST_H_
