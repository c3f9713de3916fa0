//===- PlanGoldenTest.cpp - compiled steps against PyTorch ------*- C++ -*-===//
//
// The small GPT-2 of this folder, compiled for several meshes and run on ranks:
// loss, every gradient and the course of the loss are those of Hugging Face's
// model on PyTorch, to what single precision gives.
//
//===----------------------------------------------------------------------===//

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "runtime/executor/launch.h"
#include "runtime/plan/plan_reader.h"
#include "runtime/status_macros.h"
#include "runtime/train/step_runner.h"
#include "runtime/verify/followed_states.h"
#include "runtime/verify/logical_tensor.h"
#include "test/oracle/Golden.h"
#include <cmath>
#include <mutex>

namespace mpc::runtime {
namespace {

/// The golden batch, again in every step.
class GoldenBatch : public BatchSource {
public:
  explicit GoldenBatch(const Golden &golden) : golden(golden) {}

  void ReadIds(int64_t sample, int64_t begin,
               absl::Span<int32_t> ids) const override {
    read(golden.ids, sample, begin, ids);
  }
  void ReadLabels(int64_t sample, int64_t begin,
                  absl::Span<int32_t> labels) const override {
    read(golden.labels, sample, begin, labels);
  }

private:
  static void read(const Golden::Tensor &tensor, int64_t sample, int64_t begin,
                   absl::Span<int32_t> to) {
    int64_t row = sample % tensor.shape[0] * tensor.shape[1];
    for (size_t i = 0; i < to.size(); ++i)
      to[i] = tensor.values[row + begin + i];
  }

  const Golden &golden;
};

/// Logical tensors by the name of the observable, a map a step.
using Observed = std::map<std::string, std::vector<double>>;

class PlanGolden : public ::testing::TestWithParam<std::string> {
protected:
  void SetUp() override {
    std::optional<Golden> numbers = readGolden(MPC_GOLDEN_FILE);
    ASSERT_TRUE(numbers) << MPC_GOLDEN_FILE;
    golden = *std::move(numbers);
    auto read = LoadPlan(
        absl::StrCat(MPC_GOLDEN_PLANS, "/", GetParam(), ".plan"));
    ASSERT_TRUE(read.ok()) << read.status();
    plan = *std::move(read);
    observed.resize(golden.steps.size());
    absl::Status status = LaunchRanks(
        plan, {}, [&](RankProgram &program) { return runRank(program); });
    ASSERT_TRUE(status.ok()) << status;
  }

  absl::Status runRank(RankProgram &program) {
    MPC_RETURN_IF_ERROR(program.InitializeState(/*seed=*/0));
    for (int index : program.StatesOfKind(plan::STATE_KIND_MASTER)) {
      const plan::State &state = program.role().states(index);
      const Golden::Tensor &value = golden.parameters.at(state.name());
      std::vector<float> whole(value.values.begin(), value.values.end());
      WritePiece(plan.mesh(), state, program.rank(),
                 {reinterpret_cast<const char *>(whole.data()),
                  whole.size() * sizeof(float)},
                 program.StateBytes(index));
    }
    GoldenBatch batch(golden);
    MPC_ASSIGN_OR_RETURN(StepRunner runner,
                         StepRunner::Create(&program, &batch, /*seed=*/0));
    for (size_t step = 0; step < golden.steps.size(); ++step) {
      SavedObservables saved;
      MPC_RETURN_IF_ERROR(runner.Run(step + 1, [&](int entry) {
        SaveObservables(program, entry, saved);
        return absl::OkStatus();
      }));
      MPC_RETURN_IF_ERROR(gather(program, saved, observed[step]));
    }
    return absl::OkStatus();
  }

  /// Joins the ranks' parts, on the first rank.
  absl::Status gather(RankProgram &program, const SavedObservables &saved,
                      Observed &to) {
    for (const ObservedState &observable : ObservablesOf(plan)) {
      MPC_ASSIGN_OR_RETURN(
          std::vector<std::string> pieces,
          program.world().Gather(saved.at(observable.name), /*root=*/0));
      if (program.rank() != 0)
        continue;
      MPC_ASSIGN_OR_RETURN(AssembledTensor whole,
                           Assemble(plan.mesh(), *observable.state, pieces));
      EXPECT_FALSE(whole.replica_difference) << observable.name;
      EXPECT_FALSE(whole.padding) << observable.name;
      to[observable.name] = std::move(whole.values);
    }
    return absl::OkStatus();
  }

  double scalar(size_t step, const std::string &name) {
    return observed[step].at(name).at(0);
  }

  Golden golden;
  plan::Plan plan;
  std::vector<Observed> observed;
};

TEST_P(PlanGolden, LossAndEveryGradientAreThoseOfPyTorch) {
  EXPECT_EQ(scalar(0, "valid_tokens"), golden.validTokens);
  EXPECT_NEAR(scalar(0, "loss"), golden.loss, 1e-5 * golden.loss);
  for (const auto &[name, expected] : golden.gradients) {
    ASSERT_EQ(observed[0].count("grad:" + name), 1u) << name;
    const std::vector<double> &found = observed[0].at("grad:" + name);
    ASSERT_EQ(found.size(), expected.values.size()) << name;
    double largest = 0, difference = 0;
    for (size_t i = 0; i < found.size(); ++i) {
      largest = std::max(largest, std::fabs(expected.values[i]));
      difference =
          std::max(difference, std::fabs(found[i] - expected.values[i]));
    }
    // The gradient of a key's bias is 0 but for rounding.
    EXPECT_LE(difference, 1e-5 * largest + 1e-8) << name;
  }
}

TEST_P(PlanGolden, StepsAreThoseOfPyTorch) {
  for (size_t step = 0; step < golden.steps.size(); ++step) {
    const Golden::Step &expected = golden.steps[step];
    EXPECT_NEAR(scalar(step, "loss"), expected.loss, 1e-5 * expected.loss)
        << step;
    EXPECT_NEAR(scalar(step, "grad_norm"), expected.gradNorm,
                1e-4 * expected.gradNorm)
        << step;
  }
}

INSTANTIATE_TEST_SUITE_P(, PlanGolden, ::testing::Values(MPC_GOLDEN_NAMES),
                         [](const auto &info) { return info.param; });

} // namespace
} // namespace mpc::runtime
