// `mpc-run simulate`.
#ifndef MPC_RUNTIME_SIMULATE_SIMULATE_COMMAND_H_
#define MPC_RUNTIME_SIMULATE_SIMULATE_COMMAND_H_

#include <string>

#include "absl/types/span.h"

namespace mpc::runtime {

/// Runs the command with the arguments after its name; the result is an
/// ExitCode.
int SimulateCommand(absl::Span<const std::string> arguments);

}  // namespace mpc::runtime

#endif  // MPC_RUNTIME_SIMULATE_SIMULATE_COMMAND_H_
