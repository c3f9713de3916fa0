#include "runtime/executor/role_program.h"

#include "absl/strings/str_cat.h"

namespace mpc::runtime {

absl::StatusOr<std::unique_ptr<RoleProgram>> CreateRoleProgram(
    const plan::Plan& plan, const plan::Role& role,
    const KernelModule* kernels) {
  auto program = std::make_unique<RoleProgram>();
  program->plan = &plan;
  program->role = &role;
  program->kernels = kernels;
  for (const plan::CommandList& list : role.lists()) {
    auto& thunks = program->lists.emplace_back();
    for (const plan::Command& command : list.commands()) {
      auto thunk = CreateThunk(plan, list, command);
      if (!thunk.ok())
        return absl::Status(thunk.status().code(),
                            absl::StrCat("list \"", list.name(), "\": ",
                                         thunk.status().message()));
      thunks.push_back(*std::move(thunk));
    }
  }
  return program;
}

}  // namespace mpc::runtime
