#include "runtime/train/run_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <iterator>
#include <limits>
#include <string>

namespace mpc::runtime {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

StepRecord Record(int64_t step) {
  StepRecord record;
  record.step = step;
  record.loss = 0.1f;
  record.grad_norm = 1e-7f;
  record.learning_rate = 6e-4f;
  record.tokens_per_second = 1234.5;
  return record;
}

std::string ReadFile(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

constexpr char kLineOne[] =
    "{\"step\": 1, \"loss\": 0.1, \"grad_norm\": 1e-07, \"learning_rate\": "
    "6e-04, \"tokens_per_second\": 1234.5}";

TEST(FormatRecordTest, NumbersAreTheShortestThatReadBack) {
  EXPECT_EQ(FormatRecord(Record(1)), kLineOne);
  StepRecord record = Record(2);
  record.loss = std::nextafter(0.1f, 1.0f);
  record.tokens_per_second = 0.1 + 0.2;
  const std::string line = FormatRecord(record);
  EXPECT_THAT(line, HasSubstr("\"loss\": 0.10000001,"));
  EXPECT_THAT(line, HasSubstr("\"tokens_per_second\": 0.30000000000000004}"));
}

TEST(FormatRecordTest, WhatIsNotFiniteIsNull) {
  StepRecord record = Record(1);
  record.loss = std::numeric_limits<float>::quiet_NaN();
  record.grad_norm = -std::numeric_limits<float>::infinity();
  EXPECT_THAT(FormatRecord(record),
              HasSubstr("\"loss\": null, \"grad_norm\": null,"));
}

TEST(RunLogTest, EachLineIsThereBeforeTheNext) {
  const std::string path = ::testing::TempDir() + "log_lines.jsonl";
  std::ofstream(path) << "of an earlier run\n";
  auto log = RunLog::Open(path);
  ASSERT_TRUE(log.ok()) << log.status();
  ASSERT_TRUE((*log)->Append(Record(1)).ok());
  EXPECT_EQ(ReadFile(path), std::string(kLineOne) + "\n");
  ASSERT_TRUE((*log)->Append(Record(2)).ok());
  EXPECT_TRUE((*log)->Close().ok());
  EXPECT_THAT(ReadFile(path), HasSubstr("}\n{\"step\": 2, "));
}

TEST(RunLogTest, UnwritableFilesAreNamed) {
  const auto log = RunLog::Open("/nowhere/run.jsonl");
  EXPECT_THAT(std::string(log.status().message()),
              AllOf(HasSubstr("log /nowhere/run.jsonl: cannot be written"),
                    HasSubstr("No such file")));
}

TEST(RunLogTest, AFullDiskIsAnErrorOfTheLineThatDoesNotFit) {
  auto log = RunLog::Open("/dev/full");
  ASSERT_TRUE(log.ok()) << log.status();
  EXPECT_THAT(std::string((*log)->Append(Record(1)).message()),
              AllOf(HasSubstr("log /dev/full: cannot be written"),
                    HasSubstr("No space left")));
}

TEST(RunLogTest, AFileThatAnotherRunWritesIsRefusedAndKept) {
  const std::string path = ::testing::TempDir() + "log_shared.jsonl";
  auto log = RunLog::Open(path);
  ASSERT_TRUE(log.ok()) << log.status();
  ASSERT_TRUE((*log)->Append(Record(1)).ok());
  EXPECT_THAT(std::string(RunLog::Open(path).status().message()),
              HasSubstr("log_shared.jsonl: another run writes it"));
  EXPECT_EQ(ReadFile(path), std::string(kLineOne) + "\n");
  ASSERT_TRUE((*log)->Close().ok());
  EXPECT_TRUE(RunLog::Open(path).ok());
}

}  // namespace
}  // namespace mpc::runtime
