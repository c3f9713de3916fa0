// The threads that a rank computes with.
#ifndef MPC_RUNTIME_THREADS_THREAD_POOL_H_
#define MPC_RUNTIME_THREADS_THREAD_POOL_H_

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

#include "absl/functional/function_ref.h"

namespace mpc::runtime {

/// A fixed number of threads, the caller's own included, that wait for the next
/// task: a little while spinning, then blocked.
///
/// Thread-compatible: one thread at a time calls Run. Tasks must not throw and
/// not call Run.
class ThreadPool {
 public:
  /// Gets the number of an item and of the thread that it runs on, from 0 to
  /// threads() − 1.
  using Task = absl::FunctionRef<void(int64_t item, int thread)>;

  /// `threads` is at least 1. Throws std::system_error if the system has no
  /// room for them.
  explicit ThreadPool(int threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int threads() const { return static_cast<int>(workers_.size()) + 1; }

  /// Runs items 0 … `items` − 1, each once, and returns when all have ended.
  /// Threads take the items in ascending order; which thread gets which is left
  /// to chance, so results must not depend on it.
  void Run(int64_t items, Task task);

 private:
  /// Ends the workers that have started.
  void Stop();
  void Work(int thread);
  void TakeItems(int thread);
  /// Returns once the generation is not `seen`.
  void AwaitTask(uint64_t seen);

  // The task under way: written before the generation changes, read after it.
  int64_t items_ = 0;
  const Task* task_ = nullptr;
  std::atomic<int64_t> next_item_{0};
  std::atomic<int> busy_workers_{0};

  // Counts tasks; workers wait for it to change. Changed under mutex_.
  std::atomic<uint64_t> generation_{0};
  std::atomic<bool> stop_{false};
  std::mutex mutex_;
  std::condition_variable task_given_;
  std::condition_variable task_done_;
  std::vector<std::thread> workers_;
};

}  // namespace mpc::runtime

#endif  // MPC_RUNTIME_THREADS_THREAD_POOL_H_
