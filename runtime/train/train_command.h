// `mpc-run train`.
#ifndef MPC_RUNTIME_TRAIN_TRAIN_COMMAND_H_
#define MPC_RUNTIME_TRAIN_TRAIN_COMMAND_H_

#include <string>

#include "absl/types/span.h"

namespace mpc::runtime {

/// Runs the subcommand with what follows its name on the command line; the
/// result is an ExitCode. Errors, warnings and progress go to standard error.
int TrainCommand(absl::Span<const std::string> arguments);

}  // namespace mpc::runtime

#endif  // MPC_RUNTIME_TRAIN_TRAIN_COMMAND_H_
