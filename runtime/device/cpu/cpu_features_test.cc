#include "runtime/device/cpu/cpu_features.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace mpc::runtime {
namespace {

using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

constexpr char kCpuInfo[] =
    "processor\t: 0\n"
    "flags\t\t: fpu sse pni sse4_1 avx avx2 fma bmi1 abm lahf_lm avx512_vnni\n"
    "bugs\t\t: none\n"
    "processor\t: 1\n"
    "flags\t\t: fpu\n";

plan::Target TargetWith(std::initializer_list<const char*> features) {
  plan::Target target;
  target.set_triple("x86_64-unknown-linux-gnu");
  for (const char* feature : features) target.add_cpu_features(feature);
  return target;
}

TEST(CpuFeaturesTest, ReadsTheFlagsOfTheFirstProcessor) {
  EXPECT_THAT(FlagsOfCpuInfo("flags : a b\nflags : c\n"),
              UnorderedElementsAre("a", "b"));
  EXPECT_THAT(FlagsOfCpuInfo("nothing"), UnorderedElementsAre());
}

TEST(CpuFeaturesTest, KnowsTheCompilersNames) {
  const absl::Status status = CheckTarget(
      TargetWith({"sse3", "sse4.1", "+avx2", "fma", "bmi", "lzcnt", "sahf",
                  "avx512vnni"}),
      FlagsOfCpuInfo(kCpuInfo));
  EXPECT_TRUE(status.ok()) << status;
}

TEST(CpuFeaturesTest, NamesWhatIsMissing) {
  const absl::Status status =
      CheckTarget(TargetWith({"avx2", "avx512f", "amx-tile"}),
                  FlagsOfCpuInfo(kCpuInfo));
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("lacks avx512f, amx-tile, which"));
}

TEST(CpuFeaturesTest, RefusesAnotherArchitecture) {
  plan::Target target;
  target.set_triple("aarch64-unknown-linux-gnu");
  EXPECT_THAT(std::string(CheckTarget(target).message()),
              HasSubstr("\"aarch64-unknown-linux-gnu\""));
}

}  // namespace
}  // namespace mpc::runtime
