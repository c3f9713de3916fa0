#include "runtime/train/learning_rate.h"

#include <gtest/gtest.h>

#include <cmath>

namespace mpc::runtime {
namespace {

plan::LearningRate Schedule(int64_t warmup, int64_t decay) {
  plan::LearningRate schedule;
  schedule.set_learning_rate(1.0);
  schedule.set_min_learning_rate(0.5);
  schedule.set_warmup_steps(warmup);
  schedule.set_decay_steps(decay);
  return schedule;
}

TEST(LearningRateTest, WarmUpIsLinearAndEndsAtTheFullRate) {
  const plan::LearningRate schedule = Schedule(4, 0);
  EXPECT_EQ(LearningRateOf(schedule, 1), 0.25);
  EXPECT_EQ(LearningRateOf(schedule, 2), 0.5);
  EXPECT_EQ(LearningRateOf(schedule, 4), 1.0);
}

TEST(LearningRateTest, WithoutDecayItStaysConstant) {
  EXPECT_EQ(LearningRateOf(Schedule(4, 0), 5), 1.0);
  EXPECT_EQ(LearningRateOf(Schedule(4, 0), 1000000), 1.0);
  EXPECT_EQ(LearningRateOf(Schedule(0, 0), 1), 1.0);
}

// The cosine is at 1/2 + 1/2·√2/2 after a quarter of its steps.
TEST(LearningRateTest, CosineGoesFromWarmUpToTheEndOfDecay) {
  const plan::LearningRate schedule = Schedule(4, 12);
  EXPECT_EQ(LearningRateOf(schedule, 4), 1.0);
  EXPECT_DOUBLE_EQ(LearningRateOf(schedule, 6),
                   0.5 + 0.5 * (0.5 + 0.5 * std::sqrt(0.5)));
  EXPECT_DOUBLE_EQ(LearningRateOf(schedule, 8), 0.75);
  EXPECT_EQ(LearningRateOf(schedule, 12), 0.5);
  EXPECT_EQ(LearningRateOf(schedule, 13), 0.5);
}

TEST(LearningRateTest, DecayThatEndsInWarmUpLeavesTheLeastRate) {
  const plan::LearningRate schedule = Schedule(4, 2);
  EXPECT_EQ(LearningRateOf(schedule, 3), 0.75);
  EXPECT_EQ(LearningRateOf(schedule, 4), 0.5);
}

}  // namespace
}  // namespace mpc::runtime
