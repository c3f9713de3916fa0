// The frame of every subcommand: help, errors and exit codes.
#ifndef MPC_RUNTIME_CLI_COMMAND_MAIN_H_
#define MPC_RUNTIME_CLI_COMMAND_MAIN_H_

#include <functional>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "runtime/cli/command_line.h"

namespace mpc::runtime {

/// Prints help, or parses `arguments` and calls `body`. The result is an
/// ExitCode: kBadUsage if the arguments are wrong or `check`, which sees them
/// together, says so; kRunFailed if `body` returns an error. Errors go to
/// standard error as `NAME: error: MESSAGE`.
int RunCommand(const CommandLine& command,
               absl::Span<const std::string> arguments,
               const std::function<absl::Status()>& body,
               const std::function<absl::Status()>& check = nullptr);

/// Prints `NAME: error: MESSAGE` on standard error.
void PrintError(absl::string_view name, const absl::Status& status);

/// Writes to standard output and hands it to the system; an error if not all
/// could be written.
absl::Status WriteOutput(absl::string_view text);

}  // namespace mpc::runtime

#endif  // MPC_RUNTIME_CLI_COMMAND_MAIN_H_
