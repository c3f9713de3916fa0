#include "runtime/plan/validate.h"

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "runtime/plan/channel_check.h"
#include "runtime/plan/field_check.h"
#include "runtime/plan/mesh.h"
#include "runtime/plan/state_check.h"
#include "runtime/status_macros.h"

namespace mpc::runtime {
namespace {

constexpr int64_t kMaximalRanks = int64_t{1} << 24;
constexpr uint32_t kMaximalSlots = 1 << 20;
constexpr uint64_t kMaximalRegionBytes = uint64_t{1} << 50;

absl::Status WithPrefix(const std::string& prefix, const absl::Status& status) {
  if (status.ok()) return status;
  return absl::Status(status.code(),
                      absl::StrCat(prefix, ": ", status.message()));
}

/// `what` index `index` of `count` things.
absl::Status CheckIndex(absl::string_view what, uint32_t index, int count) {
  if (index < static_cast<uint32_t>(count)) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrFormat("%s #%d, there are %d", what, index, count));
}

absl::Status CheckMesh(const plan::Mesh& mesh) {
  std::set<std::string> names;
  int64_t ranks = 1;
  for (const auto& axis : mesh.axes()) {
    if (axis.name().empty() || !names.insert(axis.name()).second)
      return absl::InvalidArgumentError(absl::StrCat(
          "mesh axis \"", axis.name(), "\"; expected a name of its own"));
    if (axis.size() < 2 || axis.size() > kMaximalRanks / ranks)
      return absl::InvalidArgumentError(absl::StrFormat(
          "mesh axis \"%s\" has size %d; expected at least 2 and no more than "
          "%d ranks in all",
          axis.name(), axis.size(), kMaximalRanks));
    ranks *= axis.size();
  }
  return absl::OkStatus();
}

absl::Status CheckGroup(const plan::Group& group, const plan::Mesh& mesh) {
  std::set<uint32_t> axes;
  for (uint32_t axis : group.axes()) {
    MPC_RETURN_IF_ERROR(CheckIndex("mesh axis", axis, mesh.axes_size()));
    if (!axes.insert(axis).second)
      return absl::InvalidArgumentError(
          absl::StrCat("mesh axis \"", mesh.axes(axis).name(), "\" twice"));
  }
  return absl::OkStatus();
}

absl::Status CheckTarget(const plan::Target& target) {
  if (target.kernels_size() > 0 && target.object().empty())
    return absl::InvalidArgumentError(absl::StrFormat(
        "target has %d kernels and no object", target.kernels_size()));
  for (int i = 0; i < target.kernels_size(); ++i) {
    const plan::Kernel& kernel = target.kernels(i);
    if (kernel.symbol().empty() || kernel.extent() < 1)
      return absl::InvalidArgumentError(absl::StrFormat(
          "kernel #%d has symbol \"%s\" and extent %d; expected a symbol and "
          "at least 1",
          i, kernel.symbol(), kernel.extent()));
  }
  return absl::OkStatus();
}

absl::Status CheckMasking(const plan::Masking& masking, int64_t vocabulary) {
  std::vector<std::pair<const char*, int64_t>> tokens = {
      {"mask_token", masking.mask_token()}};
  if (masking.has_pad_token())
    tokens.push_back({"pad_token", masking.pad_token()});
  for (int64_t token : masking.special_tokens())
    tokens.push_back({"special_tokens", token});
  for (const auto& [name, token] : tokens)
    if (token < 0 || token >= vocabulary)
      return absl::InvalidArgumentError(absl::StrFormat(
          "training.masking.%s is %d; expected a token below the vocabulary of "
          "%d",
          name, token, vocabulary));
  if (!(masking.rate() > 0 && masking.rate() <= 1))
    return absl::InvalidArgumentError(
        absl::StrFormat("training.masking.rate is %g; expected above 0 and at "
                        "most 1",
                        masking.rate()));
  if (!(masking.mask_share() >= 0 && masking.random_share() >= 0 &&
        masking.mask_share() + masking.random_share() <= 1))
    return absl::InvalidArgumentError(absl::StrFormat(
        "training.masking has shares %g and %g; expected at least 0 and at "
        "most 1 together",
        masking.mask_share(), masking.random_share()));
  return absl::OkStatus();
}

absl::Status CheckTraining(const plan::Training& training) {
  const std::pair<const char*, int64_t> counts[] = {
      {"sequence_length", training.sequence_length()},
      {"global_batch", training.global_batch()},
      {"microbatches", training.microbatches()},
      {"vocabulary", training.vocabulary()}};
  for (const auto& [name, value] : counts)
    if (value < 1)
      return absl::InvalidArgumentError(absl::StrFormat(
          "training.%s is %d; expected at least 1", name, value));
  if (training.has_masking())
    return CheckMasking(training.masking(), training.vocabulary());
  return absl::OkStatus();
}

absl::Status CheckCommand(const plan::Command& command, const plan::Role& role,
                          const plan::Plan& plan, std::set<uint32_t>& pending) {
  switch (command.kind_case()) {
    case plan::Command::kKernel:
      return CheckIndex("kernel", command.kernel().kernel(),
                        plan.target().kernels_size());
    case plan::Command::kShard:
      return CheckIndex("group", command.shard().group(), plan.groups_size());
    case plan::Command::kKeepOnFirst:
      return CheckIndex("group", command.keep_on_first().group(),
                        plan.groups_size());
    case plan::Command::kCollectiveStart:
      if (!pending.insert(command.collective_start().handle()).second)
        return absl::InvalidArgumentError(absl::StrFormat(
            "start of collective %d, which is under way",
            command.collective_start().handle()));
      return CheckIndex("group", command.collective_start().group(),
                        plan.groups_size());
    case plan::Command::kCollectiveWait:
      if (pending.erase(command.collective_wait().handle()) == 0)
        return absl::InvalidArgumentError(absl::StrFormat(
            "wait for collective %d, which was not started before",
            command.collective_wait().handle()));
      return absl::OkStatus();
    default:
      return CheckChannelEnd(command, role, plan);
  }
}

absl::Status CheckList(const plan::CommandList& list, const plan::Role& role,
                       const plan::Plan& plan) {
  std::set<uint32_t> pending;
  for (int i = 0; i < list.commands_size(); ++i)
    MPC_RETURN_IF_ERROR(WithPrefix(
        absl::StrFormat("commands[%d] \"%s\"", i, list.commands(i).location()),
        CheckCommand(list.commands(i), role, plan, pending)));
  if (!pending.empty())
    return absl::InvalidArgumentError(absl::StrFormat(
        "collective %d is started and not waited for", *pending.begin()));
  return absl::OkStatus();
}

absl::Status CheckSchedule(const plan::Role& role, const plan::Plan& plan) {
  for (int i = 0; i < role.schedule_size(); ++i) {
    const plan::ScheduleEntry& entry = role.schedule(i);
    const std::string where = absl::StrFormat("schedule[%d]", i);
    MPC_RETURN_IF_ERROR(
        WithPrefix(where, CheckIndex("list", entry.list(), role.lists_size())));
    if (entry.microbatch() >= plan.training().microbatches())
      return absl::InvalidArgumentError(
          absl::StrFormat("%s: microbatch %d, there are %d", where,
                          entry.microbatch(), plan.training().microbatches()));
    if (entry.slot() > 0 && entry.slot() >= role.slots())
      return absl::InvalidArgumentError(absl::StrFormat(
          "%s: slot %d, there are %d", where, entry.slot(), role.slots()));
  }
  return absl::OkStatus();
}

absl::Status CheckObservables(const plan::Role& role) {
  std::set<std::string> names;
  for (int i = 0; i < role.observables_size(); ++i) {
    const plan::Observable& observable = role.observables(i);
    const std::string where =
        absl::StrFormat("observables[%d] \"%s\"", i, observable.name());
    if (observable.name().empty() || !names.insert(observable.name()).second)
      return absl::InvalidArgumentError(
          absl::StrCat(where, ": expected a name of its own"));
    MPC_RETURN_IF_ERROR(WithPrefix(
        where, CheckIndex("state", observable.state(), role.states_size())));
    MPC_RETURN_IF_ERROR(
        WithPrefix(where, CheckIndex("schedule entry",
                                     observable.schedule_entry(),
                                     role.schedule_size())));
  }
  return absl::OkStatus();
}

absl::Status CheckStates(const plan::Role& role, const plan::Plan& plan) {
  std::set<std::pair<int, std::string>> names;
  for (int i = 0; i < role.states_size(); ++i) {
    const plan::State& state = role.states(i);
    const std::string where =
        absl::StrFormat("states[%d] \"%s\"", i, state.name());
    MPC_RETURN_IF_ERROR(WithPrefix(where, CheckState(state, plan.mesh())));
    if (!names.insert({state.kind(), state.name()}).second)
      return absl::InvalidArgumentError(
          absl::StrCat(where, ": a second state of this name and ",
                       plan::StateKind_Name(state.kind())));
  }
  return absl::OkStatus();
}

absl::Status CheckRole(const plan::Role& role, const plan::Plan& plan) {
  for (uint64_t bytes : {role.persistent_bytes(), role.slot_bytes(),
                         role.transient_bytes()})
    if (bytes > kMaximalRegionBytes)
      return absl::InvalidArgumentError(absl::StrFormat(
          "a region of %d bytes; at most %d", bytes, kMaximalRegionBytes));
  if (role.slots() > kMaximalSlots)
    return absl::InvalidArgumentError(absl::StrFormat(
        "%d slots; at most %d", role.slots(), kMaximalSlots));
  MPC_RETURN_IF_ERROR(CheckStates(role, plan));
  for (int i = 0; i < role.lists_size(); ++i)
    MPC_RETURN_IF_ERROR(
        WithPrefix(absl::StrFormat("lists[%d] \"%s\"", i, role.lists(i).name()),
                   CheckList(role.lists(i), role, plan)));
  MPC_RETURN_IF_ERROR(CheckSchedule(role, plan));
  return CheckObservables(role);
}

}  // namespace

