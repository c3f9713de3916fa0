// The data of reductions.
#ifndef MPC_RUNTIME_COMM_MPI_REDUCE_EXCHANGE_H_
#define MPC_RUNTIME_COMM_MPI_REDUCE_EXCHANGE_H_

#include <memory>

#include "runtime/comm/mpi/exchange.h"

namespace mpc::runtime {

/// ALL_REDUCE and REDUCE_SCATTER. Every member combines a share for all: it
/// receives the others' parts of it, combines those that all have sent in the
/// group's order, and of an all-reduce sends the results while later parts are
/// under way. Nobody else writes a share, so all members get the same bits.
std::unique_ptr<Exchange> CreateReduceExchange(const GroupRoute& route,
                                               const Collective& collective);

}  // namespace mpc::runtime

#endif  // MPC_RUNTIME_COMM_MPI_REDUCE_EXCHANGE_H_
