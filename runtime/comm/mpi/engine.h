// All that one rank has under way, driven by whoever waits for any of it.
#ifndef MPC_RUNTIME_COMM_MPI_ENGINE_H_
#define MPC_RUNTIME_COMM_MPI_ENGINE_H_

#include <mpi.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "runtime/comm/mpi/mpi_process.h"

namespace mpc::runtime {

/// A sequence of operations that go one by one: those of a group or a channel.
class Lane {
 public:
  virtual ~Lane() = default;
  /// Goes on as far as it can without waiting.
  virtual absl::Status Advance() = 0;
  /// Fails the world if a rank has left that an operation under way needs.
  virtual void LookForMissing() = 0;
  /// How many operations are complete.
  virtual uint64_t completed() const = 0;
};

/// One message under way. It may not move or go away while it is busy.
struct Ticket {
  bool is_busy = false;
};

/// The messages of one world's rank.
///
/// Nothing blocks: a wait for one operation advances all others as well, so
/// that what is under way in different orders on different ranks comes to its
/// end whatever MPI buffers. Between two waits nothing moves but what MPI or
/// the system moves by itself.
///
/// Thread-compatible.
class Engine {
 public:
  /// The process must outlive the engine.
  Engine(MpiProcess* process, int world);
  /// Gives up what is still under way after a failure.
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  int rank() const { return process_->rank(); }

  void Add(Lane* lane) { lanes_.push_back(lane); }
  void Remove(Lane* lane);

  /// Messages of one tag from one rank to another arrive in order. A
  /// synchronous one is complete when the receiver has begun to receive it.
  absl::Status Send(const void* data, int64_t bytes, int peer, int tag,
                    bool is_synchronous, Ticket* ticket);
  absl::Status Receive(void* data, int64_t bytes, int peer, int tag,
                       Ticket* ticket);

  /// OK, or the failure of the world.
  absl::Status Check();

  /// Returns once `done()`.
  absl::Status Await(absl::FunctionRef<bool()> done);

  /// Records the failure of a rank, and returns the first one.
  absl::Status Fail(int rank, const absl::Status& status);

  Watch& watch() { return process_->watch(); }
  int world() const { return world_; }

  /// The tag of messages of a stream; each has four.
  int TagOf(uint32_t stream, int which) const;

  SharedMemory& shared() { return process_->shared(); }

  /// Memory of SharedMemory::kBufferBytes that is used again and again.
  std::unique_ptr<char[]> TakeBuffer();
  void ReturnBuffer(std::unique_ptr<char[]> buffer);

  static constexpr uint32_t kStreams = 1 << 14;

 private:
  absl::Status Take(int code, Ticket* ticket, MPI_Request request);
  /// Completes what MPI has completed; whether there was something.
  absl::StatusOr<bool> Poll();
  /// Another turn in which nothing moved, `waited` after the first.
  void Idle(std::chrono::steady_clock::duration waited) const;

  MpiProcess* const process_;
  const int world_;
  bool is_crowded_;
  uint64_t seen_news_ = 0;
  absl::Status failure_;
  std::vector<Lane*> lanes_;
  /// Parallel.
  std::vector<MPI_Request> requests_;
  std::vector<Ticket*> tickets_;
  std::vector<int> completed_;
  std::vector<std::unique_ptr<char[]>> buffers_;
};

}  // namespace mpc::runtime

#endif  // MPC_RUNTIME_COMM_MPI_ENGINE_H_
