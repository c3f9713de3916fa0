#include "runtime/data/synthetic_tokens.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

namespace mpc::runtime {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::Ge;
using ::testing::Lt;

constexpr int64_t kLength = 64;

std::vector<int32_t> Ids(const SyntheticTokens& tokens, int64_t sample) {
  std::vector<int32_t> out(kLength);
  tokens.ReadIds(sample, 0, absl::MakeSpan(out));
  return out;
}

std::vector<int32_t> Labels(const SyntheticTokens& tokens, int64_t sample) {
  std::vector<int32_t> out(kLength);
  tokens.ReadLabels(sample, 0, absl::MakeSpan(out));
  return out;
}

int64_t CountLabels(const SyntheticTokens& tokens, int64_t sample) {
  const std::vector<int32_t> labels = Labels(tokens, sample);
  return kLength - std::count(labels.begin(), labels.end(), -1);
}

TEST(SyntheticTokensTest, AllIdsOfTheVocabularyOccurAndNoOthers) {
  const SyntheticTokens tokens(1, 4, 13);
  std::set<int32_t> seen;
  for (int64_t sample = 0; sample < 8; ++sample) {
    const std::vector<int32_t> ids = Ids(tokens, sample);
    EXPECT_THAT(ids, Each(AllOf(Ge(0), Lt(13))));
    seen.insert(ids.begin(), ids.end());
  }
  EXPECT_EQ(seen.size(), 13u);
}

TEST(SyntheticTokensTest, LabelsAreTheIdsOneAheadOrNone) {
  const SyntheticTokens tokens(1, 4, 13);
  for (int64_t sample = 0; sample < 8; ++sample) {
    const std::vector<int32_t> ids = Ids(tokens, sample);
    const std::vector<int32_t> labels = Labels(tokens, sample);
    for (int64_t i = 0; i + 1 < kLength; ++i) {
      if (labels[i] != -1) EXPECT_EQ(labels[i], ids[i + 1]);
    }
  }
}

TEST(SyntheticTokensTest, SamplesHaveDifferentNumbersOfLabelsAlsoNone) {
  const SyntheticTokens tokens(1, 32, 13);
  std::set<int64_t> counts;
  for (int64_t sample = 0; sample < 32; ++sample)
    counts.insert(CountLabels(tokens, sample));
  EXPECT_EQ(*counts.begin(), 0);
  EXPECT_EQ(*counts.rbegin(), kLength);
  EXPECT_GT(counts.size(), 8u);
}

// A step of one sample, too.
TEST(SyntheticTokensTest, TheFirstSampleOfEachStepHasLabels) {
  for (int64_t global_batch : {1, 3}) {
    const SyntheticTokens tokens(1, global_batch, 13);
    for (int64_t step = 0; step < 50; ++step)
      EXPECT_GE(CountLabels(tokens, step * global_batch), 1);
  }
}

TEST(SyntheticTokensTest, PartsOfASampleAreThoseOfTheWhole) {
  const SyntheticTokens tokens(7, 4, 257);
  const std::vector<int32_t> ids = Ids(tokens, 5);
  const std::vector<int32_t> labels = Labels(tokens, 5);
  for (int64_t begin = 0; begin < kLength; begin += 16) {
    std::vector<int32_t> part(16);
    tokens.ReadIds(5, begin, absl::MakeSpan(part));
    EXPECT_TRUE(std::equal(part.begin(), part.end(), ids.begin() + begin));
    tokens.ReadLabels(5, begin, absl::MakeSpan(part));
    EXPECT_TRUE(std::equal(part.begin(), part.end(), labels.begin() + begin));
  }
}

TEST(SyntheticTokensTest, SeedsDiffer) {
  EXPECT_NE(Ids(SyntheticTokens(1, 4, 257), 0),
            Ids(SyntheticTokens(2, 4, 257), 0));
  EXPECT_EQ(Ids(SyntheticTokens(1, 4, 257), 0),
            Ids(SyntheticTokens(1, 4, 257), 0));
}

TEST(SyntheticTokensTest, PaddedSamplesAreOfAllLengths) {
  constexpr int64_t kBatch = 4;
  const SyntheticTokens tokens(1, kBatch, 1 << 30,
                               SyntheticTokens::Padding{7, 8});
  std::set<int64_t> lengths;
  for (int64_t sample = 0; sample < 400; ++sample) {
    std::vector<int32_t> ids(8);
    tokens.ReadIds(sample, 0, absl::MakeSpan(ids));
    const auto end = std::find(ids.begin(), ids.end(), 7);
    EXPECT_EQ(std::count(end, ids.end(), 7), ids.end() - end);
    if (sample % kBatch == 0) EXPECT_EQ(end, ids.end()) << sample;
    lengths.insert(end - ids.begin());
  }
  EXPECT_EQ(lengths.size(), 9u);
}

}  // namespace
}  // namespace mpc::runtime
