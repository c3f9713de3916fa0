// Trace events, a line each, in the JSON array that viewers read.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "runtime/inspect/names.h"
#include "runtime/simulate/report.h"

namespace mpc::runtime {
namespace {

/// A text of ours or of the plan as JSON.
std::string Quote(absl::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (static_cast<unsigned char>(c) >= 0x20) out += c;
  }
  return out + "\"";
}

class Trace {
 public:
  void Name(const char* what, size_t process, size_t thread,
            const std::string& name) {
    Line(absl::StrFormat(
        R"({"ph":"M","name":"%s","pid":%u,"tid":%u,"args":{"name":%s}})", what,
        process, thread, Quote(name)));
  }

  // Microseconds.
  void Span(size_t process, size_t thread, const std::string& name,
            double begin, double end, const std::string& arguments) {
    Line(absl::StrFormat(
        R"({"ph":"X","name":%s,"pid":%u,"tid":%u,"ts":%.3f,"dur":%.3f,"args":{%s}})",
        Quote(name), process, thread, begin * 1e6, (end - begin) * 1e6,
        arguments));
  }

  std::string Take() && { return absl::StrCat(text_, "\n]}\n"); }

 private:
  void Line(const std::string& line) {
    absl::StrAppend(&text_, is_first_ ? "\n" : ",\n", line);
    is_first_ = false;
  }

  std::string text_ = R"({"displayTimeUnit":"ms","traceEvents":[)";
  bool is_first_ = true;
};

}  // namespace

std::string PrintTrace(const plan::Plan& plan, const Simulation& simulation) {
  Trace trace;
  const bool folded =
      simulation.timelines.size() == static_cast<size_t>(plan.roles_size());
  for (size_t rank = 0; rank < simulation.timelines.size(); ++rank) {
    const plan::Role& role = plan.roles(simulation.rank_times[rank].stage);
    const Timeline& timeline = simulation.timelines[rank];
    trace.Name("process_name", rank, 0,
               folded ? absl::StrCat("stage ", rank)
                      : absl::StrCat("rank ", rank, ", stage ", role.stage()));
    trace.Name("thread_name", rank, 0, "lists");
    trace.Name("thread_name", rank, 1, "waits");
    for (size_t i = 0; i < simulation.categories.size(); ++i)
      if (simulation.rank_times[rank].communication[i].count > 0)
        trace.Name("thread_name", rank, i + 2, simulation.categories[i]);
    for (const ListSpan& span : timeline.lists) {
      const plan::CommandList& list = role.lists(span.list);
      trace.Span(
          rank, 0,
          list.phase() == plan::PHASE_TRANSFER
              ? list.name()
              : absl::StrCat(PhaseName(list.phase()), " ", span.microbatch),
          span.begin, span.end,
          absl::StrCat("\"list\":", Quote(list.name()),
                       ",\"microbatch\":", span.microbatch));
    }
    for (const WaitSpan& span : timeline.waits)
      trace.Span(rank, 1,
                 absl::StrCat(span.is_bubble ? "bubble, " : "",
                              simulation.categories[span.category]),
                 span.begin, span.end, "");
    for (const TransferSpan& span : timeline.transfers)
      trace.Span(rank, span.category + 2, simulation.categories[span.category],
                 span.begin, span.end, absl::StrCat("\"bytes\":", span.bytes));
  }
  return std::move(trace).Take();
}

}  // namespace mpc::runtime
