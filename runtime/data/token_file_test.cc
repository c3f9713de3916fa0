#include "runtime/data/token_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

namespace mpc::runtime {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class TokenFileTest : public ::testing::Test {
 protected:
  // A file of this test that holds `bytes`.
  std::string Write(const std::string& name, const std::string& bytes) {
    const std::string path =
        ::testing::TempDir() +
        ::testing::UnitTest::GetInstance()->current_test_info()->name() + name;
    std::ofstream(path, std::ios::binary) << bytes;
    return path;
  }

  TokenFile::Options OptionsFor(const std::string& bytes, TokenFormat format,
                                int64_t sequence_length, int64_t vocabulary) {
    TokenFile::Options options;
    options.path = Write(".tokens", bytes);
    options.format = format;
    options.sequence_length = sequence_length;
    options.vocabulary = vocabulary;
    return options;
  }

  std::string ErrorOf(const TokenFile::Options& options) {
    const auto file = TokenFile::Open(options);
    EXPECT_FALSE(file.ok());
    return std::string(file.status().message());
  }
};

std::vector<int32_t> Ids(const TokenFile& file, int64_t sample, int64_t begin,
                         int64_t count) {
  std::vector<int32_t> out(count);
  file.ReadIds(sample, begin, absl::MakeSpan(out));
  return out;
}

std::vector<int32_t> Labels(const TokenFile& file, int64_t sample,
                            int64_t begin, int64_t count) {
  std::vector<int32_t> out(count);
  file.ReadLabels(sample, begin, absl::MakeSpan(out));
  return out;
}

TEST_F(TokenFileTest, LabelsAreOneAheadAndSamplesComeAgain) {
  // 8 tokens: two samples of 3 with labels; token 7 is in none.
  auto file = TokenFile::Open(
      OptionsFor({0, 1, 2, 3, 4, 5, 6, 7}, TokenFormat::kBytes, 3, 256));
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_EQ((*file)->tokens(), 8);
  EXPECT_EQ((*file)->samples(), 2);
  EXPECT_THAT(Ids(**file, 0, 0, 3), ElementsAre(0, 1, 2));
  EXPECT_THAT(Labels(**file, 0, 0, 3), ElementsAre(1, 2, 3));
  EXPECT_THAT(Ids(**file, 1, 0, 3), ElementsAre(3, 4, 5));
  EXPECT_THAT(Labels(**file, 1, 0, 3), ElementsAre(4, 5, 6));
  EXPECT_THAT(Ids(**file, 2, 0, 3), ElementsAre(0, 1, 2));
  EXPECT_THAT(Ids(**file, 5, 1, 2), ElementsAre(4, 5));
  EXPECT_THAT(Labels(**file, 5, 1, 2), ElementsAre(5, 6));
}

TEST_F(TokenFileTest, TheLastLabelNeedsATokenOfItsOwn) {
  // 6 tokens hold one sample of 3 and its labels, not two.
  auto file = TokenFile::Open(
      OptionsFor({0, 1, 2, 3, 4, 5}, TokenFormat::kBytes, 3, 256));
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_EQ((*file)->samples(), 1);
}

TEST_F(TokenFileTest, ItemsAreLittleEndianAndUnsigned) {
  auto u16 = TokenFile::Open(OptionsFor({'\x01', '\x02', '\xff', '\xff'},
                                        TokenFormat::kU16, 1, 65536));
  ASSERT_TRUE(u16.ok()) << u16.status();
  EXPECT_THAT(Ids(**u16, 0, 0, 1), ElementsAre(0x0201));
  EXPECT_THAT(Labels(**u16, 0, 0, 1), ElementsAre(65535));
  auto u32 = TokenFile::Open(OptionsFor({'\x04', '\x03', '\x02', '\x01',  //
                                         '\xff', '\0', '\0', '\0'},
                                        TokenFormat::kU32, 1, 0x01020305));
  ASSERT_TRUE(u32.ok()) << u32.status();
  EXPECT_THAT(Ids(**u32, 0, 0, 1), ElementsAre(0x01020304));
  EXPECT_THAT(Labels(**u32, 0, 0, 1), ElementsAre(255));
}

TEST_F(TokenFileTest, MaskedPositionsHaveNoLabel) {
  auto options = OptionsFor({0, 1, 2, 3, 4}, TokenFormat::kBytes, 2, 256);
  options.labels_path = Write(".labels", {1, 0, 0, 1, 1});
  auto file = TokenFile::Open(options);
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_THAT(Labels(**file, 0, 0, 2), ElementsAre(1, -1));
  EXPECT_THAT(Labels(**file, 1, 0, 2), ElementsAre(-1, 4));
  EXPECT_THAT(Labels(**file, 1, 1, 1), ElementsAre(4));
}

TEST_F(TokenFileTest, TokenOutsideTheVocabularyIsNamed) {
  EXPECT_THAT(
      ErrorOf(OptionsFor({0, 0, 12, 0, 13, 0}, TokenFormat::kU16, 1, 13)),
      HasSubstr("token 2 (at byte 4) is 13, expected an id below the model's "
                "vocabulary of 13"));
}

TEST_F(TokenFileTest, TheLastTokenOfAFileIsCheckedToo) {
  EXPECT_THAT(ErrorOf(OptionsFor({0, 0, 0, 5}, TokenFormat::kBytes, 2, 5)),
              HasSubstr("token 3 (at byte 3) is 5"));
}

// A cast to 16 bits would wrap ids above 65535 to others that look right.
TEST_F(TokenFileTest, U16IsRefusedForAVocabularyThatDoesNotFit) {
  EXPECT_THAT(
      ErrorOf(OptionsFor({0, 0, 0, 0}, TokenFormat::kU16, 1, 65537)),
      HasSubstr("u16 tokens cannot hold the model's vocabulary of 65537"));
  EXPECT_TRUE(
      TokenFile::Open(OptionsFor({0, 0, 0, 0}, TokenFormat::kU16, 1, 65536))
          .ok());
}

// Read with the wrong item size, ids are out of bounds.
TEST_F(TokenFileTest, U16FileReadAsU32IsRefused) {
  EXPECT_THAT(ErrorOf(OptionsFor({5, 0, 6, 0, 7, 0, 8, 0}, TokenFormat::kU32, 1,
                                 70000)),
              HasSubstr("token 0 (at byte 0) is 393221"));
}

TEST_F(TokenFileTest, SizeMustBeAMultipleOfTheItemSize) {
  EXPECT_THAT(ErrorOf(OptionsFor({0, 0, 0}, TokenFormat::kU16, 1, 256)),
              HasSubstr("has 3 bytes, expected a multiple of 2"));
}

TEST_F(TokenFileTest, ATextShorterThanASequenceIsRefused) {
  EXPECT_THAT(ErrorOf(OptionsFor({0, 1, 2}, TokenFormat::kBytes, 3, 256)),
              HasSubstr("has 3 tokens, expected at least 4"));
  EXPECT_THAT(ErrorOf(OptionsFor({}, TokenFormat::kBytes, 3, 256)),
              HasSubstr("has 0 tokens, expected at least 4"));
}

TEST_F(TokenFileTest, UnreadableFilesAreNamed) {
  TokenFile::Options options;
  options.sequence_length = 1;
  options.vocabulary = 256;
  options.path = "/nowhere/text.txt";
  EXPECT_THAT(ErrorOf(options),
              AllOf(HasSubstr("/nowhere/text.txt"), HasSubstr("No such file")));
  options.path = ::testing::TempDir();
  EXPECT_THAT(ErrorOf(options), HasSubstr("is not a regular file"));
  options.path = "-";
  EXPECT_THAT(ErrorOf(options), HasSubstr("save it to a file first"));
}

TEST_F(TokenFileTest, TheMaskMustFitAndHoldZerosAndOnes) {
  auto options = OptionsFor({0, 1, 2}, TokenFormat::kBytes, 1, 256);
  options.labels_path = Write(".labels", {1, 1});
  EXPECT_THAT(ErrorOf(options), HasSubstr("has 2 bytes, expected 3"));
  options.labels_path = Write(".labels", "110");
  EXPECT_THAT(ErrorOf(options),
              HasSubstr("byte 0 is 49, expected 0 (no label) or 1 (label)"));
  // The label of the last byte is in no sample.
  options.labels_path = Write(".labels", {0, 0, 1});
  EXPECT_THAT(ErrorOf(options), HasSubstr("has no label in its first 2 bytes"));
}

TEST(TokenFormatTest, UnknownNamesAreRefused) {
  EXPECT_EQ(*ParseTokenFormat("bytes"), TokenFormat::kBytes);
  EXPECT_EQ(*ParseTokenFormat("u16"), TokenFormat::kU16);
  EXPECT_EQ(*ParseTokenFormat("u32"), TokenFormat::kU32);
  EXPECT_THAT(std::string(ParseTokenFormat("u8").status().message()),
              HasSubstr("\"u8\" is unknown, expected bytes, u16 or u32"));
}

}  // namespace
}  // namespace mpc::runtime
