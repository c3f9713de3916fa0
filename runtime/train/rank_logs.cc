#include "runtime/train/rank_logs.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>

#include "absl/strings/str_cat.h"

namespace mpc::runtime {
namespace {

using Clock = std::chrono::steady_clock;

const Clock::time_point kStart = Clock::now();

}  // namespace

RankLogs::~RankLogs() {
  for (const auto& [rank, file] : files_)
    if (file != nullptr) std::fclose(file);
}

absl::Status RankLogs::Open() {
  if (directory_.empty()) return absl::OkStatus();
  const bool is_made = mkdir(directory_.c_str(), 0777) == 0 || errno == EEXIST;
  if (is_made && access(directory_.c_str(), W_OK | X_OK) == 0)
    return absl::OkStatus();
  return absl::ErrnoToStatus(
      errno, absl::StrCat("rank log ", directory_,
                          ": is no directory that can be written"));
}

void RankLogs::Note(int rank, absl::string_view line) {
  if (directory_.empty()) return;
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto [place, is_new] = files_.emplace(rank, nullptr);
  if (is_new)
    place->second = std::fopen(
        absl::StrCat(directory_, "/rank-", rank, ".log").c_str(), "we");
  if (place->second == nullptr) return;
  const std::chrono::duration<double> seconds = Clock::now() - kStart;
  std::fprintf(place->second, "%.3f %s\n", seconds.count(),
               std::string(line).c_str());
  std::fflush(place->second);
}

}  // namespace mpc::runtime
