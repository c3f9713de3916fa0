// Files that commands read and write.
#ifndef MPC_RUNTIME_CLI_FILES_H_
#define MPC_RUNTIME_CLI_FILES_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace mpc::runtime {

/// All of a file; an error that names it, also where it is a directory.
absl::StatusOr<std::string> ReadFile(const std::string& path);

/// kInvalidArgument if `output`, which messages call `what`, is the file of one
/// of `inputs`: opening it would empty what is still read. `-` among the inputs
/// is standard input; empty paths are no files.
absl::Status CheckIsNoInput(absl::string_view what, const std::string& output,
                            absl::Span<const std::string> inputs);

}  // namespace mpc::runtime

#endif  // MPC_RUNTIME_CLI_FILES_H_
