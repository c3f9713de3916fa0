// How the programs of this folder measure: the best and the median of several
// runs.
#ifndef MPC_BENCHMARKS_STOPWATCH_H_
#define MPC_BENCHMARKS_STOPWATCH_H_

#include <algorithm>
#include <chrono>
#include <vector>

namespace mpc::benchmarks {

struct Seconds {
  double best, median;
};

/// Times `body` once for warm-up and then `runs` times.
template <typename Body>
Seconds Measure(int runs, const Body& body) {
  using Clock = std::chrono::steady_clock;
  body();
  std::vector<double> seconds;
  for (int i = 0; i < runs; ++i) {
    const Clock::time_point begin = Clock::now();
    body();
    seconds.push_back(
        std::chrono::duration<double>(Clock::now() - begin).count());
  }
  std::sort(seconds.begin(), seconds.end());
  return {seconds.front(), seconds[seconds.size() / 2]};
}

}  // namespace mpc::benchmarks

#endif  // MPC_BENCHMARKS_STOPWATCH_H_
