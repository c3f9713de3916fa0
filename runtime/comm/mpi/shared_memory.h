// Memory by which the processes of a machine pass data to each other.
#ifndef MPC_RUNTIME_COMM_MPI_SHARED_MEMORY_H_
#define MPC_RUNTIME_COMM_MPI_SHARED_MEMORY_H_

#include <mpi.h>

#include <atomic>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"

namespace mpc::runtime {

/// Each process has buffers that it fills and that others read, if they can map
/// them: not from another machine or another container. Pages are used only
/// once a buffer has been.
///
/// Thread-compatible.
class SharedMemory {
 public:
  static constexpr int64_t kBufferBytes = 64 << 10;
  static constexpr int kBuffers = 1024;

  SharedMemory() = default;
  ~SharedMemory();
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;

  /// All processes of `communicator` call it. What cannot be shared is not;
  /// there is no other error.
  void Open(MPI_Comm communicator);

  /// Whether `peer` reads what this process fills, and the other way round.
  bool reaches(int peer) const { return reaches_[peer]; }
  bool sees(int peer) const { return segments_[peer] != nullptr; }

  /// A buffer of this process to fill; −1 if none is free.
  int Take();
  char* buffer(int index) { return segments_[self_]->buffers[index]; }
  /// Whether its reader is done with it.
  bool IsRead(int index) const;
  /// It may be taken again: at once, or once its reader is done.
  void Return(int index) { free_.push_back(index); }
  void Abandon(int index) { abandoned_.push_back(index); }

  /// A buffer that `peer` has filled, and the end of reading it.
  const char* BufferOf(int peer, int index) const {
    return segments_[peer]->buffers[index];
  }
  void EndReading(int peer, int index) {
    segments_[peer]->is_full[index].store(0, std::memory_order_release);
  }

 private:
  /// Keeps buffers from falling on the same lines of a cache.
  static constexpr int64_t kGapBytes = 4096;

  /// What a process shares, at the beginning of its memory.
  struct alignas(4096) Segment {
    uint64_t token;
    std::atomic<uint32_t> is_full[kBuffers];
    alignas(4096) char buffers[kBuffers][kBufferBytes + kGapBytes];
  };
  static_assert(std::atomic<uint32_t>::is_always_lock_free,
                "processes share no locks");

  Segment* CreateOwn();
  static Segment* Map(int process, int descriptor, uint64_t token);

  int self_ = 0;
  int descriptor_ = -1;
  /// By rank; null if it cannot be seen.
  std::vector<Segment*> segments_;
  std::vector<bool> reaches_;
  std::vector<int> free_;
  std::vector<int> abandoned_;
};

}  // namespace mpc::runtime

#endif  // MPC_RUNTIME_COMM_MPI_SHARED_MEMORY_H_
