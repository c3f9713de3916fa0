// Who of a run's processes still lives, and what went wrong first.
#ifndef MPC_RUNTIME_COMM_MPI_WATCH_H_
#define MPC_RUNTIME_COMM_MPI_WATCH_H_

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "runtime/comm/mpi/connection.h"

namespace mpc::runtime {

/// How many operations of each stream of a world a rank has completed.
using CompletedCounts = std::map<uint32_t, uint64_t>;

/// The processes of a run watch each other beside MPI, by a thread of their own
/// that needs no one's help: one that computes for long is not taken for dead,
/// one that is stopped, or cut off, is. Rank 0 is in touch with all others. It
/// decides which failure came first, so that every rank names the same; if it
/// is gone itself, the others see that for themselves.
///
/// A failure belongs to a world, or to all worlds if a process is lost.
///
/// Thread-safe.
class Watch {
 public:
  using Seconds = std::chrono::duration<double>;

  struct Options {
    int rank = 0;
    int size = 1;
    /// For how long nothing may be heard of a process, also until it has
    /// joined.
    Seconds timeout{30};
    /// Called on the thread of the watch when a failure has been known for half
    /// a second and the process has not ended: it computes, or is caught in a
    /// call of MPI; in start-up, which cannot end by itself, at once. Has to
    /// end the process. `speaks` as below. If empty the process lives on.
    std::function<void(const absl::Status& failure, bool speaks)> end_process;
  };

  explicit Watch(Options options);
  ~Watch();
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

  /// On rank 0: takes in all who know the token. Owns the socket.
  void Listen(int listener, std::string token);

  /// On the others: has been welcomed by rank 0, which `first` describes and
  /// from which `frames` have come.
  void Connect(std::unique_ptr<Connection> to_first, std::string first,
               const std::vector<Frame>& frames);

  /// All have joined and are ready to work.
  void EndStartUp();

  /// Changes whenever there is something new below.
  uint64_t news() const { return news_.load(std::memory_order_relaxed); }

  /// OK, or the first failure: kAborted, "rank N: message".
  absl::Status Failure(int world) const;

  /// Whether this process tells the user what has happened: rank 0, or if that
  /// is lost rank 1.
  bool speaks() const;

  /// Records a failure unless there is one already. Returns once it is known
  /// which was first.
  void Fail(int world, int rank, const absl::Status& status);

  /// Records a failure of this rank in all worlds unless any world has failed.
  void FailEverywhere(const absl::Status& status);

  /// This rank makes no further call of `world`.
  void Leave(int world, const CompletedCounts& counts);

  /// How many operations of `stream` a rank completed before it left; nothing
  /// if it has not left.
  std::optional<uint64_t> CompletedBy(int world, int rank,
                                      uint32_t stream) const;

  /// Returns once all processes have said so, or the failure. Then nobody is
  /// missed any more, but for `timeout` at most.
  absl::Status SayGoodbye();

 private:
  using Clock = std::chrono::steady_clock;

  struct Peer {
    std::unique_ptr<Connection> connection;
    /// "host b, process 1234".
    std::string name;
    Clock::time_point heard;
    bool said_goodbye = false;
  };

  struct LostRank {
    int rank = 0;
    std::string message;
    absl::Status status() const;
  };

  bool is_first() const { return options_.rank == 0; }
  void Run();
  /// Sleeps until something can be read or written, or is to be looked at.
  void AwaitEvents();
  void Accept();
  void TakeIn(size_t stranger);
  void ReadAll();
  void Handle(int from, const Frame& frame);
  void LookAtClock();
  void LookAtSignals();
  void MissThoseWhoAreSilent(Clock::time_point now);
  void Lose(int rank, const std::string& why);
  void Decide(int world, int rank, const std::string& message);
  void DecideLost(int rank, const std::string& why);
  void SendToAll(const Frame& frame, int except = -1);
  void Wake();
  absl::Status FailureLocked(int world) const;
  bool SpeaksLocked() const {
    return options_.rank == (lost_rank_ == 0 ? 1 : 0);
  }
  /// Why the process ought to have ended; OK if it need not.
  absl::Status Overdue() const;
  void ConcludeGoodbyes();

  const Options options_;
  const Clock::time_point start_;
  const int parent_;
  int wake_ = -1;
  std::atomic<uint64_t> news_{0};
  std::atomic<bool> stop_{false};

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  int listener_ = -1;
  std::string token_;
  /// Connections that have not said who they are.
  std::vector<std::unique_ptr<Connection>> strangers_;
  /// By rank: on rank 0 all others, elsewhere rank 0.
  std::map<int, Peer> peers_;
  /// By world; −1: all worlds.
  std::map<int, LostRank> failures_;
  int lost_rank_ = -1;
  std::optional<Clock::time_point> failed_at_;
  std::map<std::pair<int, int>, CompletedCounts> left_;
  bool started_up_ = false;
  bool said_goodbye_ = false;
  std::optional<Clock::time_point> all_said_goodbye_;
  std::optional<Clock::time_point> told_to_end_;
  Clock::time_point last_look_;
  Clock::time_point last_beat_;

  std::thread thread_;
};

/// Notes SIGTERM, by which mpirun ends the processes of a run when one has
/// failed, for the watch: it leaves the time to say why.
void CatchTermination();

}  // namespace mpc::runtime

#endif  // MPC_RUNTIME_COMM_MPI_WATCH_H_
