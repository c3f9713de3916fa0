// Progress is for eyes: its numbers are rounded, the log has them all.
#include "runtime/train/progress.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace mpc::runtime {
namespace {

constexpr char kClearLine[] = "\r\x1b[K";

}  // namespace

std::string FormatDuration(double seconds) {
  const int64_t whole = std::llround(seconds);
  if (whole < 60) return absl::StrCat(whole, "s");
  if (whole < 3600) return absl::StrFormat("%dm%02ds", whole / 60, whole % 60);
  return absl::StrFormat("%dh%02dm", whole / 3600, whole / 60 % 60);
}

std::string FormatProgress(const StepRecord& record, int64_t steps,
                           double seconds_left) {
  std::string line = absl::StrFormat(
      "step %d/%d  loss %.4f  grad norm %.4g  lr %.3g  %.0f tokens/s",
      record.step, steps, record.loss, record.grad_norm, record.learning_rate,
      record.tokens_per_second);
  if (seconds_left >= 0)
    absl::StrAppend(&line, "  ETA ", FormatDuration(seconds_left));
  return line;
}

void Progress::Show(const StepRecord& record, double seconds_left) {
  const bool is_last = record.step == steps_;
  if (!is_terminal_) {
    const int64_t interval = std::max<int64_t>(1, steps_ / 100);
    if (record.step != 1 && !is_last && record.step % interval != 0) return;
  }
  const std::string line =
      FormatProgress(record, steps_, is_last ? -1 : seconds_left);
  std::fprintf(file_, "%s%s%s", is_terminal_ ? kClearLine : "", line.c_str(),
               is_terminal_ ? "" : "\n");
  std::fflush(file_);
  line_open_ = is_terminal_;
}

void Progress::Print(absl::string_view line) {
  std::fprintf(file_, "%s%s\n", line_open_ ? "\n" : "",
               std::string(line).c_str());
  std::fflush(file_);
  line_open_ = false;
}

}  // namespace mpc::runtime
