// `mpc-run inspect`.
#ifndef MPC_RUNTIME_INSPECT_INSPECT_COMMAND_H_
#define MPC_RUNTIME_INSPECT_INSPECT_COMMAND_H_

#include <string>

#include "absl/types/span.h"

namespace mpc::runtime {

/// Runs the subcommand with what follows its name on the command line; the
/// result is an ExitCode. Errors go to standard error.
int InspectCommand(absl::Span<const std::string> arguments);

}  // namespace mpc::runtime

#endif  // MPC_RUNTIME_INSPECT_INSPECT_COMMAND_H_
