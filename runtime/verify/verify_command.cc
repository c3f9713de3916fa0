// Reads both plans, runs them in turn and reports.
#include "runtime/verify/verify_command.h"

#include <memory>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "runtime/checker/load_checked_plan.h"
#include "runtime/cli/command_line.h"
#include "runtime/cli/command_main.h"
#include "runtime/data/data_options.h"
#include "runtime/executor/launch.h"
#include "runtime/plan/mesh.h"
#include "runtime/status_macros.h"
#include "runtime/train/digest.h"
#include "runtime/train/machine.h"
#include "runtime/train/run_processes.h"
#include "runtime/verify/verify.h"

namespace mpc::runtime {
namespace {

struct Options {
  std::string plan_path;
  std::string reference_path;
  DataOptions data;
  int64_t steps = 3;
  int64_t seed = 1;
  int64_t threads_per_rank = 0;
  bool free_run = false;
  bool exact = false;
  ProcessOptions processes;
};

absl::StatusOr<std::unique_ptr<BatchSource>> OpenSource(
    const Options& options, const plan::Training& training) {
  if (!options.data.path.empty())
    return options.data.Open(training, options.seed);
  return MakeUpSamples(training, options.seed);
}

absl::Status PrintReport(const StepReport& report) {
  std::string line =
      absl::StrFormat("step %d: loss %.7g, the reference's %.7g; ", report.step,
                      report.loss, report.reference_loss);
  if (report.worst.empty()) {
    absl::StrAppend(&line, report.compared, " tensors are equal to the bit");
  } else {
    absl::StrAppendFormat(
        &line, "%d tensors within tolerance, nearest to it at %.2g%%: %s",
        report.compared, 100 * report.worst_share, report.worst);
  }
  return WriteOutput(line + "\n");
}

/// What a run reads.
struct Inputs {
  plan::Plan plan;
  plan::Plan reference;
  std::unique_ptr<BatchSource> source;
};

absl::Status ReadInputs(const Options& options, const RunProcesses& processes,
                        Inputs& inputs, VerifyOptions& verify) {
  MPC_ASSIGN_OR_RETURN(inputs.plan, LoadCheckedPlan(options.plan_path));
  MPC_ASSIGN_OR_RETURN(inputs.reference,
                       LoadCheckedPlan(options.reference_path));
  MPC_ASSIGN_OR_RETURN(inputs.source,
                       OpenSource(options, inputs.plan.training()));
  const bool has_threads = options.threads_per_rank > 0;
  verify.threads_per_rank =
      has_threads ? static_cast<int>(options.threads_per_rank)
                  : processes.DefaultThreads(RankCount(inputs.plan.mesh()));
  verify.reference_threads = has_threads
                                 ? static_cast<int>(options.threads_per_rank)
                                 : DefaultThreadsPerRank(1);
  if (!processes.reports())
    return processes.CheckMemory(inputs.plan, verify.threads_per_rank, 0, 0, 0);
  return processes.CheckMemory(
      inputs.plan, verify.threads_per_rank, RequiredBytes(inputs.reference),
      RankCount(inputs.reference.mesh()), verify.reference_threads);
}

absl::Status RunVerification(const Options& options,
                             const RunProcesses& processes) {
  Inputs inputs;
  VerifyOptions verify;
  const absl::Status read = ReadInputs(options, processes, inputs, verify);
  MPC_RETURN_IF_ERROR(processes.Agree(
      read, inputs.plan,
      absl::StrCat("a reference of checksum ", inputs.reference.checksum(),
                   ", steps ", options.steps, ", seed ", options.seed,
                   options.free_run ? ", free run" : "",
                   options.exact ? ", exact" : "", ", data of digest ",
                   read.ok()
                       ? DigestOfSamples(*inputs.source, inputs.plan.training())
                       : 0)));
  verify.steps = options.steps;
  verify.seed = static_cast<uint32_t>(options.seed);
  verify.host = processes.host;
  verify.note = [&](int rank, absl::string_view line) {
    processes.logs->Note(rank, line);
  };
  verify.check.exact = options.exact;
  verify.check.free_run = options.free_run;
  verify.after_step = PrintReport;
  MPC_RETURN_IF_ERROR(
      Verify(inputs.plan, inputs.reference, *inputs.source, verify));
  if (!processes.reports()) return absl::OkStatus();
  return WriteOutput(absl::StrCat(
      "verified: ", options.steps, " steps of ", inputs.plan.model_name(),
      " with \"", inputs.plan.strategy(), "\" on ranks: ",
      RankCount(inputs.plan.mesh()), " agree with the reference\n"));
}

}  // namespace

int VerifyCommand(absl::Span<const std::string> arguments) {
  Options options;
  CommandLine command(
      "mpc-run verify",
      "Runs a plan and a reference plan of the same model and compares all "
      "that the plan names as observable (gradients, gradient norm, loss, "
      "counts), the parameters and the optimizer's state after each update, "
      "and every replica. Succeeds if all agree.");
  command.AddArgument("PLAN", "the plan to verify; - is standard input",
                      &options.plan_path);
  command.AddString("reference", "FILE",
                    "a plan of one rank for the same model and training, "
                    "compiled with reference=true. Required",
                    &options.reference_path);
  command.AddInteger("steps", "how many steps to compare", 1, INT64_MAX,
                     &options.steps);
  options.data.AddTo(command,
                     "Without it, ids and the positions that have a label come "
                     "from --seed, with different numbers of labels a sample");
  command.AddInteger("seed", "of the data, the initial values and dropout", 0,
                     UINT32_MAX, &options.seed);
  command.AddFlag("free-run",
                  "let the plan go on from its own state instead of starting "
                  "each step from the reference's, and compare the losses only "
                  "(to 1e-4 of the reference's) and the replicas",
                  &options.free_run);
  command.AddFlag("exact", "allow no difference at all", &options.exact);
  command.AddInteger(
      "threads-per-rank", "threads that each rank of either plan computes with",
      1, 1024, &options.threads_per_rank, "cores / ranks, at least 1");
  options.processes.AddTo(command);
  command.AddNote(
      "What may differ, a from the plan and b from the reference: a gradient "
      "or first moment |a-b| <= 1e-5 max|b| over the tensor (a second moment "
      "twice that), or 1e-7 of the largest of its kind in the model; a metric "
      "1e-5 |b|; a parameter after the update 1e-5 of the largest change in "
      "its tensor, 4 units in the last place, and what the accepted "
      "differences of moments or gradient explain; counters, integers and "
      "initial values nothing. A plan in bf16 may differ by 8 * 2^-8 max|b| "
      "(f16: 8 * 2^-11) instead of 1e-5, and by an eighth of that instead of "
      "1e-7; gradients of a step that f16 discards are not compared. Replicas "
      "must agree to the bit, and padding "
      "must stay zero. The first difference is printed with index, values, "
      "rank and the op it comes from.");
  command.AddExample(
      "mpc-run verify model.plan --reference=reference.plan --steps=3",
      "three steps on made-up data");
  command.AddExample(
      "mpc-run verify model.plan --reference=reference.plan "
      "--steps=20 --data=text.txt --free-run",
      "does the loss follow the reference's on a text");
  return RunOnProcesses(
      command, arguments, options.processes,
      [&](const RunProcesses& processes) {
        return RunVerification(options, processes);
      },
      [&]() -> absl::Status {
        if (options.reference_path.empty()) {
          return absl::InvalidArgumentError(
              "missing --reference=FILE, the plan to compare with");
        }
        if (options.data.path.empty() && !options.data.labels_path.empty()) {
          return absl::InvalidArgumentError(
              "--labels marks positions of --data, which is not given");
        }
        if (options.data.path.empty() && options.data.format != "bytes") {
          return absl::InvalidArgumentError(
              "--data-format says how --data is read, which is not given");
        }
        return absl::OkStatus();
      });
}

}  // namespace mpc::runtime
