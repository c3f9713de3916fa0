// Prints what a plan says, without running it.
#include "runtime/inspect/inspect_command.h"

#include <csignal>

#include "runtime/cli/command_line.h"
#include "runtime/cli/command_main.h"
#include "runtime/inspect/diff.h"
#include "runtime/inspect/summary.h"
#include "runtime/plan/plan_reader.h"
#include "runtime/status_macros.h"

namespace mpc::runtime {

int InspectCommand(absl::Span<const std::string> arguments) {
  std::string path;
  std::string format = "text";
  std::string before;
  CommandLine command(
      "mpc-run inspect",
      "Prints what a plan contains: mesh, parameter layouts, commands, "
      "collectives with their bytes, memory by category.");
  command.AddArgument("PLAN", "a plan file; - is standard input", &path);
  command.AddChoice("format", {"text", "json"},
                    "text for people, or json with the keys that "
                    "docs/inspect-json.md documents",
                    &format);
  command.AddString("diff", "PLAN",
                    "instead print what another plan does differently: that is "
                    "before, PLAN is after. Default: prints PLAN",
                    &before);
  command.AddExample("mpc-run inspect model.plan", "what is in a plan");
  command.AddExample(
      "mpc-opt --mpc-compile=\"tp=2\" model.mlir | mpc-translate "
      "--export-plan | mpc-run inspect -",
      "straight from the compiler");
  command.AddExample(
      "mpc-run inspect model.plan --format=json | jq "
      ".roles[0].memory.arena_bytes",
      "one number for a script");
  command.AddExample("mpc-run inspect --diff tp2.plan tp4.plan",
                     "what changes from the first to the second");
  // `| head` has read enough: nothing to complain of, as with other filters.
  std::signal(SIGPIPE, SIG_DFL);
  return RunCommand(
      command, arguments,
      [&]() -> absl::Status {
        MPC_ASSIGN_OR_RETURN(const plan::Plan plan, LoadPlan(path));
        MPC_ASSIGN_OR_RETURN(const PlanSummary summary, Summarize(plan));
        if (!before.empty()) {
          MPC_ASSIGN_OR_RETURN(const plan::Plan old, LoadPlan(before));
          MPC_ASSIGN_OR_RETURN(const PlanSummary old_summary, Summarize(old));
          return WriteOutput(PrintDiff(old, old_summary, plan, summary));
        }
        return WriteOutput(format == "json" ? PrintJson(plan, summary)
                                            : PrintText(plan, summary));
      },
      [&]() -> absl::Status {
        if (!before.empty() && format == "json")
          return absl::InvalidArgumentError(
              "--diff is printed as text, expected no --format=json");
        return absl::OkStatus();
      });
}

}  // namespace mpc::runtime
