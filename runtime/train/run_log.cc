// Lines are flushed one by one, so that a log can be followed while it grows.
#include "runtime/train/run_log.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "runtime/status_macros.h"

namespace mpc::runtime {
namespace {

template <typename T>
std::string FormatNumber(T value) {
  if (!std::isfinite(value)) return "null";
  char buffer[64];
  const auto end = std::to_chars(buffer, buffer + sizeof(buffer), value).ptr;
  return std::string(buffer, end);
}

absl::Status WriteError(const std::string& path, int error) {
  return absl::ErrnoToStatus(error,
                             absl::StrCat("log ", path, ": cannot be written"));
}

// Empties the file only once no other run can be writing it.
absl::StatusOr<std::FILE*> OpenFile(const std::string& path) {
  const int descriptor =
      open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  if (descriptor < 0) return WriteError(path, errno);
  struct stat status;
  int error = 0;
  if (fstat(descriptor, &status) != 0) {
    error = errno;
  } else if (S_ISREG(status.st_mode)) {
    if (flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
      close(descriptor);
      return absl::FailedPreconditionError(absl::StrCat(
          "log ", path, ": another run writes it; expected a file of its own"));
    }
    if (ftruncate(descriptor, 0) != 0) error = errno;
  }
  std::FILE* file = error == 0 ? fdopen(descriptor, "w") : nullptr;
  if (file != nullptr) return file;
  if (error == 0) error = errno;
  close(descriptor);
  return WriteError(path, error);
}

}  // namespace

std::string FormatRecord(const StepRecord& record) {
  return absl::StrCat(
      "{\"step\": ", record.step, ", \"loss\": ", FormatNumber(record.loss),
      ", \"grad_norm\": ", FormatNumber(record.grad_norm),
      ", \"learning_rate\": ", FormatNumber(record.learning_rate),
      ", \"tokens_per_second\": ", FormatNumber(record.tokens_per_second), "}");
}

absl::StatusOr<std::unique_ptr<RunLog>> RunLog::Open(const std::string& path) {
  std::FILE* file = stdout;
  if (path != "-") {
    MPC_ASSIGN_OR_RETURN(file, OpenFile(path));
  }
  return std::unique_ptr<RunLog>(
      new RunLog(path == "-" ? "on standard output" : path, file));
}

RunLog::~RunLog() {
  if (file_ != nullptr && file_ != stdout) std::fclose(file_);
}

absl::Status RunLog::Append(const StepRecord& record) {
  const std::string line = FormatRecord(record) + "\n";
  errno = 0;
  if (std::fwrite(line.data(), 1, line.size(), file_) != line.size() ||
      std::fflush(file_) != 0)
    return WriteError(path_, errno);
  return absl::OkStatus();
}

absl::Status RunLog::Close() {
  std::FILE* file = std::exchange(file_, nullptr);
  errno = 0;
  const int result = file == stdout ? std::fflush(file) : std::fclose(file);
  return result == 0 ? absl::OkStatus() : WriteError(path_, errno);
}

}  // namespace mpc::runtime
