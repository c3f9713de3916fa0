// The learning rate of a step.
#ifndef MPC_RUNTIME_TRAIN_LEARNING_RATE_H_
#define MPC_RUNTIME_TRAIN_LEARNING_RATE_H_

#include <cstdint>

#include "runtime/plan/plan.pb.h"

namespace mpc::runtime {

/// The learning rate of step `step`, from 1, as plan.proto's LearningRate says:
/// step k of a warm-up of w steps has k/w of the full rate; the cosine starts
/// at the full rate in step w and reaches the least in step decay_steps, which
/// also holds after it.
double LearningRateOf(const plan::LearningRate& schedule, int64_t step);

}  // namespace mpc::runtime

#endif  // MPC_RUNTIME_TRAIN_LEARNING_RATE_H_
