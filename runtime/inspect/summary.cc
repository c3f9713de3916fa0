// Counts and sums over the messages of a plan; nothing is executed.
#include "runtime/inspect/summary.h"

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "runtime/inspect/names.h"
#include "runtime/plan/arena_layout.h"
#include "runtime/plan/layout.h"
#include "runtime/plan/mesh.h"
#include "runtime/status_macros.h"

namespace mpc::runtime {
namespace {

const plan::State* FindState(const plan::Role& role, plan::StateKind kind,
                             const std::string& name) {
  for (const plan::State& state : role.states())
    if (state.kind() == kind && state.name() == name) return &state;
  return nullptr;
}

uint64_t StateBytes(const plan::State& state) {
  return ElementCount(state.slice().sizes()) *
         DataTypeBytes(state.slice().type());
}

std::vector<ParameterSummary> SummarizeParameters(const plan::Plan& plan,
                                                  const plan::Role& role) {
  std::vector<ParameterSummary> parameters;
  for (const plan::State& master : role.states()) {
    if (master.kind() != plan::STATE_KIND_MASTER) continue;
    ParameterSummary& parameter = parameters.emplace_back();
    parameter.name = master.name();
    parameter.logical_sizes.assign(master.logical_sizes().begin(),
                                   master.logical_sizes().end());
    parameter.global_sizes.assign(master.global_sizes().begin(),
                                  master.global_sizes().end());
    parameter.type = DataTypeName(master.type());
    parameter.storage_sharding =
        DescribeSharding(plan.mesh(), master.sharding());
    parameter.compute_sharding = parameter.storage_sharding;
    for (plan::StateKind kind :
         {plan::STATE_KIND_MASTER, plan::STATE_KIND_MOMENT1,
          plan::STATE_KIND_MOMENT2, plan::STATE_KIND_ACCUMULATOR,
          plan::STATE_KIND_COMPUTE}) {
      const plan::State* state = FindState(role, kind, master.name());
      if (state == nullptr) continue;
      parameter.bytes_per_rank += StateBytes(*state);
      const std::string sharding =
          DescribeSharding(plan.mesh(), state->sharding());
      if (kind == plan::STATE_KIND_COMPUTE)
        parameter.compute_sharding = sharding;
      if (kind == plan::STATE_KIND_ACCUMULATOR)
        parameter.gradient_sharding = sharding;
    }
  }
  return parameters;
}

std::vector<int64_t> CountRuns(const plan::Role& role) {
  std::vector<int64_t> runs(role.lists_size(), 0);
  for (const plan::ScheduleEntry& entry : role.schedule()) ++runs[entry.list()];
  return runs;
}

std::vector<ListSummary> SummarizeLists(const plan::Role& role) {
  const std::vector<int64_t> runs = CountRuns(role);
  std::vector<ListSummary> lists;
  for (int i = 0; i < role.lists_size(); ++i) {
    const plan::CommandList& list = role.lists(i);
    ListSummary& summary = lists.emplace_back();
    summary.name = list.name();
    summary.phase = PhaseName(list.phase());
    summary.variant = VariantName(list.variant());
    summary.runs_per_step = runs[i];
    summary.commands = list.commands_size();
    for (const plan::Command& command : list.commands())
      ++summary.commands_by_kind[CommandKindName(command)];
  }
  return lists;
}

uint64_t PayloadBytes(const plan::CollectiveStartCommand& collective) {
  return std::max(ElementCount(collective.source().sizes()),
                  ElementCount(collective.destination().sizes())) *
         DataTypeBytes(collective.source().type());
}

std::vector<CollectiveSummary> SummarizeCollectives(const plan::Plan& plan,
                                                    const plan::Role& role) {
  const std::vector<int64_t> runs = CountRuns(role);
  std::vector<CollectiveSummary> collectives;
  for (int i = 0; i < role.lists_size(); ++i) {
    const size_t first_of_list = collectives.size();
    for (const plan::Command& command : role.lists(i).commands()) {
      if (!command.has_collective_start()) continue;
      const plan::CollectiveStartCommand& start = command.collective_start();
      const plan::Group& group = plan.groups(start.group());
      CollectiveSummary summary;
      summary.list = role.lists(i).name();
      summary.kind = CollectiveKindName(start.kind());
      summary.reduction = ReductionName(start.reduction());
      for (uint32_t axis : group.axes())
        summary.axes.push_back(plan.mesh().axes(axis).name());
      summary.group_size = GroupSize(plan.mesh(), group);
      auto key = [](const CollectiveSummary& s) {
        return std::tie(s.kind, s.reduction, s.axes);
      };
      auto same = std::find_if(
          collectives.begin() + first_of_list, collectives.end(),
          [&](const auto& other) { return key(other) == key(summary); });
      if (same == collectives.end())
        same = collectives.insert(same, std::move(summary));
      same->count_per_step += runs[i];
      same->payload_bytes_per_step += runs[i] * PayloadBytes(start);
    }
  }
  return collectives;
}

std::vector<ScheduleSummary> SummarizeSchedule(const plan::Role& role) {
  std::vector<ScheduleSummary> schedule;
  for (const plan::ScheduleEntry& entry : role.schedule())
    schedule.push_back({role.lists(entry.list()).name(), entry.microbatch(),
                        entry.slot(), entry.load_batch()});
  return schedule;
}

// Messages are counted where they are sent.
std::vector<ChannelSummary> SummarizeChannels(const plan::Plan& plan) {
  std::vector<ChannelSummary> channels;
  for (const plan::Channel& channel : plan.channels())
    channels.push_back(
        {channel.name(), channel.source_stage(), channel.destination_stage()});
  for (const plan::Role& role : plan.roles()) {
    const std::vector<int64_t> runs = CountRuns(role);
    for (int i = 0; i < role.lists_size(); ++i) {
      for (const plan::Command& command : role.lists(i).commands()) {
        if (!command.has_send_start()) continue;
        ChannelSummary& channel = channels[command.send_start().channel()];
        channel.messages_per_step += runs[i];
        channel.bytes_per_step +=
            runs[i] * SpanBytes(command.send_start().source());
      }
    }
  }
  return channels;
}

struct Extent {
  uint64_t begin;
  uint64_t end;
  const plan::State* state;
};

/// A gradient that lies where its accumulators did; counted as those.
bool IsInPlace(const plan::Role& role, const plan::State& state) {
  if (state.kind() != plan::STATE_KIND_GRADIENT) return false;
  const plan::State* accumulators =
      FindState(role, plan::STATE_KIND_ACCUMULATOR, state.name());
  return accumulators != nullptr &&
         accumulators->slice().offset_bytes() == state.slice().offset_bytes();
}

// The dense states of a region, by where they begin.
std::vector<Extent> ListExtents(const plan::Role& role, plan::Region region) {
  std::vector<Extent> extents;
  for (const plan::State& state : role.states()) {
    if (state.slice().region() != region || !IsDense(state.slice()) ||
        IsInPlace(role, state))
      continue;
    const uint64_t begin = state.slice().offset_bytes();
    extents.push_back({begin, begin + StateBytes(state), &state});
  }
  std::sort(extents.begin(), extents.end(),
            [](const Extent& a, const Extent& b) { return a.begin < b.begin; });
  return extents;
}

// No persistent state may share the bytes of another. Rows of states that lie
// beside each other interleave, so only what begins inside another dense state
// counts as an overlap.
absl::Status CheckDisjoint(const std::vector<Extent>& extents) {
  for (size_t i = 1; i < extents.size(); ++i) {
    if (extents[i].begin < extents[i - 1].end) {
      return absl::InvalidArgumentError(absl::StrFormat(
          "state %s of %s at byte %d overlaps %s of %s, which ends at byte %d",
          StateKindName(extents[i].state->kind()), extents[i].state->name(),
          extents[i].begin, StateKindName(extents[i - 1].state->kind()),
          extents[i - 1].state->name(), extents[i - 1].end));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<MemorySummary> SummarizeMemory(const plan::Role& role) {
  MPC_RETURN_IF_ERROR(
      CheckDisjoint(ListExtents(role, plan::REGION_PERSISTENT)));
  MemorySummary memory;
  memory.arena_bytes = ArenaLayout(role).bytes();
  memory.persistent_bytes = role.persistent_bytes();
  memory.slot_bytes = role.slot_bytes();
  memory.slots = role.slots();
  memory.transient_bytes = role.transient_bytes();

  std::map<plan::StateKind, uint64_t> by_kind;
  for (const plan::State& state : role.states())
    if (state.slice().region() != plan::REGION_SLOT && !IsInPlace(role, state))
      by_kind[state.kind()] += StateBytes(state);
  // A slot is one chunk's at a time: what belongs to different chunks may share
  // its bytes, which count once.
  uint64_t slot_states = 0;
  uint64_t covered = 0;
  for (const Extent& extent : ListExtents(role, plan::REGION_SLOT)) {
    if (extent.end <= covered) continue;
    const uint64_t bytes = extent.end - std::max(extent.begin, covered);
    by_kind[extent.state->kind()] += bytes * role.slots();
    slot_states += bytes;
    covered = extent.end;
  }
  uint64_t named = 0;
  for (const auto& [kind, bytes] : by_kind) {
    memory.categories.push_back({StateKindName(kind), bytes});
    named += bytes;
  }
  // What microbatches keep from forward to backward.
  const uint64_t kept = (role.slot_bytes() - slot_states) * role.slots();
  memory.categories.push_back({"slots", kept});
  memory.categories.push_back({"transient", role.transient_bytes()});
  named += kept + role.transient_bytes();
  memory.categories.push_back({"other", memory.arena_bytes - named});
  return memory;
}

}  // namespace

absl::StatusOr<PlanSummary> Summarize(const plan::Plan& plan) {
  PlanSummary summary;
  for (const plan::Role& role : plan.roles()) {
    RoleSummary& out = summary.roles.emplace_back();
    out.stage = role.stage();
    MPC_ASSIGN_OR_RETURN(out.memory, SummarizeMemory(role));
    out.parameters = SummarizeParameters(plan, role);
    out.lists = SummarizeLists(role);
    out.collectives = SummarizeCollectives(plan, role);
    out.schedule = SummarizeSchedule(role);
  }
  summary.channels = SummarizeChannels(plan);
  return summary;
}

}  // namespace mpc::runtime
