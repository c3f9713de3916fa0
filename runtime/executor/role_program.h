// The part of a program that all ranks of a role share.
#ifndef MPC_RUNTIME_EXECUTOR_ROLE_PROGRAM_H_
#define MPC_RUNTIME_EXECUTOR_ROLE_PROGRAM_H_

#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/device/device.h"
#include "runtime/plan/plan.pb.h"
#include "runtime/thunks/thunk.h"

namespace mpc::runtime {

/// A role's commands as thunks, by list. Immutable.
struct RoleProgram {
  const plan::Plan* plan = nullptr;
  const plan::Role* role = nullptr;
  /// Null if the plan has no kernels.
  const KernelModule* kernels = nullptr;
  std::vector<std::vector<std::unique_ptr<Thunk>>> lists;
};

/// Makes and checks all thunks of a role. Errors carry the list and the
/// location of the command.
absl::StatusOr<std::unique_ptr<RoleProgram>> CreateRoleProgram(
    const plan::Plan& plan, const plan::Role& role,
    const KernelModule* kernels);

}  // namespace mpc::runtime

#endif  // MPC_RUNTIME_EXECUTOR_ROLE_PROGRAM_H_
