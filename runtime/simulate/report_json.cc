// The report as JSON. Its keys are documented in docs/simulate-json.md.
#include <nlohmann/json.hpp>
#include <utility>

#include "runtime/inspect/names.h"
#include "runtime/plan/mesh.h"
#include "runtime/simulate/report.h"

namespace mpc::runtime {
namespace {

using Json = nlohmann::ordered_json;

Json LinesOf(const Simulation& simulation, const RankTime& time) {
  Json communication = Json::array();
  for (size_t i = 0; i < simulation.categories.size(); ++i) {
    const CommunicationTime& one = time.communication[i];
    if (one.count == 0) continue;
    communication.push_back({{"kind", simulation.categories[i]},
                             {"count", one.count},
                             {"bytes", one.bytes},
                             {"exposed_seconds", one.exposed_seconds},
                             {"hidden_seconds", one.hidden_seconds}});
  }
  return communication;
}

Json ListsOf(const plan::Role& role, const RankTime& time) {
  std::vector<int64_t> runs(role.lists_size(), 0);
  for (const plan::ScheduleEntry& entry : role.schedule()) ++runs[entry.list()];
  Json lists = Json::array();
  for (int i = 0; i < role.lists_size(); ++i)
    lists.push_back({{"name", role.lists(i).name()},
                     {"phase", PhaseName(role.lists(i).phase())},
                     {"variant", VariantName(role.lists(i).variant())},
                     {"runs", runs[i]},
                     {"seconds", time.list_seconds[i]}});
  return lists;
}

Json RanksOf(const plan::Plan& plan, const Simulation& simulation) {
  Json ranks = Json::array();
  for (const RankTime& time : simulation.rank_times)
    ranks.push_back({{"stage", time.stage},
                     {"compute_seconds", time.computing.total()},
                     {"product_seconds", time.computing.products},
                     {"attention_seconds", time.computing.attention},
                     {"kernel_seconds", time.computing.kernels},
                     {"exposed_seconds", time.exposed_seconds()},
                     {"hidden_seconds", time.hidden_seconds()},
                     {"bubble_seconds", time.bubble_seconds},
                     {"communication", LinesOf(simulation, time)},
                     {"lists", ListsOf(plan.roles(time.stage), time)}});
  return ranks;
}

Json MemoryOf(const Simulation& simulation) {
  Json memory = Json::array();
  for (const StageMemory& stage : simulation.memory)
    memory.push_back({{"arena_bytes", stage.arena_bytes},
                      {"peak_bytes", stage.peak_bytes},
                      {"persistent_bytes", stage.persistent_bytes},
                      {"slot_bytes", stage.slot_bytes},
                      {"slots_in_use", stage.slots_in_use},
                      {"transient_bytes", stage.transient_bytes}});
  return memory;
}

}  // namespace

std::string PrintSimulationJson(const plan::Plan& plan,
                                const cluster::Cluster& cluster,
                                const Simulation& simulation) {
  const auto tokens = static_cast<double>(simulation.tokens);
  Json json = {
      {"model", plan.model_name()},
      {"strategy", plan.strategy()},
      {"cluster", cluster.name()},
      {"ranks", simulation.ranks},
      {"step_seconds", simulation.step_seconds},
      {"tokens_per_step", simulation.tokens},
      {"tokens_per_second", tokens / simulation.step_seconds},
      {"model_flops_per_step", simulation.flops.model},
      {"hardware_flops_per_step", simulation.flops.hardware},
      {"peak_flops_per_second", simulation.peak_flops},
      {"model_flops_utilisation", simulation.model_flops_utilisation},
      {"hardware_flops_utilisation", simulation.hardware_flops_utilisation},
      {"usable_bytes", simulation.usable_bytes},
      {"fits", simulation.OverflowingStage() < 0},
      {"ranks_simulated", RanksOf(plan, simulation)},
      {"memory", MemoryOf(simulation)}};
  return json.dump(2) + "\n";
}

}  // namespace mpc::runtime
