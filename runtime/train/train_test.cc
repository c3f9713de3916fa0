#include "runtime/train/train.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "runtime/data/synthetic_tokens.h"
#include "runtime/testing/bigram_plan.h"
#include "runtime/train/learning_rate.h"

namespace mpc::runtime {
namespace {

using ::testing::HasSubstr;

// The records of a run on made-up tokens.
std::vector<StepRecord> TrainOn(const BigramOptions& options, int64_t steps) {
  const plan::Plan plan = MakeBigramPlan(options);
  const SyntheticTokens source(1, plan.training().global_batch(),
                               plan.training().vocabulary());
  std::vector<StepRecord> records;
  TrainOptions train;
  train.steps = steps;
  train.seed = 1;
  train.after_step = [&](const StepRecord& record) {
    records.push_back(record);
    return absl::OkStatus();
  };
  const absl::Status status = Train(plan, source, train);
  EXPECT_TRUE(status.ok()) << status;
  return records;
}

TEST(TrainTest, EveryStepIsReportedOnce) {
  const std::vector<StepRecord> records = TrainOn({}, 12);
  ASSERT_EQ(records.size(), 12u);
  const plan::Plan plan = MakeBigramPlan({});
  for (size_t i = 0; i < records.size(); ++i) {
    EXPECT_EQ(records[i].step, static_cast<int64_t>(i + 1));
    EXPECT_TRUE(std::isfinite(records[i].loss));
    EXPECT_GT(records[i].grad_norm, 0);
    EXPECT_EQ(records[i].learning_rate,
              static_cast<float>(
                  LearningRateOf(plan.training().learning_rate(), i + 1)));
    EXPECT_GT(records[i].tokens_per_second, 0);
  }
}

// Tokens that take 50 ms a step to come.
class SlowTokens : public BatchSource {
 public:
  explicit SlowTokens(const plan::Training& training)
      : tokens_(1, training.global_batch(), training.vocabulary()),
        global_batch_(training.global_batch()) {}

  void ReadIds(int64_t sample, int64_t begin,
               absl::Span<int32_t> ids) const override {
    if (sample % global_batch_ == 0 && begin == 0)
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    tokens_.ReadIds(sample, begin, ids);
  }
  void ReadLabels(int64_t sample, int64_t begin,
                  absl::Span<int32_t> labels) const override {
    tokens_.ReadLabels(sample, begin, labels);
  }

 private:
  SyntheticTokens tokens_;
  int64_t global_batch_;
};

TEST(TrainTest, TokensPerSecondIncludeTheWaitForData) {
  const plan::Plan plan = MakeBigramPlan({});
  const double tokens =
      plan.training().global_batch() * plan.training().sequence_length();
  int64_t steps = 0;
  TrainOptions train;
  train.steps = 3;
  train.after_step = [&](const StepRecord& record) {
    ++steps;
    EXPECT_LE(record.tokens_per_second, tokens / 0.05);
    return absl::OkStatus();
  };
  const absl::Status status = Train(plan, SlowTokens(plan.training()), train);
  EXPECT_TRUE(status.ok()) << status;
  EXPECT_EQ(steps, 3);
}

// The first loss of a table of equal logits is ln 8, whatever the labels.
TEST(TrainTest, TheLossIsTheMeanBeforeTheUpdate) {
  BigramOptions options;
  options.standard_deviation = 0;
  EXPECT_FLOAT_EQ(TrainOn(options, 1)[0].loss, std::log(8.0f));
}

TEST(TrainTest, EveryMeshAndSplitOfTheBatchTrainsTheSameModel) {
  const std::vector<StepRecord> expected = TrainOn({}, 6);
  BigramOptions options;
  for (const auto [dp, cp, microbatches, zero] :
       {std::tuple(2, 1, 1, false), std::tuple(1, 2, 2, false),
        std::tuple(2, 2, 1, false), std::tuple(2, 2, 2, true),
        std::tuple(4, 1, 2, true), std::tuple(1, 1, 8, false)}) {
    options.dp = dp;
    options.cp = cp;
    options.microbatches = microbatches;
    options.zero = zero;
    const std::vector<StepRecord> records = TrainOn(options, 6);
    ASSERT_EQ(records.size(), expected.size());
    for (size_t i = 0; i < records.size(); ++i) {
      EXPECT_NEAR(records[i].loss, expected[i].loss, 1e-5 * expected[i].loss);
      EXPECT_NEAR(records[i].grad_norm, expected[i].grad_norm,
                  1e-5 * expected[i].grad_norm);
    }
  }
}

TEST(TrainTest, ARunThatIsAskedToStopEndsAfterTheStep) {
  BigramOptions options;
  options.dp = 2;
  const plan::Plan plan = MakeBigramPlan(options);
  const SyntheticTokens source(1, 8, 8);
  int64_t last = 0;
  TrainOptions train;
  train.steps = 100;
  train.after_step = [&](const StepRecord& record) {
    last = record.step;
    return absl::OkStatus();
  };
  train.stop = [&] { return last == 3; };
  const absl::Status status = Train(plan, source, train);
  EXPECT_TRUE(status.ok()) << status;
  EXPECT_EQ(last, 3);
}

TEST(TrainTest, AnErrorInAReportStopsAllRanks) {
  BigramOptions options;
  options.dp = 4;
  const plan::Plan plan = MakeBigramPlan(options);
  const SyntheticTokens source(1, 8, 8);
  TrainOptions train;
  train.steps = 100;
  train.after_step = [](const StepRecord& record) {
    return absl::ResourceExhaustedError("no space left");
  };
  EXPECT_THAT(std::string(Train(plan, source, train).message()),
              HasSubstr("no space left"));
}

TEST(TrainTest, ALossThatIsNotANumberDoesNotEndTheRun) {
  BigramOptions options;
  options.loss_kernel = "cross_entropy_not_a_number";
  const std::vector<StepRecord> records = TrainOn(options, 3);
  ASSERT_EQ(records.size(), 3u);
  EXPECT_TRUE(std::isnan(records[2].loss));
}

TEST(TrainTest, AnInputScalarThatNobodyWritesIsRefused) {
  plan::Plan plan = MakeBigramPlan({});
  for (plan::State& state : *plan.mutable_roles(0)->mutable_states())
    if (state.name() == "seed") state.set_name("temperature");
  const SyntheticTokens source(1, 8, 8);
  TrainOptions train;
  train.steps = 1;
  EXPECT_THAT(std::string(Train(plan, source, train).message()),
              HasSubstr("input scalar temperature is unknown, expected "
                        "learning_rate or seed"));
}

}  // namespace
}  // namespace mpc::runtime
