#include "runtime/verify/tolerance.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace mpc::runtime {
namespace {

using Values = std::vector<double>;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

Comparison CompareWithin(const Values& value, const Values& reference,
                         double allowed) {
  return Compare({value, reference}, [&](int64_t) { return allowed; });
}

TEST(TensorAllowanceTest, TheLargestElementDecides) {
  const Values reference = {1, -4, 2};
  EXPECT_DOUBLE_EQ(TensorAllowance(reference, 0, 1), 4e-5);
  EXPECT_DOUBLE_EQ(TensorAllowance(reference, 0, kSquareFactor), 8e-5);
  // A tensor that is noise beside the rest of the model.
  EXPECT_DOUBLE_EQ(TensorAllowance(Values{1e-9}, 2, 1), 2e-7);
}

TEST(TensorAllowanceTest, NarrowFloatsMayDifferByUnitsOfTheirs) {
  const Values reference = {1, -4, 2};
  EXPECT_DOUBLE_EQ(TensorAllowance(reference, 0, 1,
                                   TolerancesOf(plan::DATA_TYPE_F32)),
                   4e-5);
  EXPECT_DOUBLE_EQ(TensorAllowance(reference, 0, 1,
                                   TolerancesOf(plan::DATA_TYPE_BF16)),
                   0.125);
  EXPECT_DOUBLE_EQ(TensorAllowance(reference, 0, 1,
                                   TolerancesOf(plan::DATA_TYPE_F16)),
                   0x1p-6);
  EXPECT_DOUBLE_EQ(
      TensorAllowance(Values{1e-9}, 2, 1, TolerancesOf(plan::DATA_TYPE_BF16)),
      0x1p-7);
}

// What other parameters show of Adam's bias correction counts where a tensor's own
// update shows less, as where ε dominates.
TEST(UpdateAllowanceTest, TheBiasCorrectionIsAtLeastThatOfTheModel) {
  const Values before = {0}, after = {0.25};
  const Values m = {2}, m_reference = {1}, v = {1};
  UpdateFacts facts;
  facts.learning_rate = 0.25;
  facts.before = before;
  facts.after = after;
  facts.moment1 = {m, m_reference};
  facts.moment2 = {v, v};
  const double own = UpdateAllowance(facts)[0];
  facts.least_correction = 2;
  EXPECT_DOUBLE_EQ(UpdateAllowance(facts)[0] - own, 0.25);
}

TEST(TensorAllowanceTest, WhatIsNotFiniteAllowsNothing) {
  EXPECT_DOUBLE_EQ(TensorAllowance(Values{kInfinity, kNaN, 1}, 0, 1), 1e-5);
}

TEST(CompareTest, TheFirstElementOutOfToleranceIsReported) {
  const Comparison result = CompareWithin({1, 2.5, 3, 9}, {1, 2, 3, 4}, 0.75);
  ASSERT_TRUE(result.first.has_value());
  EXPECT_EQ(result.first->position, 3);
  EXPECT_EQ(result.first->value, 9);
  EXPECT_EQ(result.first->reference, 4);
  EXPECT_EQ(result.first->allowed, 0.75);
}

TEST(CompareTest, TheLimitItselfIsWithinTolerance) {
  const Comparison result = CompareWithin({1.5}, {1}, 0.5);
  EXPECT_FALSE(result.first.has_value());
  EXPECT_EQ(result.worst_share, 1);
  EXPECT_TRUE(CompareWithin({1.5}, {1}, 0.25).first.has_value());
}

TEST(CompareTest, NaNEqualsOnlyNaN) {
  EXPECT_FALSE(CompareWithin({kNaN}, {kNaN}, 0).first.has_value());
  EXPECT_TRUE(CompareWithin({kNaN}, {1}, 1e9).first.has_value());
  EXPECT_TRUE(CompareWithin({1}, {kNaN}, 1e9).first.has_value());
  EXPECT_FALSE(CompareWithin({kInfinity}, {kInfinity}, 0).first.has_value());
  EXPECT_TRUE(CompareWithin({1}, {kInfinity}, kInfinity).first.has_value());
}

// Facts of one parameter; all spans are of members.
struct Update {
  Values before, after, gradient, gradient_reference;
  Values m, m_reference, v, v_reference;
  double learning_rate = 0;

