//===- ReportedPlansTest.cpp - failures of other systems --------*- C++ -*-===//
//
// Publicly reported failures of systems for training large models in how tokens are
// counted and what an optimizer touches, on compiled plans, each by what must hold
// instead. Sample 2m + r of a step is rank r's in microbatch m where dp = 2, and
// microbatch 2m + r of the one rank where there are four.
//
//===----------------------------------------------------------------------===//

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "runtime/plan/plan_reader.h"
#include "test/oracle/ObservedSteps.h"
#include <cmath>
#include <numeric>

namespace mpc {
namespace {

constexpr int kVocabulary = 13;
constexpr int kSamples = 4;

/// Labels stand at the first places of a sample; the others have none.
struct LabelledSample {
  int labels;
  int label;
};

/// The samples of the first step, the second and so on; the last stays.
class LabelledBatch : public runtime::BatchSource {
public:
  using Step = std::vector<LabelledSample>;
  explicit LabelledBatch(std::vector<Step> steps) : steps(std::move(steps)) {}

  void ReadIds(int64_t sample, int64_t begin,
               absl::Span<int32_t> ids) const override {
    for (size_t i = 0; i < ids.size(); ++i)
      ids[i] = (sample * 5 + (begin + i) * 3) % kVocabulary;
  }
  void ReadLabels(int64_t sample, int64_t begin,
                  absl::Span<int32_t> labels) const override {
    size_t step = std::min<size_t>(sample / kSamples, steps.size() - 1);
    const LabelledSample &of = steps[step][sample % kSamples];
    for (size_t i = 0; i < labels.size(); ++i)
      labels[i] = int64_t(begin + i) < of.labels ? of.label : -1;
  }

private:
  std::vector<Step> steps;
};

int64_t countElements(const plan::State &state) {
  return std::accumulate(state.logical_sizes().begin(),
                         state.logical_sizes().end(), int64_t{1},
                         std::multiplies<>());
}

/// Some numbers without a pattern, between -0.5 and 0.5.
std::vector<float> arbitrary(const plan::State &state) {
  std::vector<float> values(countElements(state));
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = std::sin(1.7f * i + 0.3f * state.name().size()) / 2;
  return values;
}

/// Parameters with which the logit of token t is t · scale everywhere: the last
/// norm gives its bias, which is the first unit vector.
InitialParameter logitsAre(float scale) {
  return [scale](const plan::State &state) {
    std::vector<float> values = arbitrary(state);
    if (state.name() == "transformer.ln_f.weight")
      values.assign(values.size(), 0);
    if (state.name() == "transformer.ln_f.bias") {
      values.assign(values.size(), 0);
      values[0] = 1;
    }
    if (state.name() == "transformer.wte.weight")
      for (int token = 0; token < kVocabulary; ++token)
        values[token * values.size() / kVocabulary] = scale * token;
    return values;
  };
}

/// The loss of one token under logitsAre(1).
double tokenLoss(int label) {
  double sum = 0;
  for (int token = 0; token < kVocabulary; ++token)
    sum += std::exp(token);
  return std::log(sum) - label;
}

class ReportedPlans : public ::testing::TestWithParam<std::string> {
protected:
  static std::vector<ObservedStep>
  observe(const std::string &name, const InitialParameter &parameter,
          std::vector<LabelledBatch::Step> labels, int steps) {
    auto plan =
        runtime::LoadPlan(absl::StrCat(MPC_REPORTED_PLANS, "/", name, ".plan"));
    EXPECT_TRUE(plan.ok()) << plan.status();
    auto observed =
        observeSteps(*plan, parameter, LabelledBatch(std::move(labels)), steps);
    EXPECT_TRUE(observed.ok()) << observed.status();
    return *std::move(observed);
  }

  std::vector<ObservedStep> observe(const InitialParameter &parameter,
                                    std::vector<LabelledBatch::Step> labels,
                                    int steps = 1) {
    return observe(GetParam(), parameter, std::move(labels), steps);
  }

