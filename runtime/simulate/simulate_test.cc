#include "runtime/simulate/simulate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "runtime/simulate/simulate_for_test.h"
#include "runtime/simulate/world.h"
#include "runtime/testing/bigram_plan.h"
#include "runtime/testing/pipeline_plan.h"

namespace mpc::runtime {
namespace {

using ::testing::DoubleNear;
using ::testing::HasSubstr;

Simulation RunPlan(const plan::Plan& plan,
                   const cluster::Cluster& cluster = RoundCluster(),
                   bool fold = true, bool record = false) {
  SimulateOptions options;
  options.fold = fold;
  options.record = record;
  auto simulation = Simulate(plan, cluster::Pricing(cluster), options);
  EXPECT_TRUE(simulation.ok()) << simulation.status();
  return *std::move(simulation);
}

auto Near(double seconds) { return DoubleNear(seconds, 1e-12); }

const CommunicationTime& Of(const Simulation& simulation,
                            const std::string& name) {
  for (size_t i = 0; i < simulation.categories.size(); ++i)
    if (simulation.categories[i] == name)
      return simulation.rank_times[0].communication[i];
  ADD_FAILURE() << "no " << name;
  return simulation.rank_times[0].communication[0];
}

// ------------------------------------------------------------ one stage, by
// hand

TEST(SimulateTest, ComputingHidesACollective) {
  const Simulation result =
      RunPlan(OneList(Start(0, 0) + Gemm20() + Gemm20() + Gemm20() + Wait(0)));
  EXPECT_THAT(result.step_seconds, Near(60e-6));
  EXPECT_THAT(result.rank_times[0].computing.products, Near(60e-6));
  EXPECT_THAT(Of(result, "all_reduce tp").exposed_seconds, Near(0));
  EXPECT_THAT(Of(result, "all_reduce tp").hidden_seconds, Near(40e-6));
  EXPECT_EQ(Of(result, "all_reduce tp").count, 1);
  EXPECT_EQ(Of(result, "all_reduce tp").bytes, 400000);
}

TEST(SimulateTest, WhatComputingDoesNotHideIsExposed) {
  const Simulation result =
      RunPlan(OneList(Gemm20() + Start(0, 0) + Gemm20() + Wait(0) + Gemm20()));
  EXPECT_THAT(result.step_seconds, Near(80e-6));
  EXPECT_THAT(Of(result, "all_reduce tp").exposed_seconds, Near(20e-6));
  EXPECT_THAT(Of(result, "all_reduce tp").hidden_seconds, Near(20e-6));
  EXPECT_THAT(result.rank_times[0].bubble_seconds, Near(0));
}

TEST(SimulateTest, TransfersOfOneGroupFollowEachOther) {
  // Side by side both would end after 80 us, and the product after 100.
  const Simulation result = RunPlan(
      OneList(Start(0, 0) + Start(1, 0) + Wait(0) + Gemm20() + Wait(1)));
  EXPECT_THAT(result.step_seconds, Near(80e-6));
  EXPECT_THAT(Of(result, "all_reduce tp").exposed_seconds, Near(60e-6));
}

TEST(SimulateTest, TransfersOfTwoGroupsShareTheLinksOfTheirLevel) {
  // Alone each takes 40 us. The second begins when 20 us of the first are left.
  const Simulation result = RunPlan(OneList(
      Start(0, 0) + Gemm20() + Start(1, 1) + Wait(0) + Gemm20() + Wait(1)));
  // 20 us left at half speed; then 20 us of the second at full speed, beside
  // the product.
  EXPECT_THAT(Of(result, "all_reduce tp").exposed_seconds, Near(40e-6));
  EXPECT_THAT(Of(result, "all_reduce dp").exposed_seconds, Near(0));
  EXPECT_THAT(result.step_seconds, Near(80e-6));
}

TEST(SimulateTest, TransfersOverDifferentLevelsDoNotDisturbEachOther) {
  cluster::Cluster cluster = RoundCluster();
  cluster.mutable_links(0)->set_devices(2);  // dp now crosses the network.
  const Simulation result =
      RunPlan(OneList(Start(0, 0) + Start(1, 1) + Wait(0) + Wait(1)), cluster);
  // 400,000 bytes over two members at 1 GB/s.
  EXPECT_THAT(result.step_seconds, Near(400e-6));
  EXPECT_THAT(Of(result, "all_reduce tp").exposed_seconds, Near(40e-6));
}

TEST(SimulateTest, ADeviceThatCannotOverlapWaitsInTheStart) {
  cluster::Cluster cluster = RoundCluster();
  cluster.mutable_device()->set_overlaps_transfers(false);
  const Simulation result = RunPlan(
      OneList(Start(0, 0) + Gemm20() + Gemm20() + Gemm20() + Wait(0)), cluster);
  EXPECT_THAT(result.step_seconds, Near(100e-6));
  EXPECT_THAT(Of(result, "all_reduce tp").exposed_seconds, Near(40e-6));
}

TEST(SimulateTest, RatesAreThoseOfAllRanks) {
  const Simulation result = RunPlan(OneList(Gemm20()));
  EXPECT_EQ(result.tokens, 32);
  EXPECT_EQ(result.ranks, 4);
  EXPECT_THAT(result.flops.hardware, DoubleNear(4 * 2e6, 1));
  EXPECT_THAT(result.hardware_flops_utilisation, DoubleNear(1, 1e-9));
  EXPECT_EQ(result.peak_flops, 1e11);
}

// Every product of a linear layer's forward pass comes again as its weight's
// gradient.
TEST(SimulateTest, ModelOperationsLeaveRecomputationOut) {
  plan::Plan plan = OneList(Gemm20() + Gemm20() + Gemm20("w", 0) + Gemm20());
  auto& gradient = *plan.mutable_roles(0)
                        ->mutable_lists(0)
                        ->mutable_commands(2)
                        ->mutable_gemm()
                        ->mutable_destination();
  gradient.set_region(plan::REGION_PERSISTENT);
  plan::State& state = *plan.mutable_roles(0)->add_states();
  state.set_kind(plan::STATE_KIND_ACCUMULATOR);
  *state.mutable_slice() = gradient;
  const Simulation result = RunPlan(plan);
  EXPECT_THAT(result.flops.hardware, DoubleNear(4 * 4 * 2e6, 1));
  EXPECT_THAT(result.flops.model, DoubleNear(4 * 3 * 2e6, 1));
}

/// A product of scores, which has no weight.
std::string Scores() {
  std::string text = Gemm20("h.0.attn");
  return text.insert(text.find("left"), "batch { count: 1 } ");
}

TEST(SimulateTest, ModelOperationsOfUnfusedAttentionAreThoseOfTheForwardPass) {
  plan::Plan plan = OneList(Scores() + Gemm20("w", 0) + Scores() + Scores());
  auto& gradient = *plan.mutable_roles(0)
                        ->mutable_lists(0)
                        ->mutable_commands(1)
                        ->mutable_gemm()
                        ->mutable_destination();
  gradient.set_region(plan::REGION_PERSISTENT);
  plan::State& state = *plan.mutable_roles(0)->add_states();
  state.set_kind(plan::STATE_KIND_ACCUMULATOR);
  *state.mutable_slice() = gradient;
  const Simulation result = RunPlan(plan);
  EXPECT_THAT(result.flops.model, DoubleNear(4 * 2 * 3 * 2e6, 1));
}

// ------------------------------------------------------------ pipelines

/// A pipeline whose forward passes are one product of 20 us, backward passes
/// two, and that does nothing else; communication is free.
plan::Plan EvenPipeline(int64_t stages, int64_t microbatches) {
  PipelineOptions options;
  options.stages = stages;
  options.microbatches = microbatches;
  plan::Plan plan = MakePipelinePlan(options);
  const plan::Command product = OneList(Gemm20()).roles(0).lists(0).commands(0);
  for (plan::Role& role : *plan.mutable_roles()) {
    for (plan::CommandList& list : *role.mutable_lists()) {
      if (list.phase() == plan::PHASE_TRANSFER) continue;
      list.clear_commands();
      const int products = list.phase() == plan::PHASE_FORWARD    ? 1
                           : list.phase() == plan::PHASE_BACKWARD ? 2
                                                                  : 0;
      for (int i = 0; i < products; ++i) *list.add_commands() = product;
    }
  }
  return plan;
}

cluster::Cluster FreeCommunication() {
  cluster::Cluster cluster = RoundCluster();
  for (cluster::Link& link : *cluster.mutable_links())
    link.set_bytes_per_second(1e30);
  return cluster;
}

TEST(SimulateTest, TheBubbleOf1F1BIsStagesLessOneByMicrobatches) {
  for (const int64_t stages : {2, 4})
    for (const int64_t microbatches : {4, 8}) {
      const Simulation result =
          RunPlan(EvenPipeline(stages, microbatches), FreeCommunication());
      const double ideal = microbatches * 60e-6;
      EXPECT_THAT(result.step_seconds, Near(ideal + (stages - 1) * 60e-6));
      for (const RankTime& time : result.rank_times) {
        EXPECT_THAT(time.computing.total(), Near(ideal));
        EXPECT_THAT(time.bubble_seconds / ideal,
                    DoubleNear((stages - 1.0) / microbatches, 1e-9));
      }
    }
}

TEST(SimulateTest, PartsOfEachRankAddUpToTheStep) {
  PipelineOptions options;
  options.stages = 4;
  options.microbatches = 8;
  const Simulation result = RunPlan(MakePipelinePlan(options));
  for (const RankTime& time : result.rank_times)
    EXPECT_THAT(
        time.computing.total() + time.exposed_seconds() + time.bubble_seconds,
        Near(result.step_seconds));
}

TEST(SimulateTest, MessagesTakeTimeAndArriveInOrder) {
  const Simulation free = RunPlan(EvenPipeline(2, 4), FreeCommunication());
  cluster::Cluster cluster = FreeCommunication();
  for (cluster::Link& link : *cluster.mutable_links())
    link.set_latency_seconds(5e-6);
  const Simulation slow = RunPlan(EvenPipeline(2, 4), cluster);
  // The first activation on its way there and the last gradient on its way
  // back; in between a stage has to wait for what the other has just made of
  // what it sent.
  EXPECT_GT(slow.step_seconds, free.step_seconds + 2 * 4.9e-6);
  EXPECT_LT(slow.step_seconds, free.step_seconds + 2 * 4 * 5.1e-6);
  EXPECT_EQ(slow.rank_times[0].communication[0].count, 8);
}

TEST(SimulateTest, SlotsAreHeldFromForwardToBackward) {
  PipelineOptions options;
  options.stages = 4;
  options.microbatches = 8;
  const plan::Plan plan = MakePipelinePlan(options);
  const Simulation result = RunPlan(plan);
  for (int stage = 0; stage < 4; ++stage) {
    EXPECT_EQ(result.memory[stage].slots_in_use, 4 - stage);
    EXPECT_GE(result.memory[stage].arena_bytes,
              result.memory[stage].peak_bytes);
    EXPECT_EQ(result.memory_over_time[stage].size(),
              plan.roles(stage).schedule_size());
  }
}

// ------------------------------------------------------------ folding

TEST(SimulateTest, FoldingChangesNothing) {
  for (const int64_t stages : {1, 2, 4}) {
    PipelineOptions options;
    options.stages = stages;
    options.dp = 2;
    options.microbatches = 4;
    const plan::Plan plan = MakePipelinePlan(options);
    cluster::Cluster cluster = RoundCluster();
    cluster.mutable_links(1)->set_latency_seconds(1e-7);
    cluster.mutable_links(1)->set_sharing(2);
    const Simulation folded = RunPlan(plan, cluster, true, true);
    const Simulation all = RunPlan(plan, cluster, false, true);
    EXPECT_EQ(folded.rank_times.size(), stages);
    ASSERT_EQ(all.rank_times.size(), 2 * stages);
    EXPECT_THAT(all.step_seconds, Near(folded.step_seconds));
    EXPECT_EQ(all.flops.model, folded.flops.model);
    for (const RankTime& time : all.rank_times) {
      const RankTime& same = folded.rank_times[time.stage];
      EXPECT_THAT(time.computing.total(), Near(same.computing.total()));
      EXPECT_THAT(time.exposed_seconds(), Near(same.exposed_seconds()));
      EXPECT_THAT(time.hidden_seconds(), Near(same.hidden_seconds()));
      EXPECT_THAT(time.bubble_seconds, Near(same.bubble_seconds));
    }
    EXPECT_EQ(all.timelines[0].lists.size(), folded.timelines[0].lists.size());
  }
}

TEST(SimulateTest, AFoldedStageSendsAsFarAsItsFarthestRank) {
  PipelineOptions options;
  options.stages = 2;
  options.dp = 2;
  options.microbatches = 4;
  const plan::Plan plan = MakePipelinePlan(options);
  cluster::Cluster cluster = RoundCluster();
  // Ranks 0, 1 and 2 are in a node, so 1 alone sends out of it, to 3.
  cluster.mutable_links(0)->set_devices(3);
  const cluster::Pricing pricing(cluster);
  const SimulatedWorld folded(plan, pricing, true), all(plan, pricing, false);
  const plan::Channel& forward = plan.channels(0);
  EXPECT_THAT(all.MessageParts(forward, 0, 1000).total(), Near(1e-7));
  EXPECT_THAT(all.MessageParts(forward, 1, 1000).total(), Near(1e-6));
  EXPECT_THAT(folded.MessageParts(forward, 0, 1000).total(), Near(1e-6));
  // From stage 2 to 3 the first of two goes farther.
  options.stages = 4;
  cluster.mutable_links(0)->set_devices(5);
  const plan::Plan longer = MakePipelinePlan(options);
  const cluster::Pricing fives(cluster);
  EXPECT_THAT(SimulatedWorld(longer, fives, true)
                  .MessageParts(longer.channels(4), 2, 1000)
                  .total(),
              Near(1e-6));
}

TEST(SimulateTest, ABigramTakesWhatItsCommandsTake) {
  BigramOptions options;
  options.dp = 2;
  options.microbatches = 2;
  cluster::Cluster cluster = RoundCluster();
  cluster.mutable_device()->set_launch_seconds(1e-6);
  const plan::Plan plan = MakeBigramPlan(options);
  const Simulation result = RunPlan(plan, cluster);
  int64_t commands = 0, collectives = 0;
  for (const plan::ScheduleEntry& entry : plan.roles(0).schedule())
    for (const plan::Command& command :
         plan.roles(0).lists(entry.list()).commands())
      ++(command.has_collective_start()  ? collectives
         : command.has_collective_wait() ? collectives
                                         : commands);
  EXPECT_GT(collectives, 0);
  // Operands are tiny: nothing but launches is longer than a nanosecond or so.
  EXPECT_NEAR(result.step_seconds, commands * 1e-6,
              (commands + collectives) * 50e-9);
  EXPECT_GT(result.step_seconds, commands * 1e-6);
}

// ------------------------------------------------------------ what cannot be

TEST(SimulateTest, TooFewDevicesAreAnError) {
  cluster::Cluster cluster = RoundCluster();
  cluster.set_devices(3);
  const auto result =
      Simulate(OneList(Gemm20()), cluster::Pricing(cluster), {});
  EXPECT_EQ(result.status().message(),
            "the plan has 4 ranks, but cluster round has 3 devices");
}

TEST(SimulateTest, APlanThatDoesNotFitIsToldByItsWorstStage) {
  plan::Plan plan = OneList(Gemm20());
  EXPECT_EQ(RunPlan(plan).OverflowingStage(), -1);
  plan.mutable_roles(0)->set_persistent_bytes(900'000);
  EXPECT_EQ(RunPlan(plan).OverflowingStage(), 0);
  EXPECT_EQ(RunPlan(plan).usable_bytes, 900'000);
}

TEST(SimulateTest, AStepThatNeverEndsIsAnError) {
  plan::Plan plan = EvenPipeline(2, 4);
  // The first stage no longer sends its first activation.
  for (plan::CommandList& list : *plan.mutable_roles(0)->mutable_lists())
    if (list.name() == "send") list.clear_commands();
  const auto result = Simulate(plan, cluster::Pricing(RoundCluster()), {});
  EXPECT_EQ(result.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(result.status().message()),
              HasSubstr("waits for ever in list"));
}

}  // namespace
}  // namespace mpc::runtime
