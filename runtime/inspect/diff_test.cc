#include "runtime/inspect/diff.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/testing/bigram_plan.h"
#include "runtime/testing/pipeline_plan.h"

namespace mpc::runtime {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

std::string Diff(const plan::Plan& before, const plan::Plan& after) {
  return PrintDiff(before, *Summarize(before), after, *Summarize(after));
}

TEST(DiffTest, EqualPlansSayThatTheyAre) {
  const plan::Plan plan = MakeBigramPlan({});
  EXPECT_EQ(Diff(plan, plan), "the plans do the same\n");
}

TEST(DiffTest, WhatDiffersHasBothNumbersAndTheChange) {
  BigramOptions options;
  plan::Plan before = MakeBigramPlan(options);
  options.dp = 2;
  options.adam = true;
  plan::Plan after = MakeBigramPlan(options);
  before.set_strategy("dp=1");
  after.set_strategy("dp=2");
  const std::string text = Diff(before, after);
  EXPECT_THAT(
      text,
      AllOf(HasSubstr("strategy       dp=1\n               dp=2\n"),
            HasSubstr("mesh           one rank\n"),
            HasSubstr("  moment1       0 B   256 B  "),
            HasSubstr("  all_reduce dp"), HasSubstr("collective_start"),
            Not(HasSubstr("  master")), Not(HasSubstr("pipeline stage"))));
}

TEST(DiffTest, StagesAndMessagesAreCompared) {
  PipelineOptions options;
  options.stages = 2;
  options.microbatches = 4;
  const plan::Plan before = MakePipelinePlan(options);
  options.stages = 4;
  const plan::Plan after = MakePipelinePlan(options);
  EXPECT_THAT(Diff(before, after),
              AllOf(HasSubstr("stages         2\n               4\n"),
                    HasSubstr("  activation 2>3       0      4      +4\n"),
                    Not(HasSubstr("  activation 0>1")),
                    HasSubstr("\npipeline stage 3\n")));
}

}  // namespace
}  // namespace mpc::runtime
