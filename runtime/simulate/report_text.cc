// The report as text.
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "runtime/cli/text_table.h"
#include "runtime/inspect/names.h"
#include "runtime/plan/mesh.h"
#include "runtime/simulate/report.h"

namespace mpc::runtime {
namespace {

using Align = TextTable::Align;

std::string Percent(double part, double whole) {
  return absl::StrFormat("%.1f %%", whole > 0 ? 100 * part / whole : 0.0);
}

// Three digits.
std::string Digits(double value) {
  if (value == 0) return "0";
  // What rounding makes of it may have a digit more.
  const double unit = std::pow(10, std::floor(std::log10(std::abs(value))) - 2);
  const double rounded = std::round(value / unit) * unit;
  const int whole =
      static_cast<int>(std::floor(std::log10(std::abs(rounded) * 1.0001))) + 1;
  return absl::StrFormat("%.*f", std::clamp(3 - whole, 0, 3), rounded);
}

std::string DescribeCluster(const cluster::Cluster& cluster, int64_t ranks) {
  std::string out = absl::StrCat(cluster.name(), ", ", FormatCount(ranks),
                                 " of ", FormatCount(cluster.devices()),
                                 " devices, ", cluster.device().name());
  for (const cluster::Link& link : cluster.links())
    absl::StrAppend(&out, "; ", link.name(), " ",
                    FormatBytes(link.bytes_per_second()), "/s");
  absl::StrAppend(&out,
                  cluster.measured() ? "; measured" : "; not measured here");
  return out;
}

std::string PrintTimes(const Simulation& simulation) {
  TextTable table({{"stage"},
                   {"compute", Align::kRight},
                   {"products", Align::kRight},
                   {"attention", Align::kRight},
                   {"kernels", Align::kRight},
                   {"exposed", Align::kRight},
                   {"bubble", Align::kRight},
                   {"hidden", Align::kRight},
                   {"", Align::kRight}});
  const double step = simulation.step_seconds;
  for (const RankTime& time : simulation.rank_times)
    table.AddRow({absl::StrCat(time.stage),
                  FormatSeconds(time.computing.total()),
                  FormatSeconds(time.computing.products),
                  FormatSeconds(time.computing.attention),
                  FormatSeconds(time.computing.kernels),
                  FormatSeconds(time.exposed_seconds()),
                  FormatSeconds(time.bubble_seconds),
                  FormatSeconds(time.hidden_seconds()),
                  Percent(time.computing.total(), step)});
  return table.Print();
}

std::string PrintCommunication(const Simulation& simulation) {
  TextTable table({{"kind"},
                   {"count", Align::kRight},
                   {"bytes", Align::kRight},
                   {"exposed", Align::kRight},
                   {"hidden", Align::kRight},
                   {"most exposed", Align::kRight}});
  const double ranks = static_cast<double>(simulation.rank_times.size());
  for (size_t i = 0; i < simulation.categories.size(); ++i) {
    double count = 0, bytes = 0, exposed = 0, hidden = 0, most = -1;
    int stage = 0;
    for (const RankTime& time : simulation.rank_times) {
      const CommunicationTime& one = time.communication[i];
      count += static_cast<double>(one.count) / ranks;
      bytes += static_cast<double>(one.bytes) / ranks;
      exposed += one.exposed_seconds / ranks;
      hidden += one.hidden_seconds / ranks;
      if (one.exposed_seconds > most) {
        most = one.exposed_seconds;
        stage = time.stage;
      }
    }
    if (count == 0) continue;
    table.AddRow({simulation.categories[i],
                  absl::StrFormat("%.6g", std::round(10 * count) / 10),
                  FormatBytes(static_cast<uint64_t>(bytes)),
                  FormatSeconds(exposed), FormatSeconds(hidden),
                  absl::StrCat(FormatSeconds(most), " in stage ", stage)});
  }
  return table.empty() ? "  none\n" : table.Print();
}

std::string PrintMemory(const Simulation& simulation) {
  TextTable table({{"stage"},
                   {"persistent", Align::kRight},
                   {"slots in use", Align::kRight},
                   {"a slot", Align::kRight},
                   {"transient", Align::kRight},
                   {"peak in use", Align::kRight},
                   {"allocated", Align::kRight},
                   {"of the device", Align::kRight}});
  for (size_t stage = 0; stage < simulation.memory.size(); ++stage) {
    const StageMemory& memory = simulation.memory[stage];
    table.AddRow(
        {absl::StrCat(stage), FormatBytes(memory.persistent_bytes),
         absl::StrCat(memory.slots_in_use), FormatBytes(memory.slot_bytes),
         FormatBytes(memory.transient_bytes), FormatBytes(memory.peak_bytes),
         FormatBytes(memory.arena_bytes),
         Percent(static_cast<double>(memory.arena_bytes),
                 static_cast<double>(simulation.usable_bytes))});
  }
  return table.Print();
}

/// The mean share of the step over ranks of one part of their time.
template <typename Part>
double Mean(const Simulation& simulation, const Part& part) {
  double sum = 0;
  for (const RankTime& time : simulation.rank_times) sum += part(time);
  return sum / static_cast<double>(simulation.rank_times.size());
}

std::string TypeName(cluster::ElementType type) {
  switch (type) {
    case cluster::ElementType::kF32:
      return "f32";
    case cluster::ElementType::kBf16:
      return "bf16";
    case cluster::ElementType::kF16:
      return "f16";
  }
  return "";
}

}  // namespace

std::string FormatSeconds(double seconds) {
  if (seconds >= 0.9995) return absl::StrCat(Digits(seconds), " s");
  if (seconds >= 0.9995e-3) return absl::StrCat(Digits(seconds * 1e3), " ms");
  if (seconds < 0.5e-9) return "0";
  return absl::StrCat(Digits(seconds * 1e6), " us");
}

std::string PrintSimulation(const plan::Plan& plan,
                            const cluster::Cluster& cluster,
                            const Simulation& simulation) {
  std::string out;
  auto add = [&out](absl::string_view title, const std::string& text) {
    absl::StrAppendFormat(&out, "%-11s  %s\n", title, text);
  };
  const double step = simulation.step_seconds;
  const double rate = static_cast<double>(simulation.tokens) / step;
  add("model",
      absl::StrCat(plan.model_name(), ", ", FormatCount(plan.parameter_count()),
                   " parameters"));
  add("strategy", plan.strategy());
  add("mesh", DescribeMesh(plan.mesh()));
  add("cluster", DescribeCluster(cluster, simulation.ranks));
  add("step", absl::StrCat(FormatSeconds(step), ", ",
                           FormatCount(simulation.tokens), " tokens"));
  add("tokens",
      absl::StrFormat("%s a second, %s a second and device",
                      FormatCount(static_cast<int64_t>(rate)),
                      Digits(rate / static_cast<double>(simulation.ranks))));
  add("utilisation",
      absl::StrFormat("model %.1f %%, hardware %.1f %% of %s TFLOP/s (%s)",
                      100 * simulation.model_flops_utilisation,
                      100 * simulation.hardware_flops_utilisation,
                      Digits(simulation.peak_flops / 1e12),
                      TypeName(simulation.type)));
  add("time",
      absl::StrCat(
          "compute ",
          Percent(Mean(simulation, [](auto& t) { return t.computing.total(); }),
                  step),
          ", exposed communication ",
          Percent(Mean(simulation, [](auto& t) { return t.exposed_seconds(); }),
                  step),
          ", bubble ",
          Percent(Mean(simulation, [](auto& t) { return t.bubble_seconds; }),
                  step)));
  if (const int stage = simulation.OverflowingStage(); stage >= 0)
    add("memory",
        absl::StrCat("stage ", stage, " allocates ",
                     FormatBytes(simulation.memory[stage].arena_bytes),
                     ", a device has ", FormatBytes(simulation.usable_bytes),
                     ": it does not fit"));
  absl::StrAppend(&out, "\ntime of a rank in a step\n", PrintTimes(simulation),
                  "\ncommunication of a rank in a step, mean of stages\n",
                  PrintCommunication(simulation), "\nmemory of a rank\n",
                  PrintMemory(simulation));
  return out;
}

}  // namespace mpc::runtime
