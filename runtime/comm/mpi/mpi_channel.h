// Messages from one process to another.
#ifndef MPC_RUNTIME_COMM_MPI_MPI_CHANNEL_H_
#define MPC_RUNTIME_COMM_MPI_MPI_CHANNEL_H_

#include <memory>

#include "runtime/comm/channel.h"
#include "runtime/comm/mpi/engine.h"

namespace mpc::runtime {

/// At its end it notes in `completed`, which must outlive it, how many messages
/// were complete.
std::unique_ptr<ChannelEnd> CreateMpiChannelEnd(Engine* engine, ChannelId id,
                                                uint32_t stream,
                                                CompletedCounts* completed);

}  // namespace mpc::runtime

#endif  // MPC_RUNTIME_COMM_MPI_MPI_CHANNEL_H_
