// Prices, runs the clock, adds up.
#include "runtime/simulate/simulate.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "runtime/plan/arena_layout.h"
#include "runtime/plan/mesh.h"
#include "runtime/simulate/step_clock.h"
#include "runtime/simulate/world.h"
#include "runtime/status_macros.h"

namespace mpc::runtime {
namespace {

StageMemory MemoryOf(const plan::Role& role,
                     const std::vector<MemoryPoint>& points) {
  StageMemory memory;
  memory.arena_bytes = ArenaLayout(role).bytes();
  memory.persistent_bytes = role.persistent_bytes();
  memory.slot_bytes = role.slot_bytes();
  for (const MemoryPoint& point : points) {
    memory.slots_in_use = std::max(memory.slots_in_use, point.slots_in_use);
    memory.transient_bytes =
        std::max(memory.transient_bytes, point.transient_bytes);
    memory.peak_bytes = std::max(memory.peak_bytes, point.bytes);
  }
  return memory;
}

}  // namespace

double RankTime::exposed_seconds() const {
  double sum = 0;
  for (const CommunicationTime& time : communication)
    sum += time.exposed_seconds;
  return sum;
}

double RankTime::hidden_seconds() const {
  double sum = 0;
  for (const CommunicationTime& time : communication)
    sum += time.hidden_seconds;
  return sum;
}

int Simulation::OverflowingStage() const {
  int worst = -1;
  for (size_t stage = 0; stage < memory.size(); ++stage)
    if (memory[stage].arena_bytes > usable_bytes &&
        (worst < 0 || memory[stage].arena_bytes > memory[worst].arena_bytes))
      worst = static_cast<int>(stage);
  return worst;
}

absl::StatusOr<Simulation> Simulate(const plan::Plan& plan,
                                    const cluster::Pricing& pricing,
                                    const SimulateOptions& options) {
  const int64_t ranks = RankCount(plan.mesh());
  if (ranks > pricing.cluster().devices())
    return absl::InvalidArgumentError(
        absl::StrCat("the plan has ", ranks, " ranks, but cluster ",
                     pricing.cluster().name(), " has ",
                     pricing.cluster().devices(), " devices"));
  const PricedPlan priced = PricePlan(plan, pricing);
  const SimulatedWorld world(plan, pricing, options.fold);
  StepClock clock(plan, priced, world, pricing, options.record);
  MPC_RETURN_IF_ERROR(clock.Run());

  Simulation result;
  result.step_seconds = clock.end();
  result.tokens =
      plan.training().global_batch() * plan.training().sequence_length();
  result.ranks = ranks;
  result.categories = priced.categories;
  result.rank_times = clock.TakeTimes();
  result.timelines = clock.TakeTimelines();
  result.events = clock.events();
  // One simulated rank stands for equally many.
  const double share =
      static_cast<double>(ranks) / static_cast<double>(world.size());
  for (const RankTime& time : result.rank_times) {
    result.flops.hardware += share * time.flops.hardware;
    result.flops.model += share * time.flops.model;
  }
  result.type = priced.type;
  result.peak_flops = pricing.PeakFlops(priced.type);
  const double peak =
      result.peak_flops * result.step_seconds * static_cast<double>(ranks);
  if (peak > 0) {
    result.model_flops_utilisation = result.flops.model / peak;
    result.hardware_flops_utilisation = result.flops.hardware / peak;
  }
  for (int stage = 0; stage < plan.roles_size(); ++stage) {
    const plan::Role& role = plan.roles(stage);
    result.memory_over_time.push_back(
        MemoryOverTime(role, priced.roles[stage]));
    result.memory.push_back(MemoryOf(role, result.memory_over_time.back()));
  }
  result.usable_bytes = pricing.usable_bytes();
  return result;
}

}  // namespace mpc::runtime
