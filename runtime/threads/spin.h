// Waiting for another thread without the cost of blocking, for a short while.
#ifndef MPC_RUNTIME_THREADS_SPIN_H_
#define MPC_RUNTIME_THREADS_SPIN_H_

#include <immintrin.h>

namespace mpc::runtime {

/// Counts a thread that computes for as long as it lives. Where more threads
/// compute than the machine has cores, nobody spins: the awaited thread may
/// need the core.
class ComputingThread {
 public:
  ComputingThread();
  ~ComputingThread();
  ComputingThread(const ComputingThread&) = delete;
  ComputingThread& operator=(const ComputingThread&) = delete;
};

/// How often to look before blocking: some 100 µs, or hardly at all if there are
/// more computing threads than cores.
int SpinRounds();

/// Looks for `done()` until it is true, SpinRounds() times at most, and returns
/// whether it is.
template <typename Done>
bool SpinUntil(const Done& done) {
  const int rounds = SpinRounds();
  for (int i = 0; i < rounds; ++i) {
    if (done()) return true;
    _mm_pause();
  }
  return done();
}

}  // namespace mpc::runtime

#endif  // MPC_RUNTIME_THREADS_SPIN_H_
