// Reads the plan and the data, trains, and reports.
#include "runtime/train/train_command.h"

#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <memory>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "runtime/checker/load_checked_plan.h"
#include "runtime/cli/command_line.h"
#include "runtime/cli/command_main.h"
#include "runtime/cli/files.h"
#include "runtime/cli/text_table.h"
#include "runtime/data/data_options.h"
#include "runtime/executor/launch.h"
#include "runtime/plan/mesh.h"
#include "runtime/status_macros.h"
#include "runtime/train/digest.h"
#include "runtime/train/progress.h"
#include "runtime/train/run_log.h"
#include "runtime/train/run_processes.h"
#include "runtime/train/stop_signal.h"
#include "runtime/train/train.h"

namespace mpc::runtime {
namespace {

struct Options {
  std::string plan_path;
  DataOptions data;
  int64_t steps = 100;
  int64_t seed = 1;
  int64_t threads_per_rank = 0;
  std::string log_path;
  ProcessOptions processes;
};

// Averages over the run, so that one slow step does not move the estimate.
class RemainingTime {
 public:
  explicit RemainingTime(const plan::Training& training)
      : tokens_per_step_(training.global_batch() * training.sequence_length()) {
  }

  double After(const StepRecord& record, int64_t steps) {
    seconds_ += tokens_per_step_ / record.tokens_per_second;
    return seconds_ / record.step * (steps - record.step);
  }

