// `mpc-run verify`.
#ifndef MPC_RUNTIME_VERIFY_VERIFY_COMMAND_H_
#define MPC_RUNTIME_VERIFY_VERIFY_COMMAND_H_

#include <string>

#include "absl/types/span.h"

namespace mpc::runtime {

/// Runs the subcommand with what follows its name on the command line; the
/// result is an ExitCode. The result goes to standard output, errors and
/// differences to standard error.
int VerifyCommand(absl::Span<const std::string> arguments);

}  // namespace mpc::runtime

#endif  // MPC_RUNTIME_VERIFY_VERIFY_COMMAND_H_
