//===- ExactIntegersTest.cpp - equal bit for bit on every mesh --*- C++ -*-===//
//
// A model of products and relu whose parameters are small integers and whose
// number of valid tokens is a power of two: every sum is exact in single precision,
// and in half precision for the smallest, in whatever order it is taken. So loss, gradients and updated parameters of
// every mesh equal the naive reference's, with ==.
//
//===----------------------------------------------------------------------===//

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "runtime/plan/plan_reader.h"
#include "test/oracle/ObservedSteps.h"

namespace mpc {
namespace {

constexpr int64_t kValidTokens = 16;

/// Mixes the bits of a number (the finalizer of MurmurHash3).
uint32_t mix(uint32_t bits) {
  bits = (bits ^ bits >> 16) * 0x85ebca6b;
  bits = (bits ^ bits >> 13) * 0xc2b2ae35;
  return bits ^ bits >> 16;
}

/// Random ids; of all tokens of a step kValidTokens, scattered over it, have a
/// label, so ranks and microbatches have different numbers of them.
class IntegerBatch : public runtime::BatchSource {
public:
  explicit IntegerBatch(const plan::Training &training) : training(training) {}

  void ReadIds(int64_t sample, int64_t begin,
               absl::Span<int32_t> ids) const override {
    for (size_t i = 0; i < ids.size(); ++i)
      ids[i] = idAt(position(sample, begin + i));
  }
  void ReadLabels(int64_t sample, int64_t begin,
                  absl::Span<int32_t> labels) const override {
    int64_t tokens = training.global_batch() * training.sequence_length();
    for (size_t i = 0; i < labels.size(); ++i) {
      int64_t at = position(sample, begin + i);
      // 11 has no factor in common with the sizes: a permutation of the tokens.
      bool valid = at * 11 % tokens < kValidTokens;
      labels[i] = valid ? idAt(at + 1) : -1;
    }
  }

private:
  int64_t position(int64_t sample, int64_t place) const {
    return sample % training.global_batch() * training.sequence_length() + place;
  }
  int32_t idAt(int64_t position) const {
    return mix(position) % training.vocabulary();
  }

  const plan::Training &training;
};

/// -1, 0 or 1, by name and index.
std::vector<float> integersOf(const plan::State &state) {
  int64_t count = 1;
  for (int64_t size : state.logical_sizes())
    count *= size;
  uint32_t seed = 0;
  for (char c : state.name())
    seed = mix(seed + c);
  std::vector<float> values(count);
  for (int64_t i = 0; i < count; ++i)
    values[i] = static_cast<int>(mix(seed + i) % 3) - 1;
  return values;
}

absl::StatusOr<ObservedStep> observe(const std::string &name) {
  auto plan =
      runtime::LoadPlan(absl::StrCat(MPC_EXACT_PLANS, "/", name, ".plan"));
  if (!plan.ok())
    return plan.status();
  auto steps = observeSteps(*plan, integersOf, IntegerBatch(plan->training()),
                            /*steps=*/1);
  if (!steps.ok())
    return steps.status();
  return std::move(steps->front());
}

class ExactIntegers : public ::testing::TestWithParam<std::string> {};

TEST_P(ExactIntegers, EqualTheReferenceBitForBit) {
  // The name begins with the model's.
  auto reference =
      observe(absl::StrCat("reference_", GetParam().substr(0, 1)));
  ASSERT_TRUE(reference.ok()) << reference.status();
  auto found = observe(GetParam());
  ASSERT_TRUE(found.ok()) << found.status();

  EXPECT_EQ(reference->at("valid_tokens"), std::vector<double>{kValidTokens});
  ASSERT_EQ(found->size(), reference->size());
  for (const auto &[name, expected] : *reference) {
    EXPECT_EQ(found->at(name), expected) << name;
    // A gradient of nothing but zeros would prove nothing.
    if (name.substr(0, 5) == "grad:")
      EXPECT_NE(expected, std::vector<double>(expected.size())) << name;
  }
}

INSTANTIATE_TEST_SUITE_P(, ExactIntegers, ::testing::Values(MPC_EXACT_NAMES),
                         [](const auto &info) { return info.param; });

} // namespace
} // namespace mpc