absl::Status ValidatePlan(const plan::Plan& plan) {
  MPC_RETURN_IF_ERROR(CheckFields(plan));
  MPC_RETURN_IF_ERROR(CheckMesh(plan.mesh()));
  for (int i = 0; i < plan.groups_size(); ++i)
    MPC_RETURN_IF_ERROR(WithPrefix(absl::StrFormat("groups[%d]", i),
                                   CheckGroup(plan.groups(i), plan.mesh())));
  MPC_RETURN_IF_ERROR(CheckTarget(plan.target()));
  MPC_RETURN_IF_ERROR(CheckTraining(plan.training()));
  MPC_RETURN_IF_ERROR(CheckChannels(plan));
  const int64_t stages = StageCount(plan.mesh());
  if (plan.roles_size() != stages)
    return absl::InvalidArgumentError(
        absl::StrFormat("%d roles for a mesh of %d stages", plan.roles_size(),
                        stages));
  for (int i = 0; i < plan.roles_size(); ++i) {
    const std::string where = absl::StrFormat("roles[%d]", i);
    if (plan.roles(i).stage() != static_cast<uint32_t>(i))
      return absl::InvalidArgumentError(absl::StrFormat(
          "%s: stage %d; roles are by stage", where, plan.roles(i).stage()));
    MPC_RETURN_IF_ERROR(WithPrefix(where, CheckRole(plan.roles(i), plan)));
  }
  return CheckMessages(plan);
}

}  // namespace mpc::runtime
