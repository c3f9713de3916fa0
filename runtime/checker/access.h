// What the commands of a role read and write.
#ifndef MPC_RUNTIME_CHECKER_ACCESS_H_
#define MPC_RUNTIME_CHECKER_ACCESS_H_

#include <vector>

#include "runtime/checker/byte_range.h"
#include "runtime/plan/plan.pb.h"

namespace mpc::runtime {

struct Access {
  plan::Region region;
  ByteRange range;
  bool writes;
};

/// The reads and then the writes of a command, those of a collective or a
/// message at its start. The same as Thunk::buffer_uses, without a thunk.
std::vector<Access> AccessesOf(const plan::Command& command);

/// By list and command of a role.
using RoleAccesses = std::vector<std::vector<std::vector<Access>>>;

RoleAccesses AccessesOf(const plan::Role& role);

}  // namespace mpc::runtime

#endif  // MPC_RUNTIME_CHECKER_ACCESS_H_
