//===- ObservedSteps.cpp - what the ranks of a plan compute -----*- C++ -*-===//

#include "test/oracle/ObservedSteps.h"
#include "absl/strings/str_cat.h"
#include "runtime/executor/launch.h"
#include "runtime/status_macros.h"
#include "runtime/train/step_runner.h"
#include "runtime/verify/followed_states.h"
#include "runtime/verify/logical_tensor.h"

namespace mpc {
namespace {

using runtime::RankProgram;

/// Joins the ranks' parts of one state, on the first rank.
absl::Status gather(RankProgram &program, const plan::Mesh &mesh,
                    const std::string &name, const plan::State &state,
                    const std::string &piece, ObservedStep &to) {
  MPC_ASSIGN_OR_RETURN(std::vector<std::string> pieces,
                       program.world().Gather(piece, /*root=*/0));
  if (program.rank() != 0)
    return absl::OkStatus();
  MPC_ASSIGN_OR_RETURN(runtime::AssembledTensor whole,
                       runtime::Assemble(mesh, state, pieces));
  if (whole.replica_difference)
    return absl::InternalError(absl::StrCat(name, ": replicas differ"));
  if (whole.padding)
    return absl::InternalError(absl::StrCat(name, ": padding is not zero"));
  to[name] = std::move(whole.values);
  return absl::OkStatus();
}

absl::Status runRank(RankProgram &program, const plan::Plan &plan,
                     const InitialParameter &parameter,
                     const runtime::BatchSource &batch,
                     std::vector<ObservedStep> &steps) {
  if (program.arena_bytes() != runtime::RequiredBytes(program.role()))
    return absl::InternalError(absl::StrCat(
        "allocated ", program.arena_bytes(), " bytes, the plan states ",
        runtime::RequiredBytes(program.role())));
  MPC_RETURN_IF_ERROR(program.InitializeState(/*seed=*/0));
  std::vector<int> masters = program.StatesOfKind(plan::STATE_KIND_MASTER);
  for (int index : masters) {
    const plan::State &state = program.role().states(index);
    std::vector<float> whole = parameter(state);
    runtime::WritePiece(plan.mesh(), state, program.rank(),
                        {reinterpret_cast<const char *>(whole.data()),
                         whole.size() * sizeof(float)},
                        program.StateBytes(index));
  }
  MPC_ASSIGN_OR_RETURN(
      runtime::StepRunner runner,
      runtime::StepRunner::Create(&program, &batch, /*seed=*/0));
  for (size_t step = 0; step < steps.size(); ++step) {
    runtime::SavedObservables saved;
    MPC_RETURN_IF_ERROR(runner.Run(step + 1, [&](int entry) {
      runtime::SaveObservables(program, entry, saved);
      return absl::OkStatus();
    }));
    for (const runtime::ObservedState &observable : runtime::ObservablesOf(plan))
      MPC_RETURN_IF_ERROR(gather(program, plan.mesh(), observable.name,
                                 *observable.state, saved.at(observable.name),
                                 steps[step]));
    for (auto [kind, name] : {std::pair(plan::STATE_KIND_MASTER, "parameter:"),
                              {plan::STATE_KIND_MOMENT1, "moment1:"},
                              {plan::STATE_KIND_MOMENT2, "moment2:"}})
      for (int index : program.StatesOfKind(kind)) {
        const plan::State &state = program.role().states(index);
        absl::Span<char> bytes = program.StateBytes(index);
        MPC_RETURN_IF_ERROR(gather(program, plan.mesh(), name + state.name(),
                                   state, {bytes.data(), bytes.size()},
                                   steps[step]));
      }
  }
  return absl::OkStatus();
}

} // namespace

absl::StatusOr<std::vector<ObservedStep>>
observeSteps(const plan::Plan &plan, const InitialParameter &parameter,
             const runtime::BatchSource &batch, int steps) {
  std::vector<ObservedStep> observed(steps);
  MPC_RETURN_IF_ERROR(
      runtime::LaunchRanks(plan, {}, [&](RankProgram &program) {
        return runRank(program, plan, parameter, batch, observed);
      }));
  return observed;
}

} // namespace mpc
