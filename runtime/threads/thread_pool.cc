#include "runtime/threads/thread_pool.h"

#include <system_error>

#include "runtime/threads/spin.h"

namespace mpc::runtime {

ThreadPool::ThreadPool(int threads) {
  try {
    for (int thread = 1; thread < threads; ++thread)
      workers_.emplace_back([this, thread] { Work(thread); });
  } catch (const std::system_error& error) {
    Stop();
    throw std::system_error(error.code(), "a thread cannot be created");
  }
}

ThreadPool::~ThreadPool() { Stop(); }

void ThreadPool::Stop() {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    stop_ = true;
    ++generation_;
  }
  task_given_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

void ThreadPool::Run(int64_t items, Task task) {
  if (workers_.empty() || items <= 1) {
    for (int64_t item = 0; item < items; ++item) task(item, 0);
    return;
  }
  items_ = items;
  task_ = &task;
  next_item_.store(0, std::memory_order_relaxed);
  busy_workers_.store(static_cast<int>(workers_.size()),
                      std::memory_order_relaxed);
  {
    std::lock_guard<std::mutex> lock(mutex_);
    ++generation_;
  }
  task_given_.notify_all();
  TakeItems(0);
  const auto done = [this] { return busy_workers_.load() == 0; };
  if (SpinUntil(done)) return;
  std::unique_lock<std::mutex> lock(mutex_);
  task_done_.wait(lock, done);
}

void ThreadPool::TakeItems(int thread) {
  for (;;) {
    const int64_t item = next_item_.fetch_add(1, std::memory_order_relaxed);
    if (item >= items_) return;
    (*task_)(item, thread);
  }
}

void ThreadPool::AwaitTask(uint64_t seen) {
  const auto given = [this, seen] { return generation_.load() != seen; };
  if (SpinUntil(given)) return;
  std::unique_lock<std::mutex> lock(mutex_);
  task_given_.wait(lock, given);
}

void ThreadPool::Work(int thread) {
  ComputingThread computing;
  for (uint64_t seen = 0;; ++seen) {
    AwaitTask(seen);
    if (stop_) return;
    TakeItems(thread);
    if (busy_workers_.fetch_sub(1) == 1) {
      // Under the mutex, lest Run blocks between its look and the notification.
      std::lock_guard<std::mutex> lock(mutex_);
      task_done_.notify_one();
    }
  }
}

}  // namespace mpc::runtime
