// Tables of two columns and their difference.
#include "runtime/inspect/diff.h"

#include <algorithm>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "runtime/cli/text_table.h"
#include "runtime/inspect/names.h"
#include "runtime/plan/mesh.h"

namespace mpc::runtime {
namespace {

using Align = TextTable::Align;
using Counts = std::map<std::string, int64_t>;

std::string Change(int64_t before, int64_t after, bool is_bytes) {
  const int64_t change = after - before;
  const std::string size =
      is_bytes ? FormatBytes(std::abs(change)) : FormatCount(std::abs(change));
  std::string out = absl::StrCat(change < 0 ? "-" : "+", size);
  if (before != 0 && after != 0)
    absl::StrAppend(&out,
                    absl::StrFormat(" (%+.1f %%)", 100.0 * change / before));
  return out;
}

/// The rows in which two counts differ; empty if none does.
std::string PrintRows(const std::string& title, const Counts& before,
                      const Counts& after, bool is_bytes) {
  Counts all = before;
  all.insert(after.begin(), after.end());
  TextTable table({{title},
                   {"before", Align::kRight},
                   {"after", Align::kRight},
                   {"change", Align::kRight}});
  auto find = [](const Counts& counts, const std::string& name) {
    const auto found = counts.find(name);
    return found == counts.end() ? int64_t{0} : found->second;
  };
  for (const auto& [name, count] : all) {
    const int64_t old = find(before, name), now = find(after, name);
    if (old == now) continue;
    table.AddRow({name, is_bytes ? FormatBytes(old) : FormatCount(old),
                  is_bytes ? FormatBytes(now) : FormatCount(now),
                  Change(old, now, is_bytes)});
  }
  return table.empty() ? "" : table.Print();
}

Counts MemoryOf(const RoleSummary& role) {
  Counts counts;
  for (const MemoryCategory& category : role.memory.categories)
    counts[category.name] = category.bytes;
  counts["arena"] = role.memory.arena_bytes;
  return counts;
}

Counts CommandsOf(const RoleSummary& role) {
  Counts counts;
  for (const ListSummary& list : role.lists)
    for (const auto& [kind, count] : list.commands_by_kind)
      counts[absl::StrCat(list.name, " ", kind)] += count * list.runs_per_step;
  return counts;
}

Counts CollectivesOf(const RoleSummary& role, bool bytes) {
  Counts counts;
  for (const CollectiveSummary& one : role.collectives)
    counts[absl::StrCat(one.kind, " ", absl::StrJoin(one.axes, " "))] +=
        bytes ? one.payload_bytes_per_step : one.count_per_step;
  return counts;
}

Counts MessagesOf(const PlanSummary& plan, bool bytes) {
  Counts counts;
  for (const ChannelSummary& channel : plan.channels)
    counts[channel.name] =
        bytes ? channel.bytes_per_step : channel.messages_per_step;
  return counts;
}

std::string PrintFacts(const plan::Plan& before, const plan::Plan& after) {
  std::string out;
  auto add = [&](absl::string_view name, const std::string& old,
                 const std::string& now) {
    if (old != now)
      absl::StrAppendFormat(&out, "%-13s  %s\n%-13s  %s\n", name, old, "", now);
  };
  auto describe = [](const plan::Training& training) {
    return absl::StrCat(training.global_batch(), " sequences of ",
                        training.sequence_length(), " tokens, ",
                        training.microbatches(), " microbatches");
  };
  add("model", before.model_name(), after.model_name());
  add("model hash", before.model_hash(), after.model_hash());
  add("parameters", FormatCount(before.parameter_count()),
      FormatCount(after.parameter_count()));
  add("strategy", before.strategy(), after.strategy());
  add("mesh", DescribeMesh(before.mesh()), DescribeMesh(after.mesh()));
  add("stages", absl::StrCat(before.roles_size()),
      absl::StrCat(after.roles_size()));
  add("training", describe(before.training()), describe(after.training()));
  add("compiler", before.compiler_version(), after.compiler_version());
  return out;
}

std::string PrintStage(const RoleSummary& before, const RoleSummary& after) {
  std::string out;
  auto add = [&](const std::string& title, const std::string& table) {
    if (!table.empty()) absl::StrAppend(&out, "\n", title, "\n", table);
  };
  add("memory of a rank",
      PrintRows("category", MemoryOf(before), MemoryOf(after), true));
  add("collectives of a rank in a step",
      PrintRows("kind and axes", CollectivesOf(before, false),
                CollectivesOf(after, false), false));
  add("their bytes", PrintRows("kind and axes", CollectivesOf(before, true),
                               CollectivesOf(after, true), true));
  add("commands of a rank in a step",
      PrintRows("list and kind", CommandsOf(before), CommandsOf(after), false));
  return out;
}

}  // namespace

std::string PrintDiff(const plan::Plan& before, const PlanSummary& before_facts,
                      const plan::Plan& after, const PlanSummary& after_facts) {
  std::string out = PrintFacts(before, after);
  const std::string messages =
      PrintRows("channel", MessagesOf(before_facts, false),
                MessagesOf(after_facts, false), false);
  const std::string bytes = PrintRows("channel", MessagesOf(before_facts, true),
                                      MessagesOf(after_facts, true), true);
  if (!messages.empty()) absl::StrAppend(&out, "\nmessages\n", messages);
  if (!bytes.empty()) absl::StrAppend(&out, "\nbytes of messages\n", bytes);
  const size_t stages =
      std::max(before_facts.roles.size(), after_facts.roles.size());
  auto role = [](const PlanSummary& plan, size_t stage) {
    return stage < plan.roles.size() ? plan.roles[stage] : RoleSummary();
  };
  for (size_t stage = 0; stage < stages; ++stage) {
    const std::string text =
        PrintStage(role(before_facts, stage), role(after_facts, stage));
    if (text.empty()) continue;
    if (stages > 1) absl::StrAppend(&out, "\npipeline stage ", stage, "\n");
    absl::StrAppend(&out, text);
  }
  return out.empty() ? "the plans do the same\n" : out;
}

}  // namespace mpc::runtime
