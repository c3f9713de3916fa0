#include "runtime/verify/verify.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/data/synthetic_tokens.h"
#include "runtime/testing/bigram_plan.h"
#include "runtime/testing/pipeline_plan.h"

namespace mpc::runtime {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

absl::Status VerifyPlans(const plan::Plan& plan, const plan::Plan& reference,
                         VerifyOptions options = {}) {
  const SyntheticTokens source(1, plan.training().global_batch(),
                               plan.training().vocabulary());
  if (options.steps == 0) options.steps = 3;
  options.seed = 1;
  return Verify(plan, reference, source, options);
}

std::string ErrorOf(const plan::Plan& plan, const plan::Plan& reference,
                    VerifyOptions options = {}) {
  const absl::Status status = VerifyPlans(plan, reference, options);
  EXPECT_FALSE(status.ok());
  return std::string(status.message());
}

// The options of a reference with the same optimizer.
BigramOptions Reference(bool adam = false) {
  BigramOptions options;
  options.adam = adam;
  return options;
}

BigramOptions Mesh(int64_t dp, int64_t cp) {
  BigramOptions options;
  options.dp = dp;
  options.cp = cp;
  return options;
}

TEST(VerifyTest, EveryMeshAgreesWithTheReference) {
  for (bool adam : {false, true}) {
    const plan::Plan reference = MakeBigramPlan(Reference(adam));
    for (bool zero : {false, true}) {
      for (int64_t microbatches : {1, 2}) {
        for (const auto& [dp, cp] : std::vector<std::pair<int, int>>{
                 {1, 1}, {2, 1}, {4, 1}, {1, 2}, {2, 2}}) {
          BigramOptions options = Mesh(dp, cp);
          options.adam = adam;
          options.zero = zero;
          options.microbatches = microbatches;
          const absl::Status status =
              VerifyPlans(MakeBigramPlan(options), reference);
          EXPECT_TRUE(status.ok()) << status << " adam " << adam << " zero "
                                   << zero << " microbatches " << microbatches
                                   << " dp " << dp << " cp " << cp;
        }
      }
    }
  }
}

TEST(VerifyTest, ReportsEachStep) {
  std::vector<StepReport> reports;
  VerifyOptions options;
  options.after_step = [&](const StepReport& report) {
    reports.push_back(report);
    return absl::OkStatus();
  };
  ASSERT_TRUE(VerifyPlans(MakeBigramPlan(Mesh(2, 1)),
                          MakeBigramPlan(Reference()), options)
                  .ok());
  ASSERT_EQ(reports.size(), 3u);
  EXPECT_EQ(reports[2].step, 3);
  EXPECT_GT(reports[2].loss, 0);
  EXPECT_FLOAT_EQ(reports[2].loss, reports[2].reference_loss);
  // Four observables, the parameter and the counter.
  EXPECT_EQ(reports[2].compared, 6);
  EXPECT_LE(reports[2].worst_share, 1);
}

TEST(VerifyTest, AWrongGradientIsNamedWithItsOp) {
  BigramOptions options = Mesh(2, 1);
  options.loss_kernel = "cross_entropy_wrong";
  EXPECT_THAT(ErrorOf(MakeBigramPlan(options), MakeBigramPlan(Reference())),
              AllOf(StartsWith("step 1: gradient of w at [0, 0] is "),
                    HasSubstr(" on ranks 0, 1 together, the reference has "),
                    HasSubstr("; it comes from logits.backward\n")));
}

// The loss alone would not show it: gradients do.
TEST(VerifyTest, AMissingReductionIsFoundInReplicasAndParameters) {
  BigramOptions options = Mesh(2, 1);
  options.omit_gradient_reduction = true;
  EXPECT_THAT(ErrorOf(MakeBigramPlan(options), MakeBigramPlan(Reference())),
              AllOf(HasSubstr("grad_norm"),
                    HasSubstr("parameter w after the update at [0, 0] is "),
                    HasSubstr("on rank 1 (dp=1) and "),
                    HasSubstr("on rank 0 (dp=0), which hold replicas")));
}

plan::State& StateOf(plan::Plan& plan, plan::StateKind kind) {
  plan::Role& role = *plan.mutable_roles(0);
  for (plan::State& state : *role.mutable_states())
    if (state.kind() == kind) return state;
  ADD_FAILURE() << "no state of that kind";
  return *role.mutable_states(0);
}

plan::Command& AddToUpdate(plan::Plan& plan) {
  plan::Role& role = *plan.mutable_roles(0);
  return *role.mutable_lists(role.lists_size() - 1)->add_commands();
}

TEST(VerifyTest, AReplicaThatNobodyReadsIsComparedToo) {
  BigramOptions options = Mesh(2, 1);
  options.zero = true;
  plan::Plan plan = MakeBigramPlan(options);
  const plan::Slice compute = StateOf(plan, plan::STATE_KIND_COMPUTE).slice();
  plan::KeepOnFirstCommand& keep = *AddToUpdate(plan).mutable_keep_on_first();
  *keep.mutable_source() = compute;
  *keep.mutable_destination() = compute;
  EXPECT_THAT(ErrorOf(plan, MakeBigramPlan(Reference())),
              AllOf(StartsWith("step 1: compute copy of w at [0, 0] is 0 on "
                               "rank 1 (dp=1) and "),
                    HasSubstr("on rank 0 (dp=0), which hold replicas")));
}

// Only ids below 6 occur: the last two rows of `w` are padding.
plan::Plan MakePaddedPlan(const BigramOptions& options) {
  plan::Plan plan = MakeBigramPlan(options);
  plan.mutable_training()->set_vocabulary(6);
  for (plan::State& state : *plan.mutable_roles(0)->mutable_states())
    if (state.name() == "w") state.set_logical_sizes(0, 6);
  return plan;
}

TEST(VerifyTest, PaddingStartsAsZeroAndHasToStaySo) {
  const plan::Plan reference = MakePaddedPlan(Reference());
  plan::Plan plan = MakePaddedPlan(Mesh(2, 1));
  const absl::Status status = VerifyPlans(plan, reference);
  EXPECT_TRUE(status.ok()) << status;

  plan::FillCommand& fill = *AddToUpdate(plan).mutable_fill();
  fill.set_value(1);
  plan::Slice& rows = *fill.mutable_destination();
  rows = StateOf(plan, plan::STATE_KIND_MASTER).slice();
  rows.set_sizes(0, 2);
  rows.set_offset_bytes(rows.offset_bytes() + 6 * 8 * sizeof(float));
  EXPECT_THAT(ErrorOf(plan, reference),
              StartsWith("step 1: parameter w after the update at [6, 0] is 1 "
                         "on rank 0 (dp=0); expected 0, it is padding beyond "
                         "[6, 8]"));
}

// A drift that would be out of tolerance after a few steps.
TEST(VerifyTest, EachStepStartsFromTheReferencesState) {
  BigramOptions options;
  options.standard_deviation = 0;
  const plan::Plan reference = MakeBigramPlan(options);
  plan::Plan plan = reference;
  for (plan::Kernel& kernel : *plan.mutable_target()->mutable_kernels())
    if (kernel.symbol() == "sgd") kernel.set_symbol("sgd_drift");
  double worst = 0;
  VerifyOptions verify;
  verify.steps = 10;
  verify.after_step = [&](const StepReport& report) {
    worst = std::max(worst, report.worst_share);
    return absl::OkStatus();
  };
  const absl::Status status = VerifyPlans(plan, reference, verify);
  EXPECT_TRUE(status.ok()) << status;
  EXPECT_GT(worst, 0.3);
}

TEST(VerifyTest, OtherInitialValuesAreFoundBeforeTheFirstStep) {
  BigramOptions options;
  options.standard_deviation = 0.25;
  EXPECT_THAT(ErrorOf(MakeBigramPlan(options), MakeBigramPlan(Reference())),
              StartsWith("step 1: the initial value of parameter w at [0, 0] "
                         "is "));
}

TEST(VerifyTest, APlanEqualsItselfToTheBit) {
  VerifyOptions options;
  options.check.exact = true;
  const plan::Plan plan = MakeBigramPlan(Reference(/*adam=*/true));
  EXPECT_TRUE(VerifyPlans(plan, plan, options).ok());
}

TEST(VerifyTest, AddingInAnotherOrderIsNotExact) {
  VerifyOptions options;
  options.check.exact = true;
  EXPECT_THAT(
      ErrorOf(MakeBigramPlan(Mesh(4, 1)), MakeBigramPlan(Reference()), options),
      HasSubstr("allowed are 0"));
}

TEST(VerifyTest, AFreeRunComparesLossesOnly) {
  VerifyOptions options;
  options.steps = 8;
  options.check.free_run = true;
  const plan::Plan reference = MakeBigramPlan(Reference(/*adam=*/true));
  BigramOptions mesh = Mesh(2, 2);
  mesh.adam = true;
  int64_t steps = 0;
  options.after_step = [&](const StepReport& report) {
    steps = report.step;
    EXPECT_EQ(report.compared, 1);
    return absl::OkStatus();
  };
  const absl::Status status =
      VerifyPlans(MakeBigramPlan(mesh), reference, options);
  EXPECT_TRUE(status.ok()) << status;
  EXPECT_EQ(steps, 8);
}

TEST(VerifyTest, AFreeRunThatDriftsAwayIsFound) {
  VerifyOptions options;
  options.steps = 50;
  options.check.free_run = true;
  BigramOptions sgd;
  sgd.loss_kernel = "cross_entropy_wrong";
  EXPECT_THAT(
      ErrorOf(MakeBigramPlan(sgd), MakeBigramPlan(Reference()), options),
      HasSubstr("loss"));
}

TEST(VerifyTest, ALossThatIsNotANumberDiffers) {
  BigramOptions options;
  options.loss_kernel = "cross_entropy_not_a_number";
  for (bool free_run : {false, true}) {
    VerifyOptions verify;
    verify.check.free_run = free_run;
    EXPECT_THAT(
        ErrorOf(MakeBigramPlan(options), MakeBigramPlan(Reference()), verify),
        HasSubstr("metric loss is nan on rank 0"));
  }
}

TEST(VerifyTest, AnErrorOfTheReferenceEndsTheRun) {
  plan::Plan reference = MakeBigramPlan(Reference());
  for (plan::State& state : *reference.mutable_roles(0)->mutable_states())
    if (state.name() == "seed") state.set_name("temperature");
  EXPECT_THAT(ErrorOf(MakeBigramPlan(Mesh(2, 1)), reference),
              HasSubstr("reference: "));
}

PipelineOptions Pipeline(int64_t stages, int64_t dp) {
  PipelineOptions options;
  options.stages = stages;
  options.dp = dp;
  options.microbatches = 4;
  return options;
}

TEST(VerifyTest, APipelineAgreesWithTheReference) {
  const plan::Plan reference = MakePipelinePlan(Pipeline(1, 1));
  for (const int64_t stages : {2, 4}) {
    VerifyOptions exact;
    exact.check.exact = true;
    int compared = 0;
    exact.after_step = [&](const StepReport& report) {
      compared = report.compared;
      return absl::OkStatus();
    };
    absl::Status status =
        VerifyPlans(MakePipelinePlan(Pipeline(stages, 1)), reference, exact);
    EXPECT_TRUE(status.ok()) << status;
    // Four gradients and three metrics; four parameters, each with two moments,
    // and the counter.
    EXPECT_EQ(compared, 4 + 3 + 4 * 3 + 1);
    status = VerifyPlans(MakePipelinePlan(Pipeline(stages, 2)), reference);
    EXPECT_TRUE(status.ok()) << status;
  }
}

TEST(VerifyTest, ADifferenceOnALaterStageIsNamedWithItsRanks) {
  PipelineOptions options = Pipeline(2, 2);
  options.omit_gradient_reduction = true;
  EXPECT_THAT(
      ErrorOf(MakePipelinePlan(options), MakePipelinePlan(Pipeline(1, 1))),
      AllOf(HasSubstr("parameter layer.3 after the update at [0, 0] is "),
            HasSubstr("on rank 3 (pp=1 dp=1) and "),
            HasSubstr("on rank 2 (pp=1 dp=0), which hold replicas"),
            HasSubstr(" on rank 2, the reference has ")));
}

// The last stage writes its loss over its norm.
TEST(VerifyTest, ReplicasOnSeveralStagesAreCompared) {
  const plan::Plan reference = MakePipelinePlan(Pipeline(1, 1));
  plan::Plan plan = MakePipelinePlan(Pipeline(2, 1));
  plan::Role& role = *plan.mutable_roles(1);
  plan::CopyCommand& copy = *role.mutable_lists(role.lists_size() - 1)
                                 ->add_commands()
                                 ->mutable_copy();
  for (const plan::State& state : role.states())
    if (state.kind() == plan::STATE_KIND_METRIC) {
      if (state.name() == "loss") *copy.mutable_source() = state.slice();
      if (state.name() == "grad_norm")
        *copy.mutable_destination() = state.slice();
    }
  EXPECT_THAT(ErrorOf(plan, reference),
              AllOf(StartsWith("step 1: metric grad_norm is "),
                    HasSubstr("on rank 1 (pp=1) and "),
                    HasSubstr("on rank 0 (pp=0), which hold replicas")));
}

TEST(VerifyTest, StagesThatHoldAStateDifferentlyAreRefused) {
  const plan::Plan reference = MakePipelinePlan(Pipeline(1, 1));
  const plan::Plan sound = MakePipelinePlan(Pipeline(2, 2));
  auto error_without = [&](plan::StateKind kind) {
    plan::Plan plan = sound;
    for (plan::State& state : *plan.mutable_roles(1)->mutable_states())
      if (state.kind() == kind) state.add_global_sizes(1);
    return ErrorOf(plan, reference);
  };
  EXPECT_THAT(error_without(plan::STATE_KIND_COUNTER),
              HasSubstr("counter step of stage 1 differs in type, sizes or "
                        "sharding from that of an earlier stage"));
  plan::Plan plan = sound;
  plan::Role& role = *plan.mutable_roles(1);
  role.mutable_observables(0)->set_name("layer.0");
  EXPECT_THAT(ErrorOf(plan, reference),
              HasSubstr("observable layer.0 of stage 1 differs"));
}

// One way to spoil the comparison, and what is said about it.
struct Spoilt {
  std::function<void(plan::Plan&)> spoil;
  std::string message;
};

TEST(VerifyTest, WhatCannotBeComparedIsRefused) {
  const std::vector<Spoilt> cases = {
      {[](plan::Plan& p) { p.set_model_hash("other"); },
       "the plan's model is bigram with hash other, the reference's bigram "
       "with hash bigram"},
      {[](plan::Plan& p) { p.mutable_training()->set_sequence_length(5); },
       "the plan's sequence_length is 5, the reference's 4"},
      {[](plan::Plan& p) { p.mutable_training()->set_global_batch(4); },
       "the plan's global_batch is 4, the reference's 8"},
      {[](plan::Plan& p) { p.mutable_training()->set_vocabulary(7); },
       "the plan's vocabulary is 7, the reference's 8"},
      {[](plan::Plan& p) {
         p.mutable_training()->mutable_learning_rate()->set_decay_steps(5);
       },
       "the plan's learning rate is {"},
      {[](plan::Plan& p) {
         p.mutable_roles(0)->mutable_states(0)->set_name("u");
       },
       "parameter u is in the plan but not in the reference"},
      {[](plan::Plan& p) {
         p.mutable_roles(0)->mutable_states(0)->set_logical_sizes(0, 7);
       },
       "parameter w is f32 [7, 8] in the plan, f32 [8, 8] in the reference"},
      {[](plan::Plan& p) {
         p.mutable_roles(0)->mutable_observables(0)->set_name("norm");
       },
       "observable norm is in the plan but not in the reference"},
      {[](plan::Plan& p) {
         p.mutable_roles(0)->mutable_observables()->RemoveLast();
       },
       "is in the reference but not in the plan"},
      {[](plan::Plan& p) { p.mutable_roles(0)->clear_observables(); },
       "the plan has no observables"},
  };
  for (const Spoilt& spoilt : cases) {
    plan::Plan plan = MakeBigramPlan({});
    spoilt.spoil(plan);
    EXPECT_THAT(ErrorOf(plan, MakeBigramPlan({})), HasSubstr(spoilt.message));
  }
  EXPECT_THAT(ErrorOf(MakeBigramPlan({}), MakeBigramPlan(Mesh(2, 1))),
              HasSubstr("the reference has 2 ranks, expected one"));
  // With Adam the reference has moments that the plan lacks.
  EXPECT_THAT(ErrorOf(MakeBigramPlan({}), MakeBigramPlan(Reference(true))),
              HasSubstr("first moment of w is in the reference but not in the "
                        "plan"));
}

}  // namespace
}  // namespace mpc::runtime
