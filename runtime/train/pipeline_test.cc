// Plans of several stages against the same model in one, bit for bit.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "runtime/data/synthetic_tokens.h"
#include "runtime/executor/launch.h"
#include "runtime/plan/validate.h"
#include "runtime/status_macros.h"
#include "runtime/testing/pipeline_plan.h"
#include "runtime/train/step_runner.h"
#include "runtime/train/train.h"

namespace mpc::runtime {
namespace {

/// By "kind name dp=i": the bytes that any stage has.
using Bytes = std::map<std::string, std::string>;

/// The coordinate on the axis `dp`; 0 without one.
int64_t DpOf(const RankProgram& program) {
  const plan::Mesh& mesh = program.plan().mesh();
  for (int i = 0; i < mesh.axes_size(); ++i)
    if (mesh.axes(i).name() == "dp") return program.coordinates()[i];
  return 0;
}

/// Adds a rank's state; a replica has to be the same.
void AddStates(const RankProgram& program, Bytes& out) {
  for (plan::StateKind kind :
       {plan::STATE_KIND_MASTER, plan::STATE_KIND_MOMENT1,
        plan::STATE_KIND_MOMENT2, plan::STATE_KIND_ACCUMULATOR,
        plan::STATE_KIND_METRIC, plan::STATE_KIND_COUNTER})
    for (int index : program.StatesOfKind(kind)) {
      const absl::Span<char> bytes = program.StateBytes(index);
      const std::string key = absl::StrCat(plan::StateKind_Name(kind), " ",
                                           program.role().states(index).name(),
                                           " dp=", DpOf(program));
      const auto [place, is_new] =
          out.emplace(key, std::string(bytes.data(), bytes.size()));
      if (!is_new)
        EXPECT_TRUE(place->second == std::string(bytes.data(), bytes.size()))
            << key << " differs between stages";
    }
}

/// The state after each of three steps.
std::vector<Bytes> RunSteps(const PipelineOptions& options) {
  constexpr int kSteps = 3;
  const plan::Plan plan = MakePipelinePlan(options);
  const absl::Status valid = ValidatePlan(plan);
  EXPECT_TRUE(valid.ok()) << valid;
  const SyntheticTokens source(1, plan.training().global_batch(),
                               plan.training().vocabulary());
  std::vector<Bytes> steps(kSteps);
  std::mutex mutex;
  const absl::Status status =
      LaunchRanks(plan, {}, [&](RankProgram& program) -> absl::Status {
        MPC_RETURN_IF_ERROR(program.InitializeState(/*seed=*/1));
        MPC_ASSIGN_OR_RETURN(StepRunner runner,
                             StepRunner::Create(&program, &source, 1));
        for (int step = 1; step <= kSteps; ++step) {
          MPC_RETURN_IF_ERROR(runner.Run(step, nullptr));
          const std::lock_guard<std::mutex> lock(mutex);
          AddStates(program, steps[step - 1]);
        }
        return absl::OkStatus();
      });
  EXPECT_TRUE(status.ok()) << status;
  return steps;
}

TEST(PipelineTest, StagesDoNotChangeABit) {
  for (const auto [dp, microbatches] :
       {std::pair(1, 1), std::pair(1, 2), std::pair(1, 8), std::pair(2, 4)}) {
    PipelineOptions options;
    options.dp = dp;
    options.microbatches = microbatches;
    const std::vector<Bytes> expected = RunSteps(options);
    // Three metrics, the counter, and four states of four layers.
    ASSERT_EQ(expected[0].size(), static_cast<size_t>(dp * (3 + 1 + 4 * 4)));
    ASSERT_TRUE(expected[0] != expected[1]);
    for (const int stages : {2, 4}) {
      options.stages = stages;
      const std::vector<Bytes> found = RunSteps(options);
      for (size_t step = 0; step < expected.size(); ++step) {
        EXPECT_EQ(found[step].size(), expected[step].size());
        for (const auto& [key, bytes] : expected[step])
          EXPECT_TRUE(found[step].count(key) && found[step].at(key) == bytes)
              << key << " differs in step " << step + 1 << ": stages " << stages
              << " dp " << dp << " microbatches " << microbatches;
      }
    }
  }
}

// Rank 0, which the log speaks of, is on the first stage.
TEST(PipelineTest, TheLogOfTheFirstStageIsThatOfTheModel) {
  std::vector<std::pair<double, double>> records[2];
  for (const int stages : {1, 4}) {
    PipelineOptions options;
    options.stages = stages;
    options.microbatches = 4;
    const plan::Plan plan = MakePipelinePlan(options);
    const SyntheticTokens source(1, plan.training().global_batch(),
                                 plan.training().vocabulary());
    TrainOptions train;
    train.steps = 10;
    train.seed = 1;
    train.after_step = [&](const StepRecord& record) {
      records[stages > 1].emplace_back(record.loss, record.grad_norm);
      return absl::OkStatus();
    };
    const absl::Status status = Train(plan, source, train);
    ASSERT_TRUE(status.ok()) << status;
  }
  ASSERT_EQ(records[0].size(), 10u);
  EXPECT_EQ(records[0], records[1]);
  EXPECT_NE(records[0].back(), records[0].front());
}

TEST(PipelineTest, AMetricThatTheFirstStageLacksIsNamed) {
  PipelineOptions options;
  options.stages = 2;
  plan::Plan plan = MakePipelinePlan(options);
  for (plan::State& state : *plan.mutable_roles(0)->mutable_states())
    if (state.name() == "loss") state.set_name("cost");
  const SyntheticTokens source(1, plan.training().global_batch(),
                               plan.training().vocabulary());
  TrainOptions train;
  train.steps = 1;
  train.after_step = [](const StepRecord&) { return absl::OkStatus(); };
  EXPECT_EQ(std::string(Train(plan, source, train).message()),
            "rank 0: stage 0 of the plan has no STATE_KIND_METRIC \"loss\"; it "
            "has cost, grad_norm, valid_tokens");
}

// Arenas differ by stage: the first keeps as many microbatches as there are
// stages.
TEST(PipelineTest, TheMemoryOfAPlanIsThatOfEachStagesRanks) {
  PipelineOptions options;
  options.stages = 2;
  options.dp = 2;
  options.microbatches = 4;
  const plan::Plan plan = MakePipelinePlan(options);
  EXPECT_EQ(plan.roles(0).slots(), 2u);
  EXPECT_EQ(plan.roles(1).slots(), 1u);
  const uint64_t first = RequiredBytes(plan.roles(0));
  const uint64_t second = RequiredBytes(plan.roles(1));
  EXPECT_NE(first, second);
  EXPECT_EQ(RequiredBytes(plan), 2 * first + 2 * second);
}

// What a stage states is what its ranks allocate, to the byte.
TEST(PipelineMemoryTest, EveryStageAllocatesWhatItStates) {
  PipelineOptions options;
  options.stages = 4;
  options.dp = 2;
  options.microbatches = 2;
  const plan::Plan plan = MakePipelinePlan(options);
  std::mutex mutex;
  std::map<uint32_t, uint64_t> allocated;
  const absl::Status status = LaunchRanks(plan, {}, [&](RankProgram& program) {
    EXPECT_EQ(program.arena_bytes(), RequiredBytes(program.role()));
    const std::lock_guard<std::mutex> lock(mutex);
    allocated[program.role().stage()] += program.arena_bytes();
    return absl::OkStatus();
  });
  ASSERT_TRUE(status.ok()) << status;
  ASSERT_EQ(allocated.size(), 4u);
  uint64_t total = 0;
  for (const plan::Role& role : plan.roles()) {
    EXPECT_EQ(allocated[role.stage()], 2 * RequiredBytes(role));
    total += allocated[role.stage()];
  }
  EXPECT_EQ(total, RequiredBytes(plan));
}

}  // namespace
}  // namespace mpc::runtime
