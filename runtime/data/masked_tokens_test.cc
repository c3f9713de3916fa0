#include "runtime/data/masked_tokens.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <vector>

namespace mpc::runtime {
namespace {

constexpr int64_t kLength = 64;
constexpr int64_t kVocabulary = 1000;
constexpr int32_t kMask = 3, kPad = 0, kSpecial = 2;

// Padding from position 60 on, a special and a mask token in front of it.
class NumberedTokens : public BatchSource {
 public:
  static int32_t Id(int64_t sample, int64_t position) {
    if (position >= 60) return kPad;
    if (position == 59) return kSpecial;
    if (position == 58) return kMask;
    return 4 + (sample * 7 + position) % (kVocabulary - 4);
  }

  void ReadIds(int64_t sample, int64_t begin,
               absl::Span<int32_t> ids) const override {
    for (size_t i = 0; i < ids.size(); ++i) ids[i] = Id(sample, begin + i);
  }
  void ReadLabels(int64_t, int64_t, absl::Span<int32_t>) const override {
    ADD_FAILURE() << "labels are chosen, not read";
  }
};

plan::Masking Masking(bool has_padding = true) {
  plan::Masking masking;
  masking.set_mask_token(kMask);
  if (has_padding) masking.set_pad_token(kPad);
  masking.add_special_tokens(kSpecial);
  masking.set_rate(0.15);
  masking.set_mask_share(0.8);
  masking.set_random_share(0.1);
  return masking;
}

MaskedTokens Tokens(uint64_t seed, const plan::Masking& masking = Masking()) {
  return MaskedTokens(std::make_unique<NumberedTokens>(), masking, kVocabulary,
                      seed);
}

struct Sample {
  std::vector<int32_t> ids, labels, positions;
  bool operator==(const Sample& other) const {
    return ids == other.ids && labels == other.labels &&
           positions == other.positions;
  }
};

// Read in pieces of `piece` positions, as ranks do that share a sequence.
Sample Read(const MaskedTokens& tokens, int64_t sample,
            int64_t piece = kLength) {
  Sample read;
  for (std::vector<int32_t>* part : {&read.ids, &read.labels, &read.positions})
    part->resize(kLength);
  for (int64_t begin = 0; begin < kLength; begin += piece) {
    const auto part = [&](std::vector<int32_t>& values) {
      return absl::MakeSpan(values).subspan(begin, piece);
    };
    tokens.ReadIds(sample, begin, part(read.ids));
    tokens.ReadLabels(sample, begin, part(read.labels));
    tokens.ReadPositions(sample, begin, part(read.positions));
  }
  return read;
}

// Whether `count` of `trials` is within three standard deviations.
void ExpectRate(int64_t count, int64_t trials, double rate) {
  const double deviation = std::sqrt(trials * rate * (1 - rate));
  EXPECT_NEAR(count, trials * rate, 3 * deviation);
}

TEST(MaskedTokensTest, FifteenPercentAreChosenAndMostOfThemMasked) {
  const MaskedTokens tokens = Tokens(1);
  constexpr int64_t kSamples = 2000;
  int64_t chosen = 0, masked = 0, replaced = 0, kept = 0;
  for (int64_t i = 0; i < kSamples; ++i) {
    const Sample sample = Read(tokens, i);
    for (int64_t p = 0; p < 58; ++p) {
      const int32_t id = NumberedTokens::Id(i, p);
      if (sample.labels[p] == -1) {
        EXPECT_EQ(sample.ids[p], id);
        continue;
      }
      EXPECT_EQ(sample.labels[p], id);
      ++chosen;
      masked += sample.ids[p] == kMask;
      kept += sample.ids[p] == id;
      replaced += sample.ids[p] != kMask && sample.ids[p] != id;
    }
  }
  ExpectRate(chosen, kSamples * 58, 0.15);
  // A random token is the mask or the old one once in a thousand.
  ExpectRate(masked, chosen, 0.8);
  ExpectRate(replaced, chosen, 0.1);
  ExpectRate(kept, chosen, 0.1);
}

TEST(MaskedTokensTest, RandomTokensAreFromTheWholeVocabulary) {
  plan::Masking masking = Masking();
  masking.set_rate(1);
  masking.set_mask_share(0);
  masking.set_random_share(1);
  const MaskedTokens tokens = Tokens(1, masking);
  double sum = 0;
  int64_t count = 0;
  for (int64_t i = 0; i < 500; ++i) {
    const Sample sample = Read(tokens, i);
    for (int64_t p = 0; p < 58; ++p, ++count) {
      EXPECT_GE(sample.ids[p], 0);
      EXPECT_LT(sample.ids[p], kVocabulary);
      sum += sample.ids[p];
    }
  }
  // Uniform: the deviation of one is the vocabulary over the root of 12.
  EXPECT_NEAR(sum / count, (kVocabulary - 1) / 2.0,
              3 * kVocabulary / std::sqrt(12.0 * count));
}

TEST(MaskedTokensTest, NeighboursAndSamplesAreChosenIndependently) {
  const MaskedTokens tokens = Tokens(1);
  int64_t neighbours = 0, samples = 0, trials = 0;
  std::vector<int32_t> last;
  for (int64_t i = 0; i < 1000; ++i) {
    const std::vector<int32_t> labels = Read(tokens, i).labels;
    for (int64_t p = 0; p + 1 < 58 && !last.empty(); ++p, ++trials) {
      neighbours += labels[p] != -1 && labels[p + 1] != -1;
      samples += labels[p] != -1 && last[p] != -1;
    }
    last = labels;
  }
  ExpectRate(neighbours, trials, 0.15 * 0.15);
  ExpectRate(samples, trials, 0.15 * 0.15);
}

TEST(MaskedTokensTest, ASampleIsMaskedTheSameHoweverItIsRead) {
  const MaskedTokens tokens = Tokens(5), again = Tokens(5), other = Tokens(6);
  for (int64_t sample : {0, 1, 17, 1000000}) {
    const Sample whole = Read(tokens, sample);
    for (int64_t piece : {1, 4, 32})
      EXPECT_EQ(Read(again, sample, piece), whole) << sample << " " << piece;
    EXPECT_FALSE(Read(other, sample) == whole) << "the seed does not matter";
  }
}

TEST(MaskedTokensTest, PaddingAndSpecialTokensAreNeverChosen) {
  plan::Masking masking = Masking();
  masking.set_rate(1);
  const MaskedTokens tokens = Tokens(1, masking);
  for (int64_t i = 0; i < 100; ++i) {
    const Sample sample = Read(tokens, i);
    for (int64_t p = 0; p < kLength; ++p) {
      EXPECT_EQ(sample.labels[p] == -1, p >= 58) << p;
      if (p >= 58) EXPECT_EQ(sample.ids[p], NumberedTokens::Id(i, p));
    }
  }
}

TEST(MaskedTokensTest, PaddingHasNoPosition) {
  const std::vector<int32_t> positions = Read(Tokens(1), 9).positions;
  for (int64_t p = 0; p < kLength; ++p)
    EXPECT_EQ(positions[p], p < 60 ? p : -1);
  const std::vector<int32_t> all =
      Read(Tokens(1, Masking(/*has_padding=*/false)), 9).positions;
  for (int64_t p = 0; p < kLength; ++p) EXPECT_EQ(all[p], p);
}

}  // namespace
}  // namespace mpc::runtime