  /// Every gradient is the reference's, which has each sample by itself.
  void expectReferenceGradients(const LabelledBatch::Step &labels) {
    ObservedStep expected = observe("reference", arbitrary, {labels}, 1)[0];
    ObservedStep found = observe(arbitrary, {labels})[0];
    int gradients = 0;
    for (const auto &[name, values] : expected) {
      if (!absl::StartsWith(name, "grad:"))
        continue;
      ++gradients;
      double largest = 0, difference = 0;
      for (size_t i = 0; i < values.size(); ++i) {
        largest = std::max(largest, std::fabs(values[i]));
        difference =
            std::max(difference, std::fabs(values[i] - found.at(name)[i]));
      }
      EXPECT_LE(difference, 1e-5 * largest + 1e-7) << name;
    }
    EXPECT_GT(gradients, 20);
  }
};

// Ranks and microbatches divided by their own number of tokens.
TEST_P(ReportedPlans, LossIsDividedByTheTokensOfTheWholeStep) {
  // 7 + 3 labels on rank 0, 1 + 1 on rank 1 with a much larger loss each.
  LabelledBatch::Step labels = {{7, 12}, {1, 0}, {3, 12}, {1, 0}};
  ObservedStep step = observe(logitsAre(1), {labels})[0];
  EXPECT_EQ(step.at("valid_tokens")[0], 12);
  double expected = (10 * tokenLoss(12) + 2 * tokenLoss(0)) / 12;
  EXPECT_NEAR(step.at("loss")[0], expected, 1e-5);
  // The mean of two ranks' means would be three times as much.
  EXPECT_GT((tokenLoss(12) + tokenLoss(0)) / 2, 2.5 * expected);
  expectReferenceGradients(labels);
}

// Microbatches counted the same however many trained tokens they had.
TEST_P(ReportedPlans, AMicrobatchWithoutALabelCountsForNothing) {
  LabelledBatch::Step labels = {{5, 12}, {0, 0}, {3, 0}, {0, 0}};
  ObservedStep step = observe(logitsAre(1), {labels})[0];
  EXPECT_EQ(step.at("valid_tokens")[0], 8);
  EXPECT_NEAR(step.at("loss")[0], (5 * tokenLoss(12) + 3 * tokenLoss(0)) / 8,
              1e-5);
  expectReferenceGradients(labels);
}

// A window without a trained token gave NaN, or decayed weights and moments.
TEST_P(ReportedPlans, AStepWithoutALabelChangesNoState) {
  LabelledBatch::Step some = {{5, 12}, {0, 0}, {3, 0}, {8, 4}};
  LabelledBatch::Step none(kSamples, {0, 0});
  std::vector<ObservedStep> steps = observe(arbitrary, {some, none, some}, 3);
  EXPECT_EQ(steps[1].at("loss")[0], 0);
  EXPECT_EQ(steps[1].at("grad_norm")[0], 0);
  int states = 0;
  for (const auto &[name, values] : steps[0]) {
    bool isState = absl::StartsWith(name, "parameter:") ||
                   absl::StartsWith(name, "moment1:") ||
                   absl::StartsWith(name, "moment2:");
    if (!isState)
      continue;
    ++states;
    EXPECT_EQ(steps[1].at(name), values) << name;
    EXPECT_NE(steps[2].at(name), values) << name;
  }
  EXPECT_GT(states, 60);
  EXPECT_TRUE(std::isfinite(steps[2].at("loss")[0]));
}

// Norms and biases were decayed after a change of defaults, or because their pieces
// have one dimension like any flattened buffer.
TEST_P(ReportedPlans, ZeroGradientsDecayMatricesAndNothingElse) {
  // The labelled token has a probability of exactly 1.
  InitialParameter certain = logitsAre(1000);
  LabelledBatch::Step labels(kSamples, {8, kVocabulary - 1});
  std::map<std::string, std::vector<float>> before;
  auto plan = runtime::LoadPlan(
      absl::StrCat(MPC_REPORTED_PLANS, "/", GetParam(), ".plan"));
  ASSERT_TRUE(plan.ok()) << plan.status();
  for (const plan::State &state : plan->roles(0).states())
    if (state.kind() == plan::STATE_KIND_MASTER)
      before[state.name()] = certain(state);
  ObservedStep step = observe(certain, {labels})[0];
  EXPECT_EQ(step.at("valid_tokens")[0], 32);
  EXPECT_EQ(step.at("grad_norm")[0], 0);
  int decayed = 0, kept = 0;
  for (const auto &[name, values] : before) {
    const std::vector<double> &after = step.at("parameter:" + name);
    ASSERT_EQ(after.size(), values.size());
    bool decays =
        !absl::StrContains(name, "ln_") && !absl::EndsWith(name, ".bias");
    (decays ? decayed : kept)++;
    for (size_t i = 0; i < values.size(); ++i)
      EXPECT_FLOAT_EQ(after[i], values[i] * (decays ? 1 - 0.1f * 0.5f : 1))
          << name;
  }
  EXPECT_EQ(decayed, 2 + 2 * 6); // Tables; q, k, v, c_proj, c_fc, c_proj.
  EXPECT_EQ(kept, 2 + 2 * (4 + 6));
}

INSTANTIATE_TEST_SUITE_P(, ReportedPlans,
                         ::testing::Values("reference", "microbatches4", "dp2",
                                           "dp2_zero", "tp2_dp2_sequence_zero"),
                         [](const auto &info) { return info.param; });

} // namespace
} // namespace mpc
