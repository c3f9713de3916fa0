//===- PlanGoldenTest.cpp - compiled steps against PyTorch ------*- C++ -*-===//
//
// The small models of this folder, compiled for several meshes and run on
// ranks: loss, every gradient and the course of the loss are those of Hugging
// Face's models on PyTorch, to what single precision gives.
//
//===----------------------------------------------------------------------===//

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "runtime/plan/plan_reader.h"
#include "test/oracle/Golden.h"
#include "test/oracle/ObservedSteps.h"
#include "gtest/gtest.h"
#include <cmath>

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
  void ReadPositions(int64_t sample, int64_t begin,
                     absl::Span<int32_t> positions) const override {
    if (golden.positions.values.empty())
      return BatchSource::ReadPositions(sample, begin, positions);
    read(golden.positions, sample, begin, positions);
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

class PlanGolden : public ::testing::TestWithParam<std::string> {
protected:
  void SetUp() override {
    const std::string model = GetParam().substr(0, GetParam().find('.'));
    const std::string file =
        absl::StrCat(MPC_GOLDEN_FOLDER, "/", model, "_golden.txt");
    std::optional<Golden> numbers = readGolden(file);
    ASSERT_TRUE(numbers) << file;
    golden = *std::move(numbers);
    observed = observe();
  }

  std::vector<ObservedStep> observe() {
    auto plan =
        LoadPlan(absl::StrCat(MPC_GOLDEN_PLANS, "/", GetParam(), ".plan"));
    EXPECT_TRUE(plan.ok()) << plan.status();
    auto steps = observeSteps(
        *plan,
        [&](const plan::State &state) {
          const Golden::Tensor &value = golden.parameters.at(state.name());
          return std::vector<float>(value.values.begin(), value.values.end());
        },
        GoldenBatch(golden), golden.steps.size());
    EXPECT_TRUE(steps.ok()) << steps.status();
    return *std::move(steps);
  }

  double scalar(size_t step, const std::string &name) {
    return observed[step].at(name).at(0);
  }

  Golden golden;
  std::vector<ObservedStep> observed;
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

TEST_P(PlanGolden, TwoRunsAreEqualToTheBit) { EXPECT_EQ(observe(), observed); }

INSTANTIATE_TEST_SUITE_P(, PlanGolden, ::testing::Values(MPC_GOLDEN_NAMES),
                         [](const auto &info) {
                           return absl::StrReplaceAll(info.param, {{".", "_"}});
                         });

} // namespace
} // namespace mpc::runtime
