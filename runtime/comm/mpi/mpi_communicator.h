// Collectives among processes.
#ifndef MPC_RUNTIME_COMM_MPI_MPI_COMMUNICATOR_H_
#define MPC_RUNTIME_COMM_MPI_MPI_COMMUNICATOR_H_

#include <memory>

#include "runtime/comm/communicator.h"
#include "runtime/comm/mpi/mpi_group.h"

namespace mpc::runtime {

/// At its end it notes in `completed`, which must outlive it, how many
/// operations of the group were complete.
std::unique_ptr<Communicator> CreateMpiCommunicator(
    std::unique_ptr<MpiGroup> group, CompletedCounts* completed);

}  // namespace mpc::runtime

#endif  // MPC_RUNTIME_COMM_MPI_MPI_COMMUNICATOR_H_
