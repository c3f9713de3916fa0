// The options with which a subcommand is told where its tokens are.
#ifndef MPC_RUNTIME_DATA_DATA_OPTIONS_H_
#define MPC_RUNTIME_DATA_DATA_OPTIONS_H_

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "runtime/cli/command_line.h"
#include "runtime/data/batch_source.h"
#include "runtime/plan/plan.pb.h"

namespace mpc::runtime {

struct DataOptions {
  std::string path;
  std::string format = "bytes";
  std::string labels_path;

  /// Adds --data, --data-format and --labels, which must not outlive this.
  /// `without_data` ends the help of --data.
  void AddTo(CommandLine& command, const std::string& without_data);

  /// The samples of a plan's training, from the file; `path` is not empty. The
  /// seed says which tokens masked language modelling hides.
  absl::StatusOr<std::unique_ptr<BatchSource>> Open(
      const plan::Training& training, uint64_t seed) const;
};

/// Samples made up from the seed.
std::unique_ptr<BatchSource> MakeUpSamples(const plan::Training& training,
                                           uint64_t seed);

}  // namespace mpc::runtime

#endif  // MPC_RUNTIME_DATA_DATA_OPTIONS_H_
