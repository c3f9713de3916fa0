// Ranks that are threads of one process: nothing to install, nothing to copy
// twice.
#ifndef MPC_RUNTIME_COMM_LOCAL_LOCAL_WORLD_H_
#define MPC_RUNTIME_COMM_LOCAL_LOCAL_WORLD_H_

#include <memory>
#include <vector>

#include "runtime/comm/world.h"

namespace mpc::runtime {

/// The worlds of `size` ranks, by rank, each for a thread of its own.
///
/// Start of a collective does all of the work, reading the members' memory in
/// place: it returns when source and destination are free, and Wait is only
/// book-keeping. A channel copies once, in the Start that comes second.
///
/// Destroying a world ends its rank; others that wait for it then get an error.
/// After an error, memory that was passed to Start must stay until all ranks
/// have stopped: a peer may still be using it.
std::vector<std::unique_ptr<World>> CreateLocalWorlds(int size);

}  // namespace mpc::runtime

#endif  // MPC_RUNTIME_COMM_LOCAL_LOCAL_WORLD_H_
