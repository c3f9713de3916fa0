//===- main.cpp - the runtime's tool ----------------------------*- C++ -*-===//
//
// mpc-run executes and explains plans. Each subcommand is a function of the
// runtime; here they only get their names.
//
//===----------------------------------------------------------------------===//

#include "runtime/cli/command_line.h"
#include "runtime/cli/command_main.h"
#include "runtime/inspect/inspect_command.h"
#include "runtime/profile/profile_command.h"
#include "runtime/simulate/simulate_command.h"
#include "runtime/train/train_command.h"
#include "runtime/verify/verify_command.h"
#include "tools/version.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

#include <csignal>
#include <fcntl.h>
#include <string>
#include <unistd.h>
#include <vector>

using namespace mpc::runtime;

namespace {

struct Subcommand {
  std::string name;
  std::string summary;
  int (*run)(absl::Span<const std::string> arguments);
};

const std::vector<Subcommand> &subcommands() {
  static const std::vector<Subcommand> table = {
      {"train", "train the model of a plan", TrainCommand},
      {"verify", "compare a plan with a reference plan", VerifyCommand},
      {"inspect", "print what a plan contains", InspectCommand},
      {"simulate", "predict a plan's step on a cluster", SimulateCommand},
      {"profile", "measure this machine for simulate", ProfileCommand},
  };
  return table;
}

std::string help() {
  std::string text =
      "Trains, verifies and explains the plans that mpc-translate exports.\n\n"
      "Usage: mpc-run COMMAND [options]\n\nCommands:\n";
  for (const Subcommand &command : subcommands())
    absl::StrAppend(&text, "  ", command.name,
                    std::string(10 - command.name.size(), ' '), command.summary,
                    "\n");
  absl::StrAppend(
      &text, "\n  mpc-run COMMAND --help explains one of them\n",
      "  mpc-run --version prints the version\n\n",
      "Exit codes: 0 success (also a run that SIGINT, SIGTERM or SIGHUP "
      "ended), 1 the run\nfailed, 2 wrong usage.\n\nExamples:\n",
      "  mpc-run train model.plan --data=text.txt --steps=100 "
      "--log=run.jsonl\n",
      "  mpc-run verify model.plan --reference=reference.plan --steps=3\n",
      "  mpc-run inspect model.plan\n"
      "  mpc-run simulate model.plan --cluster=a100_dgx_80gb\n");
  return text;
}

int usageError(const std::string &message) {
  PrintError("mpc-run", absl::InvalidArgumentError(message));
  return kBadUsage;
}

int print(const std::string &text) {
  absl::Status written = WriteOutput(text);
  if (written.ok())
    return kSuccess;
  PrintError("mpc-run", written);
  return kRunFailed;
}

int unknownCommand(const std::string &name) {
  std::vector<std::string> names;
  for (const Subcommand &command : subcommands())
    names.push_back(command.name);
  const std::string all = absl::StrJoin(names, ", ");
  // Named in the documentation of plans, but not built yet.
  if (name == "eval")
    return usageError(absl::StrCat("command ", name,
                                   " is not in this version of mpc-run, it "
                                   "has: ",
                                   all));
  std::string message = absl::StrCat("unknown command ", name);
  const std::string closest = ClosestName(name, names);
  if (!closest.empty())
    absl::StrAppend(&message, ", did you mean ", closest);
  return usageError(absl::StrCat(message, "; commands: ", all));
}

/// Keeps files from taking the place of a closed standard stream. What stands
/// there instead refuses: writing to a closed standard output is an error.
void reserveStandardStreams() {
  for (int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (fcntl(stream, F_GETFD) == -1)
      open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

} // namespace

int main(int argc, char **argv) {
  reserveStandardStreams();
  // Writing to a closed pipe is an error like a full disk, with a message.
  std::signal(SIGPIPE, SIG_IGN);
  std::vector<std::string> arguments(argv + 1, argv + argc);
  if (arguments.empty())
    return usageError("no command given; mpc-run --help lists them");
  if (arguments[0] == "--help" || arguments[0] == "-h")
    return print(help());
  if (arguments[0] == "--version")
    return print("mpc-run " MPC_VERSION "\n");
  for (const Subcommand &command : subcommands())
    if (arguments[0] == command.name)
      return command.run(absl::MakeConstSpan(arguments).subspan(1));
  return unknownCommand(arguments[0]);
}