  Values Allowance() const {
    UpdateFacts facts;
    facts.learning_rate = learning_rate;
    facts.before = before;
    facts.after = after;
    facts.gradient = {gradient, gradient_reference};
    facts.moment1 = {m, m_reference};
    facts.moment2 = {v, v_reference};
    return UpdateAllowance(facts);
  }
};

TEST(UpdateAllowanceTest, WithEqualInputsOnlyRoundingIsAllowed) {
  Update update;
  update.before = {1, 0.5};
  update.after = {1.25, 0.5};
  update.m = update.m_reference = {3, 1};
  update.v = update.v_reference = {4, 1};
  update.learning_rate = 100;
  const Values allowed = update.Allowance();
  EXPECT_DOUBLE_EQ(allowed[0], 0.25e-5 + 1.25 * 4 / (1 << 23));
  EXPECT_DOUBLE_EQ(allowed[1], 0.25e-5 + 0.5 * 4 / (1 << 23));
}

TEST(UpdateAllowanceTest, GradientDifferencesExplainThatMuchOfTheUpdate) {
  Update update;
  update.before = update.after = {0};
  update.gradient = {1.5};
  update.gradient_reference = {1};
  update.learning_rate = 0.25;
  EXPECT_DOUBLE_EQ(update.Allowance()[0], 0.125);
}

// For every epsilon the bound holds: m/(√v + ε) of both sides, c = 1.
TEST(UpdateAllowanceTest, MomentDifferencesBoundTheUpdateForEveryEpsilon) {
  const Values moments = {-3e-9, -1e-9, 0, 2e-9, 1e-3};
  const Values squares = {1e-18, 9e-18, 1e-6};
  for (double m : moments) {
    for (double m_reference : moments) {
      for (double v : squares) {
        for (double v_reference : squares) {
          Update update;
          update.before = {0};
          update.after = {1e9};  // so that the cap does not matter
          update.m = {m};
          update.m_reference = {m_reference};
          update.v = {v};
          update.v_reference = {v_reference};
          update.learning_rate = 1e9;
          const double allowed = update.Allowance()[0];
          for (double epsilon : {0.0, 1e-10, 1e-8, 1.0}) {
            const double difference =
                1e9 *
                std::abs(m / (std::sqrt(v) + epsilon) -
                         m_reference / (std::sqrt(v_reference) + epsilon));
            if (difference < 2e9) EXPECT_LE(difference, allowed);
          }
        }
      }
    }
  }
}

// Here c is 3, as a beta2 far below 1 has it in early steps.
TEST(UpdateAllowanceTest, BiasCorrectionIsReadOffTheReferencesUpdate) {
  Update update;
  update.before = {0, 0};
  update.after = {-0.75, 0.75};
  update.m = {1, 1.5};
  update.m_reference = {1, 1};
  update.v = update.v_reference = {1, 1};
  update.learning_rate = 0.25;
  EXPECT_DOUBLE_EQ(update.Allowance()[1],
                   0.75e-5 + 0.75 * 4 / (1 << 23) + 0.25 * 3 * 0.5);
}

TEST(UpdateAllowanceTest, NoMoreIsExplainedThanTwoLargestChanges) {
  Update update;
  update.before = {0, 0};
  update.after = {0.5, 0};
  update.m = {1, 1};
  update.m_reference = {1, -1};
  update.v = {1, 0};
  update.v_reference = {1, 0};
  update.learning_rate = 0.25;
  EXPECT_DOUBLE_EQ(update.Allowance()[1], 0.5e-5 + 2 * (0.5 + 0.25));
}

}  // namespace
}  // namespace mpc::runtime
