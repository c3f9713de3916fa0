// What each rank has to say for itself, in a file of its own.
#ifndef MPC_RUNTIME_TRAIN_RANK_LOGS_H_
#define MPC_RUNTIME_TRAIN_RANK_LOGS_H_

#include <cstdio>
#include <map>
#include <mutex>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace mpc::runtime {

/// The files rank-N.log of the ranks of this process; `N` has as many digits as
/// it takes. Lines begin with the seconds since the start.
///
/// Thread-safe.
class RankLogs {
 public:
  /// Without a directory nothing is written.
  explicit RankLogs(std::string directory) : directory_(std::move(directory)) {}
  ~RankLogs();
  RankLogs(const RankLogs&) = delete;
  RankLogs& operator=(const RankLogs&) = delete;

  /// Makes the directory if it is not there. An error names it.
  absl::Status Open();

  /// Appends a line and hands it to the system. The first one replaces a file
  /// that is there; what cannot be written is lost.
  void Note(int rank, absl::string_view line);

 private:
  const std::string directory_;
  std::mutex mutex_;
  std::map<int, std::FILE*> files_;
};

}  // namespace mpc::runtime

#endif  // MPC_RUNTIME_TRAIN_RANK_LOGS_H_
