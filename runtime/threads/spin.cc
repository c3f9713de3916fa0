#include "runtime/threads/spin.h"

#include <atomic>
#include <thread>

namespace mpc::runtime {
namespace {

constexpr int kRounds = 4000;
constexpr int kOversubscribedRounds = 20;

std::atomic<int> computing_threads{0};

}  // namespace

ComputingThread::ComputingThread() { computing_threads.fetch_add(1); }
ComputingThread::~ComputingThread() { computing_threads.fetch_sub(1); }

int SpinRounds() {
  static const int cores = static_cast<int>(std::thread::hardware_concurrency());
  return computing_threads.load(std::memory_order_relaxed) <= cores
             ? kRounds
             : kOversubscribedRounds;
}

}  // namespace mpc::runtime