 private:
  double tokens_per_step_;
  double seconds_ = 0;
};

/// One of several processes, which leaves the reports to that of rank 0.
absl::Status TrainSilently(const plan::Plan& plan, const BatchSource& source,
                           TrainOptions train) {
  const StopSignal stop(/*has_launcher=*/true);
  // All ranks give their part of the digest.
  train.at_end = [](const std::string& digest) {};
  return Train(plan, source, train);
}

absl::Status TrainWithReports(const plan::Plan& plan, const BatchSource& source,
                              const Options& options, TrainOptions train) {
  std::unique_ptr<RunLog> log;
  if (!options.log_path.empty()) {
    MPC_ASSIGN_OR_RETURN(log, RunLog::Open(options.log_path));
  }
  const StopSignal stop(train.host->processes() > 1);
  Progress progress(stderr, isatty(STDERR_FILENO), options.steps);
  progress.Print(absl::StrCat(
      "training ", plan.model_name(), " (", FormatCount(plan.parameter_count()),
      " parameters) for ", options.steps,
      options.steps == 1 ? " step" : " steps", ": ranks ",
      RankCount(plan.mesh()), ", threads a rank ", train.threads_per_rank,
      ", memory ", FormatBytes(RequiredBytes(plan))));
  RemainingTime remaining(plan.training());
  int64_t done = 0;
  train.stop = [] { return StopSignal::requested(); };
  train.after_step = [&](const StepRecord& record) -> absl::Status {
    done = record.step;
    if (log) MPC_RETURN_IF_ERROR(log->Append(record));
    progress.Show(record, remaining.After(record, options.steps));
    if (!std::isfinite(record.loss)) {
      progress.Print(absl::StrFormat(
          "warning: the loss of step %d is %f; training goes on", record.step,
          record.loss));
    }
    return absl::OkStatus();
  };
  std::string digest;
  train.at_end = [&](const std::string& of_all) { digest = of_all; };
  MPC_RETURN_IF_ERROR(Train(plan, source, train));
  if (log) MPC_RETURN_IF_ERROR(log->Close());
  if (done < options.steps) {
    progress.Print(absl::StrCat("stopped on request after step ", done, " of ",
                                options.steps));
  }
  progress.Print(absl::StrCat("digest of the state of all ranks: ", digest));
  progress.Print(
      "nothing was saved: this version of mpc-run writes no checkpoints");
  return absl::OkStatus();
}

/// What a run reads.
struct Inputs {
  plan::Plan plan;
  std::unique_ptr<BatchSource> source;
};

absl::Status ReadInputs(const Options& options, const RunProcesses& processes,
                        Inputs& inputs, TrainOptions& train) {
  MPC_RETURN_IF_ERROR(CheckIsNoInput("log", options.log_path,
                                     {options.plan_path, options.data.path,
                                      options.data.labels_path}));
  MPC_ASSIGN_OR_RETURN(inputs.plan, LoadCheckedPlan(options.plan_path));
  MPC_ASSIGN_OR_RETURN(inputs.source,
                       options.data.Open(inputs.plan.training(), options.seed));
  train.threads_per_rank =
      options.threads_per_rank > 0
          ? static_cast<int>(options.threads_per_rank)
          : processes.DefaultThreads(RankCount(inputs.plan.mesh()));
  return processes.CheckMemory(inputs.plan, train.threads_per_rank, 0, 0, 0);
}

absl::Status RunTraining(const Options& options,
                         const RunProcesses& processes) {
  Inputs inputs;
  TrainOptions train;
  const absl::Status read = ReadInputs(options, processes, inputs, train);
  MPC_RETURN_IF_ERROR(processes.Agree(
      read, inputs.plan,
      absl::StrCat(
          "steps ", options.steps, ", seed ", options.seed, ", data of digest ",
          read.ok() ? DigestOfSamples(*inputs.source, inputs.plan.training())
                    : 0)));
  train.steps = options.steps;
  train.seed = static_cast<uint32_t>(options.seed);
  train.host = processes.host;
  train.note = [&](int rank, absl::string_view line) {
    processes.logs->Note(rank, line);
  };
  return processes.reports()
             ? TrainWithReports(inputs.plan, *inputs.source, options, train)
             : TrainSilently(inputs.plan, *inputs.source, train);
}

}  // namespace

int TrainCommand(absl::Span<const std::string> arguments) {
  Options options;
  CommandLine command(
      "mpc-run train",
      "Trains the model of a plan from its initial values. Every rank of the "
      "plan's mesh has an arena of its own and runs as a thread of this "
      "process, or, under mpirun, as a process.");
  command.AddArgument("PLAN", "a plan file; - is standard input",
                      &options.plan_path);
  options.data.AddTo(command, "Required.");
  command.AddInteger("steps", "how many steps to train", 1, INT64_MAX,
                     &options.steps);
  command.AddInteger("seed",
                     "of the initial values, of dropout and of what masked "
                     "language modelling hides; the same seed gives the same "
                     "run on every mesh",
                     0, UINT32_MAX, &options.seed);
  command.AddString("log", "FILE",
                    "a JSON object a step, one a line: step (from 1), loss "
                    "(mean over the step's labels, before the update), "
                    "grad_norm (before clipping), learning_rate, "
                    "tokens_per_second (all positions over wall time). A "
                    "number that is not finite is null; - is standard output. "
                    "An existing file is overwritten, unless another run "
                    "writes it. Without --log there is no log",
                    &options.log_path);
  command.AddInteger("threads-per-rank", "threads that each rank computes with",
                     1, 1024, &options.threads_per_rank,
                     "cores / ranks, at least 1");
  options.processes.AddTo(command);
  command.AddNote(
      "Progress is shown on standard error. Ctrl-C (also SIGTERM and SIGHUP) "
      "ends the run after the current step, with exit code 0; a second one at "
      "once. Nothing is saved: this version writes no checkpoints.");
  command.AddExample(
      "mpc-run train model.plan --data=text.txt --steps=100 "
      "--seed=1 --log=run.jsonl",
      "a hundred steps on a text, byte by byte");
  command.AddExample(
      "mpc-run train model.plan --data=tokens.bin "
      "--data-format=u16 --steps=1000 --log=- | jq .loss",
      "tokens of two bytes; follow the loss");
  command.AddExample("mpirun -n 4 mpc-run train model.plan --data=text.txt",
                     "a plan of four ranks as four processes");
  return RunOnProcesses(
      command, arguments, options.processes,
      [&](const RunProcesses& processes) {
        return RunTraining(options, processes);
      },
      [&]() -> absl::Status {
        if (!options.data.path.empty()) return absl::OkStatus();
        return absl::InvalidArgumentError(
            "missing --data=FILE, the tokens to train on");
      });
}

}  // namespace mpc::runtime
