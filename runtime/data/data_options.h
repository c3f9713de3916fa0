// The options with which a subcommand is told where its tokens are.
#ifndef MPC_RUNTIME_DATA_DATA_OPTIONS_H_
#define MPC_RUNTIME_DATA_DATA_OPTIONS_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "runtime/cli/command_line.h"
#include "runtime/data/token_file.h"
#include "runtime/plan/plan.pb.h"

namespace mpc::runtime {

struct DataOptions {
  std::string path;
  std::string format = "bytes";
  std::string labels_path;

  /// Adds --data, --data-format and --labels, which must not outlive this.
  /// `without_data` ends the help of --data.
  void AddTo(CommandLine& command, const std::string& without_data);

  /// The file for a plan's training; `path` is not empty.
  absl::StatusOr<std::unique_ptr<TokenFile>> Open(
      const plan::Training& training) const;
};

}  // namespace mpc::runtime

#endif  // MPC_RUNTIME_DATA_DATA_OPTIONS_H_
