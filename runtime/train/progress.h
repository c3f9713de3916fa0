// What a person who waits for a run sees on standard error.
#ifndef MPC_RUNTIME_TRAIN_PROGRESS_H_
#define MPC_RUNTIME_TRAIN_PROGRESS_H_

#include <cstdint>
#include <cstdio>
#include <string>

#include "absl/strings/string_view.h"
#include "runtime/train/run_log.h"

namespace mpc::runtime {

/// `9s`, `3m05s`, `2h07m`.
std::string FormatDuration(double seconds);

/// `step 12/100  loss 3.2145  grad norm 1.23  lr 0.0006  1234 tokens/s  ETA
/// 3m05s`; `seconds_left` is not shown if negative.
std::string FormatProgress(const StepRecord& record, int64_t steps,
                           double seconds_left);

/// A line that is rewritten on a terminal; elsewhere a line every hundredth of
/// the run.
class Progress {
 public:
  Progress(std::FILE* file, bool is_terminal, int64_t steps)
      : file_(file), is_terminal_(is_terminal), steps_(steps) {}

  void Show(const StepRecord& record, double seconds_left);

  /// A line of its own, e.g. a warning.
  void Print(absl::string_view line);

 private:
  std::FILE* file_;
  bool is_terminal_;
  int64_t steps_;
  /// Whether the cursor stands behind a line that may be rewritten.
  bool line_open_ = false;
};

}  // namespace mpc::runtime

#endif  // MPC_RUNTIME_TRAIN_PROGRESS_H_
