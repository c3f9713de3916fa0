#include "runtime/simulate/assumptions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/simulate/recompute_whole.h"
#include "runtime/simulate/simulate.h"
#include "runtime/simulate/simulate_for_test.h"

namespace mpc::runtime {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

double Step(const plan::Plan& plan) {
  return Simulate(plan, cluster::Pricing(RoundCluster()), {})->step_seconds;
}

plan::CommandList& FirstList(plan::Plan& plan) {
  return *plan.mutable_roles(0)->mutable_lists(0);
}

TEST(AssumptionsTest, NamesAreRead) {
  const auto some = ParseAssumptions("recompute-whole,overlap-steps");
  ASSERT_TRUE(some.ok());
  EXPECT_TRUE(some->recompute_whole);
  EXPECT_TRUE(some->overlap_steps);
  EXPECT_FALSE(some->overlap_products);
  EXPECT_THAT(std::string(ParseAssumptions("magic").status().message()),
              HasSubstr("--assume has magic, expected some of "
                        "recompute-whole, overlap-products, overlap-steps, "
                        "reduce-late, eager-attention, split-optimizer"));
}

TEST(AssumptionsTest, ACollectiveOverlapsTheProductThatMakesItsOperand) {
  plan::Plan plan = OneList(Gemm20() + Start(0, 0) + Wait(0) + Gemm20());
  FirstList(plan)
      .mutable_commands(0)
      ->mutable_gemm()
      ->mutable_destination()
      ->set_region(plan::REGION_PERSISTENT);
  FirstList(plan)
      .mutable_commands(0)
      ->mutable_gemm()
      ->mutable_destination()
      ->set_offset_bytes(0);
  EXPECT_DOUBLE_EQ(Step(plan), 80e-6);
  Assumptions assumptions;
  assumptions.overlap_products = true;
  EXPECT_DOUBLE_EQ(Step(Assume(plan, assumptions)), 60e-6);
}

TEST(AssumptionsTest, ACollectiveOverlapsTheProductsThatReadItsResult) {
  plan::Plan plan =
      OneList(Start(0, 0) + Wait(0) + Gemm20() + Gemm20() + Gemm20());
  for (int i : {2, 3}) {
    plan::Slice* left =
        FirstList(plan).mutable_commands(i)->mutable_gemm()->mutable_left();
    left->set_region(plan::REGION_PERSISTENT);
    left->set_offset_bytes(0);
  }
  EXPECT_DOUBLE_EQ(Step(plan), 100e-6);
  Assumptions assumptions;
  assumptions.overlap_products = true;
  EXPECT_DOUBLE_EQ(Step(Assume(plan, assumptions)), 60e-6);
}

TEST(AssumptionsTest, EagerAttentionReadsAndWritesItsScoresMoreOften) {
  const std::string scores =
      "{ type: DATA_TYPE_F32 sizes: 1000 region: REGION_TRANSIENT }";
  plan::Plan plan = OneList("commands { kernel { kernel: 1 inputs " + scores +
                            " outputs " + scores + " } }");
  Assumptions assumptions;
  assumptions.eager_attention = true;
  // 8,000 bytes at 100 GB/s.
  EXPECT_DOUBLE_EQ(Step(Assume(plan, assumptions)), 0.08e-6);
  plan::Kernel& kernel = *plan.mutable_target()->mutable_kernels(1);
  kernel.set_description("masked_softmax attention_dropout");
  EXPECT_NEAR(Step(Assume(plan, assumptions)), 5 * 0.08e-6, 1e-15);
  kernel.set_description("attention_dropout masked_softmax_grad");
  EXPECT_NEAR(Step(Assume(plan, assumptions)), 4 * 0.08e-6, 1e-15);
}

/// Prologue, two backward passes of which the last reduces, and an update.
plan::Plan FourLists() {
  plan::Plan plan = OneList(Gemm20());
  plan::Role& role = *plan.mutable_roles(0);
  role.clear_lists();
  role.clear_schedule();
  const std::vector<std::pair<plan::Phase, std::string>> lists = {
      {plan::PHASE_PROLOGUE, ""},
      {plan::PHASE_FORWARD, Gemm20()},
      {plan::PHASE_BACKWARD, Gemm20() + Start(7, 1) + Gemm20() + Wait(7)},
      {plan::PHASE_UPDATE, Gemm20() + Start(7, 0) + Wait(7)}};
  for (const auto& [phase, commands] : lists) {
    plan::CommandList& list = *role.add_lists();
    list = OneList(commands).roles(0).lists(0);
    list.set_phase(phase);
    role.add_schedule()->set_list(role.lists_size() - 1);
  }
  return plan;
}

TEST(AssumptionsTest, StepsOverlapUpToTheUpdate) {
  const plan::Plan plan = FourLists();
  // 20 + 20 + 40 (of which 20 computing) + 20 + 40.
  EXPECT_DOUBLE_EQ(Step(plan), 140e-6);
  Assumptions assumptions;
  assumptions.overlap_steps = true;
  const plan::Plan overlapped = Assume(plan, assumptions);
  EXPECT_EQ(overlapped.roles(0).lists(2).commands_size(), 3);
  EXPECT_EQ(overlapped.roles(0).lists(3).commands_size(), 4);
  assumptions = {};
  assumptions.reduce_late = true;
  // 20 + 40 + 40 + 20 + 40.
  EXPECT_DOUBLE_EQ(Step(Assume(plan, assumptions)), 160e-6);
}

TEST(AssumptionsTest, ASplitOptimizerScattersGradientsAndGathersParameters) {
  Assumptions assumptions;
  assumptions.split_optimizer = true;
  assumptions.overlap_steps = true;
  const plan::Plan plan = Assume(FourLists(), assumptions);
  const plan::CommandList& prologue = plan.roles(0).lists(0);
  ASSERT_EQ(prologue.commands_size(), 1);
  const auto& gather = prologue.commands(0).collective_start();
  EXPECT_EQ(gather.kind(), plan::COLLECTIVE_KIND_ALL_GATHER);
  EXPECT_EQ(gather.destination().type(), plan::DATA_TYPE_BF16);
  EXPECT_THAT(gather.destination().sizes(), ElementsAre(100000));
  EXPECT_EQ(plan.roles(0).lists(2).commands(1).collective_start().kind(),
            plan::COLLECTIVE_KIND_REDUCE_SCATTER);
  // The gather, 10 us, hides behind the forward pass; the scatter, 20 us,
  // behind the backward pass.
  EXPECT_DOUBLE_EQ(Step(plan), 120e-6);
}

/// A product of layer 0 with the parameter at an offset.
std::string Linear(const std::string& name, int64_t offset) {
  std::string text = Gemm20("h.0." + name);
  const std::string from = "offset_bytes: 3000000 } destination";
  text.replace(text.find(from) - 0, from.size(),
               absl::StrCat("offset_bytes: ", offset, " } destination"));
  const size_t right = text.find("right { region: REGION_TRANSIENT");
  return text.replace(right, 32, "right { region: REGION_PERSISTENT");
}

TEST(RecomputeWholeTest, WhatALayerLeavesOutIsAdded) {
  plan::Plan plan = OneList(Gemm20());
  plan::Role& role = *plan.mutable_roles(0);
  role.clear_lists();
  role.clear_schedule();
  const std::string forward =
      Linear("up", 64) + Linear("down", 128) + Start(0, 0) + Wait(0);
  const std::string back = Gemm20("h.0.up");
  const std::vector<std::pair<plan::Phase, std::string>> lists = {
      {plan::PHASE_FORWARD, forward},
      {plan::PHASE_BACKWARD, Linear("up", 64) + back},
      {plan::PHASE_BACKWARD, back}};
  for (const auto& [phase, commands] : lists) {
    plan::CommandList& list = *role.add_lists();
    list = OneList(commands).roles(0).lists(0);
    for (plan::Command& command : *list.mutable_commands())
      if (command.location() == "sum") command.set_location("h.0.down");
    list.set_phase(phase);
  }
  const plan::Plan whole = RecomputeWhole(plan);
  std::vector<std::string> kinds;
  for (const plan::Command& command : whole.roles(0).lists(1).commands())
    kinds.push_back(command.has_gemm()               ? command.location()
                    : command.has_collective_start() ? "start"
                                                     : "wait");
  EXPECT_THAT(kinds,
              ElementsAre("h.0.up", "h.0.down", "start", "wait", "h.0.up"));
  // A pass that recomputes nothing stays as it is.
  EXPECT_EQ(whole.roles(0).lists(2).commands_size(), 1);
  EXPECT_EQ(whole.roles(0).lists(0).commands_size(), 4);
}

/// A batched product of attention: of scores, or of values, which has other
/// strides.
std::string Batched(bool is_values) {
  std::string text = Gemm20("h.0.attn");
  return text.insert(
      text.find("left"),
      is_values ? "batch { count: 2 left_stride: 7 } " : "batch { count: 2 } ");
}

// Among the gradients is a product like that of the scores, and one like that
// of the values.
TEST(RecomputeWholeTest, OfAttentionTheRestIsAdded) {
  plan::Plan plan = OneList(Gemm20());
  plan::Role& role = *plan.mutable_roles(0);
  role.clear_lists();
  role.clear_schedule();
  const std::string gradients = Batched(false) + Batched(true);
  const std::vector<std::pair<plan::Phase, std::string>> lists = {
      {plan::PHASE_FORWARD, Batched(false) + Batched(true)},
      {plan::PHASE_BACKWARD, Batched(false) + gradients},
      {plan::PHASE_BACKWARD, gradients}};
  for (const auto& [phase, commands] : lists) {
    plan::CommandList& list = *role.add_lists();
    list = OneList(commands).roles(0).lists(0);
    list.set_phase(phase);
  }
  const plan::Plan whole = RecomputeWhole(plan);
  EXPECT_EQ(whole.roles(0).lists(1).commands_size(), 4);
  EXPECT_EQ(whole.roles(0).lists(2).commands_size(), 2);
}

}  // namespace
}  // namespace mpc::runtime
