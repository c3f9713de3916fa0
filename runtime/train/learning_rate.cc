// Computed in double from the step alone, so that a run which is resumed, or
// ended early, has the same rates.
#include "runtime/train/learning_rate.h"

#include <cmath>

namespace mpc::runtime {

double LearningRateOf(const plan::LearningRate& schedule, int64_t step) {
  const double full = schedule.learning_rate();
  const double least = schedule.min_learning_rate();
  const int64_t warmup = schedule.warmup_steps();
  const int64_t decay = schedule.decay_steps();
  if (step < warmup) return full * static_cast<double>(step) / warmup;
  if (decay == 0) return full;
  if (step >= decay) return least;
  const double progress =
      static_cast<double>(step - warmup) / static_cast<double>(decay - warmup);
  return least + (full - least) * 0.5 * (1 + std::cos(M_PI * progress));
}

}  // namespace mpc::runtime
