// The ranks of a run as processes of MPI.
#ifndef MPC_RUNTIME_COMM_MPI_MPI_WORLD_H_
#define MPC_RUNTIME_COMM_MPI_MPI_WORLD_H_

#include <memory>

#include "runtime/comm/mpi/mpi_process.h"
#include "runtime/comm/world.h"

namespace mpc::runtime {

/// This process's end of a world of the processes 0 … `size` − 1, of which it
/// is one; `number` is MpiProcess::NewWorld of all of them. The process must
/// outlive the world. Memory that was sent from or received into has to stay
/// until the process ends if the world has failed.
std::unique_ptr<World> CreateMpiWorld(MpiProcess* process, int number,
                                      int size);

}  // namespace mpc::runtime

#endif  // MPC_RUNTIME_COMM_MPI_MPI_WORLD_H_
