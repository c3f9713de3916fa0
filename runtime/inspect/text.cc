// The facts of a plan for people: short facts first, long tables last.
#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "runtime/cli/text_table.h"
#include "runtime/inspect/names.h"
#include "runtime/inspect/schedule_picture.h"
#include "runtime/inspect/summary.h"
#include "runtime/plan/layout.h"
#include "runtime/plan/mesh.h"

namespace mpc::runtime {
namespace {

using Align = TextTable::Align;

std::string DescribeTarget(const plan::Target& target) {
  std::string out = DeviceKindName(target.device());
  if (!target.triple().empty()) absl::StrAppend(&out, ", ", target.triple());
  if (!target.cpu_features().empty())
    absl::StrAppend(&out, ", ", absl::StrJoin(target.cpu_features(), " "));
  absl::StrAppend(&out, "; ", target.kernels_size(), " kernels, ",
                  FormatBytes(target.object().size()));
  return out;
}

std::string DescribeTraining(const plan::Training& training) {
  std::string out = absl::StrCat(
      training.global_batch(), " sequences of ", training.sequence_length(),
      " tokens a step, ", training.microbatches(), " microbatches, vocabulary ",
      training.vocabulary());
  if (training.has_masking()) {
    const plan::Masking& masking = training.masking();
    absl::StrAppend(&out, "; ", 100 * masking.rate(),
                    " % of tokens are hidden, mask token ",
                    masking.mask_token());
    if (masking.has_pad_token())
      absl::StrAppend(&out, ", padding ", masking.pad_token());
  }
  return out;
}

std::string DescribeLearningRate(const plan::LearningRate& rate) {
  std::string out = absl::StrCat(rate.learning_rate());
  if (rate.warmup_steps() > 0)
    absl::StrAppend(&out, " after ", rate.warmup_steps(), " steps of warm-up");
  if (rate.decay_steps() > 0) {
    absl::StrAppend(&out, ", cosine to ", rate.min_learning_rate(), " at step ",
                    rate.decay_steps());
  } else {
    absl::StrAppend(&out, ", then constant");
  }
  return out;
}

std::string PrintMemory(const MemorySummary& memory) {
  TextTable table(
      {{"category"}, {"bytes", Align::kRight}, {"", Align::kRight}});
  for (const MemoryCategory& category : memory.categories) {
    if (category.bytes == 0) continue;
    table.AddRow({category.name, FormatCount(category.bytes),
                  FormatBytes(category.bytes)});
  }
  table.AddRow({"arena", FormatCount(memory.arena_bytes),
                FormatBytes(memory.arena_bytes)});
  return table.Print();
}

std::string PrintCollectives(const std::vector<CollectiveSummary>& all) {
  if (all.empty()) return "  none\n";
  TextTable table({{"list"},
                   {"kind"},
                   {"axes"},
                   {"members", Align::kRight},
                   {"count", Align::kRight},
                   {"bytes", Align::kRight},
                   {"", Align::kRight}});
  int64_t count = 0;
  uint64_t bytes = 0;
  for (const CollectiveSummary& c : all) {
    const std::string kind =
        c.reduction.empty() ? c.kind : absl::StrCat(c.kind, " ", c.reduction);
    table.AddRow({c.list, kind, absl::StrJoin(c.axes, " "),
                  FormatCount(c.group_size), FormatCount(c.count_per_step),
                  FormatCount(c.payload_bytes_per_step),
                  FormatBytes(c.payload_bytes_per_step)});
    count += c.count_per_step;
    bytes += c.payload_bytes_per_step;
  }
  table.AddRow({"total", "", "", "", FormatCount(count), FormatCount(bytes),
                FormatBytes(bytes)});
  return table.Print();
}

std::string PrintChannels(const std::vector<ChannelSummary>& channels) {
  if (channels.empty()) return "  none\n";
  TextTable table({{"name"},
                   {"from stage", Align::kRight},
                   {"to stage", Align::kRight},
                   {"messages", Align::kRight},
                   {"bytes", Align::kRight},
                   {"", Align::kRight}});
  for (const ChannelSummary& c : channels)
    table.AddRow(
        {c.name, absl::StrCat(c.source_stage),
         absl::StrCat(c.destination_stage), FormatCount(c.messages_per_step),
         FormatCount(c.bytes_per_step), FormatBytes(c.bytes_per_step)});
  return table.Print();
}

// Runs on like text: `forward:3@1` is the list's run for microbatch 3 in
// slot 1.
std::string PrintSchedule(const std::vector<ScheduleSummary>& schedule) {
  constexpr size_t kWidth = 80;
  std::string out, line = " ";
  for (const ScheduleSummary& entry : schedule) {
    const std::string word =
        absl::StrCat(" ", entry.list, ":", entry.microbatch, "@", entry.slot);
    if (line.size() + word.size() > kWidth && line.size() > 1) {
      absl::StrAppend(&out, line, "\n");
      line = " ";
    }
    line += word;
  }
  return absl::StrCat(out, line, "\n");
}

std::string PrintLists(const std::vector<ListSummary>& lists) {
  std::set<std::string> kinds;
  for (const ListSummary& list : lists)
    for (const auto& [kind, count] : list.commands_by_kind) kinds.insert(kind);
  std::vector<TextTable::Column> columns = {{"list"},
                                            {"phase"},
                                            {"variant"},
                                            {"runs a step", Align::kRight},
                                            {"commands", Align::kRight}};
  for (const std::string& kind : kinds)
    columns.push_back({kind, Align::kRight});
  TextTable table(std::move(columns));
  for (const ListSummary& list : lists) {
    std::vector<std::string> row = {list.name, list.phase, list.variant,
                                    FormatCount(list.runs_per_step),
                                    FormatCount(list.commands)};
    for (const std::string& kind : kinds) {
      const auto found = list.commands_by_kind.find(kind);
      row.push_back(found == list.commands_by_kind.end()
                        ? ""
                        : FormatCount(found->second));
    }
    table.AddRow(std::move(row));
  }
  return table.Print();
}

std::string PrintParameters(const std::vector<ParameterSummary>& parameters) {
  TextTable table({{"name"},
                   {"shape"},
                   {"padded"},
                   {"type"},
                   {"storage"},
                   {"compute"},
                   {"bytes", Align::kRight}});
  for (const ParameterSummary& p : parameters) {
    const bool same = p.compute_sharding == p.storage_sharding;
    table.AddRow(
        {p.name, DescribeSizes(p.logical_sizes),
         p.global_sizes == p.logical_sizes ? "" : DescribeSizes(p.global_sizes),
         p.type, p.storage_sharding, same ? "same" : p.compute_sharding,
         FormatCount(p.bytes_per_rank)});
  }
  return table.Print();
}

}  // namespace

std::string PrintText(const plan::Plan& plan, const PlanSummary& summary) {
  const int64_t ranks = RankCount(plan.mesh());
  std::string out;
  auto add = [&out](absl::string_view title, const std::string& text) {
    absl::StrAppendFormat(&out, "%-13s  %s\n", title, text);
  };
  add("model",
      absl::StrCat(plan.model_name(), ", ", FormatCount(plan.parameter_count()),
                   " parameters"));
  add("strategy", plan.strategy());
  add("mesh", ranks == 1 ? DescribeMesh(plan.mesh())
                         : absl::StrCat(DescribeMesh(plan.mesh()), ", ", ranks,
                                        " ranks"));
  add("training", DescribeTraining(plan.training()));
  add("learning rate", DescribeLearningRate(plan.training().learning_rate()));
  add("target", DescribeTarget(plan.target()));
  add("model hash", plan.model_hash());
  add("compiler", plan.compiler_version());
  if (!plan.remarks().empty()) absl::StrAppend(&out, "\nremarks\n");
  for (const plan::Remark& remark : plan.remarks())
    absl::StrAppend(&out, "  ", remark.location(),
                    remark.location().empty() ? "" : ": ", remark.text(), "\n");
  // With one stage neither of what only a pipeline has.
  const bool is_pipeline = summary.roles.size() > 1;
  if (is_pipeline)
    absl::StrAppend(&out, "\npipeline\n", PrintSchedulePicture(plan),
                    "\nchannels, between two ranks in a step\n",
                    PrintChannels(summary.channels));
  for (const RoleSummary& role : summary.roles) {
    if (is_pipeline)
      absl::StrAppend(&out, "\npipeline stage ", role.stage, "\n");
    absl::StrAppend(&out, "\nmemory of a rank\n", PrintMemory(role.memory));
    absl::StrAppend(&out, "\ncollectives of a rank in a step\n",
                    PrintCollectives(role.collectives));
    absl::StrAppend(&out, "\ncommands\n", PrintLists(role.lists));
    if (is_pipeline)
      absl::StrAppend(&out, "\nschedule (list:microbatch@slot)\n",
                      PrintSchedule(role.schedule));
    absl::StrAppend(&out, "\nparameters (bytes on a rank, with moments, ",
                    "gradient and compute copy)\n",
                    PrintParameters(role.parameters));
  }
  return out;
}

}  // namespace mpc::runtime
