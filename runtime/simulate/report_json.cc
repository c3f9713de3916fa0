// The report as JSON. Its keys are documented in docs/simulate-json.md.
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "runtime/inspect/names.h"
#include "runtime/plan/mesh.h"
#include "runtime/simulate/page_html.h"
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

/// Of the roles together: a list that the timeline refers to by its number.
struct ListNumbers {
  Json lists = Json::array();
  std::vector<std::vector<int>> numbers;
};

ListNumbers NumberLists(const plan::Plan& plan) {
  ListNumbers all;
  for (const plan::Role& role : plan.roles()) {
    std::vector<int>& numbers = all.numbers.emplace_back();
    for (const plan::CommandList& list : role.lists()) {
      numbers.push_back(static_cast<int>(all.lists.size()));
      all.lists.push_back({{"name", list.name()},
                           {"phase", PhaseName(list.phase())},
                           {"chunk", list.chunk() / plan.roles_size()}});
    }
  }
  return all;
}

/// Seconds in as many digits as a picture shows.
double Short(double seconds) { return std::round(seconds * 1e9) / 1e9; }

/// Lists of messages alone compute nothing and are left out; so are waits where
/// there are too many to draw.
Json TimelineOf(const plan::Plan& plan, const Simulation& simulation,
                const ListNumbers& numbers, bool has_waits) {
  Json timeline = Json::array();
  for (size_t rank = 0; rank < simulation.timelines.size(); ++rank) {
    const int stage = simulation.rank_times[rank].stage;
    Json lists = Json::array(), waits = Json::array();
    for (const ListSpan& span : simulation.timelines[rank].lists)
      if (plan.roles(stage).lists(span.list).phase() != plan::PHASE_TRANSFER)
        lists.push_back({Short(span.begin), Short(span.end - span.begin),
                         numbers.numbers[stage][span.list], span.microbatch});
    for (const WaitSpan& span : simulation.timelines[rank].waits) {
      const double seconds = span.end - span.begin;
      if (span.is_bubble ? seconds > 1e-3 * simulation.step_seconds : has_waits)
        waits.push_back({Short(span.begin), Short(seconds), span.category,
                         static_cast<int>(span.is_bubble)});
    }
    timeline.push_back({{"lists", lists}, {"waits", waits}});
  }
  return timeline;
}

/// [begin, slots, transient bytes] from each run of a list on, by stage.
Json MemoryOverTimeOf(const plan::Plan& plan, const Simulation& simulation) {
  Json stages = Json::array();
  for (int stage = 0; stage < plan.roles_size(); ++stage) {
    Json points = Json::array();
    size_t rank = 0;
    while (simulation.rank_times[rank].stage != stage) ++rank;
    for (const ListSpan& span : simulation.timelines[rank].lists) {
      const MemoryPoint& point = simulation.memory_over_time[stage][span.entry];
      points.push_back(
          {Short(span.begin), point.slots_in_use, point.transient_bytes});
    }
    stages.push_back(points);
  }
  return stages;
}

Json Facts(const plan::Plan& plan, const cluster::Cluster& cluster,
           const Simulation& simulation);

}  // namespace

std::string PrintSimulationJson(const plan::Plan& plan,
                                const cluster::Cluster& cluster,
                                const Simulation& simulation) {
  return Facts(plan, cluster, simulation).dump(2) + "\n";
}

std::string PrintSimulationHtml(const plan::Plan& plan,
                                const cluster::Cluster& cluster,
                                const Simulation& simulation) {
  constexpr size_t kMostWaits = 60'000;
  size_t waits = 0;
  for (const Timeline& timeline : simulation.timelines)
    waits += timeline.waits.size();
  Json json = Facts(plan, cluster, simulation);
  const ListNumbers numbers = NumberLists(plan);
  json["has_waits"] = waits <= kMostWaits;
  json["categories"] = simulation.categories;
  json["lists"] = numbers.lists;
  json["timeline"] = TimelineOf(plan, simulation, numbers, waits <= kMostWaits);
  json["memory_over_time"] = MemoryOverTimeOf(plan, simulation);
  // Names are the user's: nothing in them may end the script.
  const std::string data = absl::StrReplaceAll(json.dump(), {{"<", "\\u003c"}});
  return absl::StrCat(PageParts()[0], data, PageParts()[1]);
}

namespace {

Json Facts(const plan::Plan& plan, const cluster::Cluster& cluster,
           const Simulation& simulation) {
  const auto tokens = static_cast<double>(simulation.tokens);
  return {{"model", plan.model_name()},
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
}

}  // namespace
}  // namespace mpc::runtime
