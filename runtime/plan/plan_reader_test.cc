#include "runtime/plan/plan_reader.h"

#include <cstdio>
#include <fstream>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/plan/parse_text_for_test.h"
#include "runtime/plan/plan_bytes.h"

namespace mpc::runtime {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

plan::Plan TestPlan() {
  return ParseText<plan::Plan>(R"pb(
    version: 1
    compiler_version: "0.1"
    target { device: DEVICE_KIND_CPU }
    training { sequence_length: 1 global_batch: 1 microbatches: 1 vocabulary: 1 }
    roles {
      persistent_bytes: 64
      states {
        name: "loss" kind: STATE_KIND_METRIC type: DATA_TYPE_F32
        slice { region: REGION_PERSISTENT type: DATA_TYPE_F32 }
      }
    })pb");
}

std::string MessageOf(const plan::Plan& plan) {
  return std::string(
      ParsePlan(SerializePlan(plan), "a.plan").status().message());
}

TEST(PlanReaderTest, ReadsWhatWasWritten) {
  const plan::Plan plan = TestPlan();
  const std::string path = ::testing::TempDir() + "/plan_reader_test.plan";
  std::ofstream(path, std::ios::binary) << SerializePlan(plan);
  auto read = LoadPlan(path);
  std::remove(path.c_str());
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(SerializePlan(*read), SerializePlan(plan));
}

TEST(PlanReaderTest, AMissingFileIsNamed) {
  const absl::Status status = LoadPlan("/no/such/file.plan").status();
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(status.message()), StartsWith("/no/such/file.plan: "));
}

TEST(PlanReaderTest, ADirectoryIsAnError) {
  EXPECT_THAT(std::string(LoadPlan("/").status().message()),
              StartsWith("/: cannot be read"));
}

TEST(PlanReaderTest, AnEmptyFileIsNamed) {
  EXPECT_EQ(ParsePlan("", "a.plan").status(),
            absl::DataLossError("a.plan is empty"));
}

TEST(PlanReaderTest, BytesThatAreNoPlanAreNamed) {
  const std::string samples[] = {"not a plan", "{\"version\": 1}", "module { }",
                                 std::string(100, '\0')};
  for (const std::string& bytes : samples) {
    const absl::Status status = ParsePlan(bytes, "a.plan").status();
    EXPECT_FALSE(status.ok()) << bytes;
    EXPECT_THAT(std::string(status.message()), StartsWith("a.plan"));
  }
}

TEST(PlanReaderTest, AGitLfsPointerIsCalledSo) {
  EXPECT_THAT(
      std::string(ParsePlan("version https://git-lfs.github.com/spec/v1\n", "p")
                      .status()
                      .message()),
      HasSubstr("p is a Git LFS pointer, not the plan itself"));
}

TEST(PlanReaderTest, EveryTruncationIsAnError) {
  const std::string bytes = SerializePlan(TestPlan());
  for (size_t size = 0; size < bytes.size(); ++size)
    EXPECT_FALSE(ParsePlan(bytes.substr(0, size), "a.plan").ok()) << size;
}

TEST(PlanReaderTest, EveryDamagedBitIsAnError) {
  const std::string bytes = SerializePlan(TestPlan());
  for (size_t i = 0; i < bytes.size(); ++i)
    for (int bit = 0; bit < 8; ++bit) {
      std::string damaged = bytes;
      damaged[i] ^= 1 << bit;
      const absl::Status status = ParsePlan(damaged, "a.plan").status();
      EXPECT_FALSE(status.ok()) << "bit " << bit << " of byte " << i;
      EXPECT_THAT(std::string(status.message()), StartsWith("a.plan"));
    }
}

TEST(PlanReaderTest, BytesAfterThePlanAreAnError) {
  // Two plans in a row parse as one message in which the second wins.
  const std::string bytes = SerializePlan(TestPlan());
  for (const std::string& more : {std::string("x"), std::string("\x08\x01")})
    EXPECT_FALSE(ParsePlan(bytes + more, "a.plan").ok());
}

TEST(PlanReaderTest, APlanWithoutChecksumIsRefused) {
  EXPECT_EQ(ParsePlan(TestPlan().SerializeAsString(), "a.plan").status(),
            absl::DataLossError("a.plan is damaged or incomplete (43 bytes): its "
                                "checksum does not match"));
}

TEST(PlanReaderTest, ANewerVersionIsRefusedWithBothNumbers) {
  plan::Plan plan = TestPlan();
  plan.set_version(2);
  const absl::Status status =
      ParsePlan(SerializePlan(plan), "a.plan").status();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnimplemented);
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("a.plan is a plan of version 2 (made by compiler 0.1), "
                        "this program reads version 1"));
}

TEST(PlanReaderTest, AnAbsentVersionIsRefused) {
  plan::Plan plan = TestPlan();
  plan.clear_version();
  EXPECT_THAT(MessageOf(plan), HasSubstr("states no version"));
}

TEST(PlanReaderTest, AContradictionCarriesTheFilesName) {
  plan::Plan plan = TestPlan();
  plan.mutable_roles(0)->set_persistent_bytes(0);
  EXPECT_THAT(MessageOf(plan), StartsWith("a.plan: roles[0].states[0] \"loss\""));
}

}  // namespace
}  // namespace mpc::runtime
