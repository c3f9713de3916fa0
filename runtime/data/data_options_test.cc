#include "runtime/data/data_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

namespace mpc::runtime {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

plan::Training Training() {
  plan::Training training;
  training.set_sequence_length(4);
  training.set_global_batch(2);
  training.set_vocabulary(256);
  return training;
}

// All that is not padding is hidden behind 1.
plan::Training Masked() {
  plan::Training training = Training();
  plan::Masking& masking = *training.mutable_masking();
  masking.set_mask_token(1);
  masking.set_pad_token(0);
  masking.set_rate(1);
  masking.set_mask_share(1);
  return training;
}

std::vector<int32_t> Ids(const BatchSource& source, int64_t sample) {
  std::vector<int32_t> ids(4);
  source.ReadIds(sample, 0, absl::MakeSpan(ids));
  return ids;
}

std::vector<int32_t> Labels(const BatchSource& source, int64_t sample) {
  std::vector<int32_t> labels(4);
  source.ReadLabels(sample, 0, absl::MakeSpan(labels));
  return labels;
}

DataOptions File(const std::string& name, const std::string& content) {
  DataOptions options;
  options.path = ::testing::TempDir() + name;
  std::ofstream(options.path, std::ios::binary) << content;
  return options;
}

// Labels are not one ahead, so no token need follow the last sample.
TEST(DataOptionsTest, MaskedSamplesUseTheWholeFile) {
  const DataOptions options = File("masked", "abcdefg" + std::string(1, '\0'));
  const auto masked = options.Open(Masked(), 1);
  ASSERT_TRUE(masked.ok()) << masked.status();
  EXPECT_THAT(Labels(**masked, 0), ElementsAre('a', 'b', 'c', 'd'));
  EXPECT_THAT(Labels(**masked, 1), ElementsAre('e', 'f', 'g', -1));
  EXPECT_THAT(Ids(**masked, 1), ElementsAre(1, 1, 1, 0));
  EXPECT_EQ(Labels(**masked, 2), Labels(**masked, 0));
  const auto plain = options.Open(Training(), 1);
  ASSERT_TRUE(plain.ok()) << plain.status();
  EXPECT_THAT(Labels(**plain, 0), ElementsAre('b', 'c', 'd', 'e'));
  EXPECT_EQ(Labels(**plain, 1), Labels(**plain, 0));
}

TEST(DataOptionsTest, AFileOfLessThanASequenceIsRefused) {
  const auto masked = File("short", "abc").Open(Masked(), 1);
  EXPECT_THAT(
      std::string(masked.status().message()),
      HasSubstr("has 3 tokens, expected at least 4: one sequence of 4"));
  const auto plain = File("short", "abcd").Open(Training(), 1);
  EXPECT_THAT(std::string(plain.status().message()),
              HasSubstr("has 4 tokens, expected at least 5: one sequence of 4 "
                        "and the label of its last token"));
}

TEST(DataOptionsTest, LabelsAreNotForMaskedModelling) {
  DataOptions options = File("labelled", "abcdefgh");
  options.labels_path = options.path;
  EXPECT_THAT(std::string(options.Open(Masked(), 1).status().message()),
              HasSubstr("but the plan is of masked language modelling, which "
                        "chooses its labels itself"));
}

TEST(MakeUpSamplesTest, MaskedSamplesHavePadding) {
  const auto masked = MakeUpSamples(Masked(), 1);
  EXPECT_THAT(Ids(*masked, 0), ElementsAre(1, 1, 1, 1));
  int64_t padded = 0;
  for (int64_t sample = 0; sample < 20; ++sample) {
    std::vector<int32_t> positions(4);
    masked->ReadPositions(sample, 0, absl::MakeSpan(positions));
    padded += positions[3] == -1;
    EXPECT_EQ(positions[3] == -1, Labels(*masked, sample)[3] == -1);
  }
  EXPECT_GT(padded, 3);
  const auto plain = MakeUpSamples(Training(), 1);
  EXPECT_NE(Ids(*plain, 0), Ids(*masked, 0));
}

}  // namespace
}  // namespace mpc::runtime
