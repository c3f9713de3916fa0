// How long a step of a plan takes on a cluster that need not be there.
#include "runtime/simulate/simulate_command.h"

#include <cmath>
#include <csignal>
#include <fstream>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "cluster/read_cluster.h"
#include "runtime/cli/command_line.h"
#include "runtime/cli/command_main.h"
#include "runtime/cli/files.h"
#include "runtime/cli/text_table.h"
#include "runtime/plan/mesh.h"
#include "runtime/plan/plan_reader.h"
#include "runtime/simulate/assumptions.h"
#include "runtime/simulate/report.h"
#include "runtime/simulate/simulate.h"
#include "runtime/status_macros.h"

namespace mpc::runtime {
namespace {

struct Options {
  std::string path;
  std::string machine;
  std::string cluster_file;
  int64_t devices = 0;
  std::string format = "text";
  std::string fold = "true";
  bool allow_overflow = false;
  std::string assume;
  std::string trace;
  std::string html;
};

absl::Status WriteFile(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  if (!file.flush())
    return absl::PermissionDeniedError(
        absl::StrCat(path, ": cannot be written"));
  return absl::OkStatus();
}

absl::StatusOr<cluster::Cluster> ClusterOf(const Options& options,
                                           int64_t ranks) {
  cluster::Cluster found;
  if (!options.cluster_file.empty()) {
    MPC_ASSIGN_OR_RETURN(const std::string text,
                         ReadFile(options.cluster_file));
    auto parsed = cluster::ParseCluster(text);
    if (!parsed.ok())
      return absl::InvalidArgumentError(
          absl::StrCat(options.cluster_file, ": ", parsed.status().message()));
    found = *std::move(parsed);
  } else {
    MPC_ASSIGN_OR_RETURN(found, cluster::Machine(options.machine));
    // A machine is bought as often as the plan needs it.
    const int64_t own = found.devices();
    if (found.links(found.links_size() - 1).devices() == 0)
      found.set_devices((ranks + own - 1) / own * own);
  }
  if (options.devices > 0) found.set_devices(options.devices);
  if (absl::Status valid = cluster::CheckCluster(found); !valid.ok())
    return absl::InvalidArgumentError(
        absl::StrCat("cluster ", found.name(), ": ", valid.message()));
  return found;
}

absl::Status CheckFit(const Simulation& simulation, bool allow_overflow) {
  const int stage = simulation.OverflowingStage();
  if (stage < 0 || allow_overflow) return absl::OkStatus();
  return absl::ResourceExhaustedError(absl::StrCat(
      "a rank of stage ", stage, " allocates ",
      FormatBytes(simulation.memory[stage].arena_bytes), ", a device has ",
      FormatBytes(simulation.usable_bytes),
      " to use; --allow-overflow simulates the plan all the same"));
}

/// Opening a file to write it empties it.
absl::Status CheckOutputs(const Options& options) {
  for (const auto& [what, path] :
       {std::pair("trace", options.trace), std::pair("html", options.html)}) {
    if (path == "-")
      return absl::InvalidArgumentError(absl::StrCat(
          what, " -: standard output has the report; expected a file"));
    MPC_RETURN_IF_ERROR(
        CheckIsNoInput(what, path, {options.path, options.cluster_file}));
  }
  if (!options.trace.empty() && options.trace == options.html)
    return absl::InvalidArgumentError(absl::StrCat(
        "html and trace are both ", options.html, "; expected two files"));
  return absl::OkStatus();
}

absl::Status Run(const Options& options) {
  MPC_RETURN_IF_ERROR(CheckOutputs(options));
  MPC_ASSIGN_OR_RETURN(plan::Plan plan, LoadPlan(options.path));
  MPC_ASSIGN_OR_RETURN(const Assumptions assumptions,
                       ParseAssumptions(options.assume));
  if (!options.assume.empty()) plan = Assume(std::move(plan), assumptions);
  MPC_ASSIGN_OR_RETURN(const cluster::Cluster cluster,
                       ClusterOf(options, RankCount(plan.mesh())));
  SimulateOptions simulate;
  simulate.fold = options.fold == "true";
  simulate.record = !options.trace.empty() || !options.html.empty();
  MPC_ASSIGN_OR_RETURN(const Simulation simulation,
                       Simulate(plan, cluster::Pricing(cluster), simulate));
  if (!std::isfinite(simulation.step_seconds))
    return absl::InvalidArgumentError(absl::StrCat(
        "a step takes ", simulation.step_seconds, " s on cluster ",
        cluster.name(), ": its numbers are too large or too small"));
  MPC_RETURN_IF_ERROR(CheckFit(simulation, options.allow_overflow));
  if (!options.trace.empty())
    MPC_RETURN_IF_ERROR(WriteFile(options.trace, PrintTrace(plan, simulation)));
  if (!options.html.empty())
    MPC_RETURN_IF_ERROR(WriteFile(
        options.html, PrintSimulationHtml(plan, cluster, simulation)));
  return WriteOutput(options.format == "json"
                         ? PrintSimulationJson(plan, cluster, simulation)
                         : PrintSimulation(plan, cluster, simulation));
}

CommandLine Describe(Options* options) {
  CommandLine command(
      "mpc-run simulate",
      "Predicts how long a step of a plan takes on a cluster, where the time "
      "goes and whether the memory suffices, without any of its devices: the "
      "same commands, schedule and communication run on the clock of a cost "
      "model (docs/cost-model.md). A plan that was compiled for CPUs can be "
      "simulated on any cluster.");
  command.AddArgument("PLAN", "a plan file; - is standard input",
                      &options->path);
  command.AddString("cluster", "NAME",
                    absl::StrCat("a known machine, as many of it as the plan "
                                 "has ranks for: ",
                                 absl::StrJoin(cluster::MachineNames(), ", ")),
                    &options->machine);
  command.AddString("cluster-file", "FILE",
                    "a cluster of yours in text format (cluster/cluster.proto; "
                    "cluster/machines has examples)",
                    &options->cluster_file);
  command.AddInteger("devices", "how many devices the cluster has", 1, 1 << 24,
                     &options->devices, "what the file says");
  command.AddChoice("format", {"text", "json"},
                    "text for people, or json with the keys that "
                    "docs/simulate-json.md documents",
                    &options->format);
  command.AddChoice("fold", {"true", "false"},
                    "simulate one rank of each stage, or every rank",
                    &options->fold);
  command.AddFlag("allow-overflow",
                  "simulate a plan that does not fit the memory of a device",
                  &options->allow_overflow);
  command.AddString("html", "FILE",
                    "also write the step as a page for a browser: pipeline, "
                    "time, memory and communication in pictures. Default: none",
                    &options->html);
  command.AddString("trace", "FILE",
                    "also write what happened when as trace events, for "
                    "ui.perfetto.dev or chrome://tracing. Default: none",
                    &options->trace);
  command.AddString(
      "assume", "LIST",
      absl::StrCat("for comparison with published runs: what their systems do "
                   "and plans do not (docs/cost-model.md), some of ",
                   absl::StrJoin(AssumptionNames(), ",")),
      &options->assume);
  command.AddExample("mpc-run simulate model.plan --cluster=a100_dgx_80gb",
                     "on as many DGX A100 as the plan needs");
  command.AddExample(
      "mpc-run simulate model.plan --cluster-file=mine.textproto "
      "--devices=1024",
      "on a cluster of yours");
  command.AddExample(
      "mpc-run simulate model.plan --cluster=h100_dgx --html=step.html",
      "a page with pictures");
  command.AddExample(
      "mpc-run simulate model.plan --cluster=h100_dgx --format=json | jq "
      ".step_seconds",
      "one number for a script");
  return command;
}

}  // namespace

int SimulateCommand(absl::Span<const std::string> arguments) {
  Options options;
  const CommandLine command = Describe(&options);
  // `| head` has read enough: nothing to complain of, as with other filters.
  std::signal(SIGPIPE, SIG_DFL);
  return RunCommand(
      command, arguments, [&] { return Run(options); },
      [&]() -> absl::Status {
        if (options.machine.empty() == options.cluster_file.empty())
          return absl::InvalidArgumentError(
              "expected one of --cluster and --cluster-file");
        return ParseAssumptions(options.assume).status();
      });
}

}  // namespace mpc::runtime
