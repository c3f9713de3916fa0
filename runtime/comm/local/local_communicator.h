// Collectives among threads of one process.
#ifndef MPC_RUNTIME_COMM_LOCAL_LOCAL_COMMUNICATOR_H_
#define MPC_RUNTIME_COMM_LOCAL_LOCAL_COMMUNICATOR_H_

#include <memory>

#include "runtime/comm/communicator.h"
#include "runtime/comm/local/hub.h"

namespace mpc::runtime {

/// Member `index`'s end of a group. See CreateLocalWorlds for when calls return.
std::unique_ptr<Communicator> CreateLocalCommunicator(
    std::shared_ptr<LocalHub> hub, std::shared_ptr<LocalGroup> group,
    int index);

}  // namespace mpc::runtime

#endif  // MPC_RUNTIME_COMM_LOCAL_LOCAL_COMMUNICATOR_H_
