// The log of a training run: one JSON object a line, one line a step.
#ifndef MPC_RUNTIME_TRAIN_RUN_LOG_H_
#define MPC_RUNTIME_TRAIN_RUN_LOG_H_

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace mpc::runtime {

/// What is known of a step once it is done.
struct StepRecord {
  /// From 1.
  int64_t step = 0;
  /// Mean over the step's valid tokens, before the update.
  float loss = 0;
  /// Before clipping.
  float grad_norm = 0;
  /// The one applied.
  float learning_rate = 0;
  /// All positions over the wall time of the step, data included.
  double tokens_per_second = 0;
};

/// The record as a JSON object without a line break. A number is the shortest
/// decimal that reads back to the same bits of its type; what is not finite is
/// null.
std::string FormatRecord(const StepRecord& record);

/// Appends records to a file; the caller has one for all ranks.
///
/// Thread-compatible.
class RunLog {
 public:
  /// Replaces `path`, unless another log is open there; `-` is standard output.
  static absl::StatusOr<std::unique_ptr<RunLog>> Open(const std::string& path);

  RunLog(const RunLog&) = delete;
  RunLog& operator=(const RunLog&) = delete;
  ~RunLog();

  /// Writes a line and hands it to the system; an error (a full disk) names the
  /// file.
  absl::Status Append(const StepRecord& record);

  /// Closes the file, which may report that earlier lines were lost.
  absl::Status Close();

 private:
  RunLog(std::string path, std::FILE* file)
      : path_(std::move(path)), file_(file) {}

  std::string path_;
  std::FILE* file_;
};

}  // namespace mpc::runtime

#endif  // MPC_RUNTIME_TRAIN_RUN_LOG_H_
