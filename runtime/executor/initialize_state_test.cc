#include <mutex>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/device/cpu/random.h"
#include "runtime/executor/launch.h"
#include "runtime/plan/layout.h"
#include "runtime/plan/parse_text_for_test.h"
#include "runtime/plan/validate.h"

namespace mpc::runtime {
namespace {

using ::testing::Each;

/// A plan with one state `w` of sizes 6 × 4 (5 × 3 without padding) on dp=2,
/// tp=2.
plan::Plan PlanWith(const std::string& type, const std::string& sharding,
                    const std::string& local_sizes,
                    const std::string& initial) {
  return ParseText<plan::Plan>(absl::StrReplaceAll(
      R"pb(
        version: 1
        mesh { axes { name: "dp" size: 2 } axes { name: "tp" size: 2 } }
        target { device: DEVICE_KIND_CPU }
        training { sequence_length: 1 global_batch: 1 microbatches: 1 vocabulary: 1 }
        roles {
          persistent_bytes: 128
          states {
            name: "w" kind: STATE_KIND_MASTER type: TYPE
            global_sizes: 6 global_sizes: 4 logical_sizes: 5 logical_sizes: 3
            sharding { SHARDING }
            slice { region: REGION_PERSISTENT type: TYPE SIZES }
            INITIAL
          }
        })pb",
      {{"TYPE", type},
       {"SHARDING", sharding},
       {"SIZES", local_sizes},
       {"INITIAL", initial}}));
}

/// The whole of `w` after initialisation, put together from all ranks' parts;
/// replicas must agree.
template <typename T>
std::vector<T> Initialized(const plan::Plan& plan, uint32_t seed) {
  const absl::Status valid = ValidatePlan(plan);
  EXPECT_TRUE(valid.ok()) << valid;
  std::mutex mutex;
  std::vector<T> whole(24, T(-99));
  const absl::Status status = LaunchRanks(plan, {2}, [&](RankProgram& program) {
    const auto data = program.StateData<T>(0);
    std::fill(data.begin(), data.end(), T(-98));
    EXPECT_TRUE(program.InitializeState(seed).ok());
    const Box box =
        LocalBox(plan.mesh(), program.role().states(0), program.rank());
    std::lock_guard<std::mutex> lock(mutex);
    for (int64_t i = 0; i < box.sizes[0]; ++i)
      for (int64_t j = 0; j < box.sizes[1]; ++j) {
        T& element = whole[(box.offsets[0] + i) * 4 + box.offsets[1] + j];
        EXPECT_TRUE(element == T(-99) || element == data[i * box.sizes[1] + j]);
        element = data[i * box.sizes[1] + j];
      }
    return absl::OkStatus();
  });
  EXPECT_TRUE(status.ok()) << status;
  return whole;
}

struct Layout {
  const char* sharding;
  const char* local_sizes;
};

constexpr Layout kLayouts[] = {
    {"dimensions {} dimensions {}", "sizes: 6 sizes: 4"},
    {"dimensions { axes: 1 } dimensions {}", "sizes: 3 sizes: 4"},
    {"dimensions {} dimensions { axes: 1 axes: 0 }", "sizes: 6 sizes: 1"},
    {"dimensions { axes: 0 } dimensions { axes: 1 }", "sizes: 3 sizes: 2"}};

TEST(InitializeStateTest, NormalValuesAreTheSameOnEveryMesh) {
  // Element (i, j) has the number of its place without padding.
  double sequence[15];
  NormalValues(11, "transformer.w", 0, 15, sequence);
  std::vector<float> expected(24, 0);
  for (int i = 0; i < 5; ++i)
    for (int j = 0; j < 3; ++j)
      expected[i * 4 + j] = static_cast<float>(0.02 * sequence[i * 3 + j]);
  for (const Layout& layout : kLayouts)
    EXPECT_EQ(
        Initialized<float>(
            PlanWith("DATA_TYPE_F32", layout.sharding, layout.local_sizes,
                     "initial { normal { key: \"transformer.w\" "
                     "standard_deviation: 0.02 } }"),
            11),
        expected)
        << layout.sharding;
}

TEST(InitializeStateTest, IotaCountsThePaddedWhole) {
  std::vector<int32_t> expected(24);
  for (int i = 0; i < 24; ++i) expected[i] = i;
  for (const Layout& layout : kLayouts) {
    EXPECT_EQ(Initialized<int32_t>(
                  PlanWith("DATA_TYPE_I32", layout.sharding,
                           layout.local_sizes, "initial { iota {} }"),
                  1),
              expected);
    EXPECT_EQ(Initialized<float>(
                  PlanWith("DATA_TYPE_F32", layout.sharding,
                           layout.local_sizes, "initial { iota {} }"),
                  1),
              std::vector<float>(expected.begin(), expected.end()));
  }
}

TEST(InitializeStateTest, IotaCountsFromWhereItIsToldTo) {
  std::vector<int32_t> expected(24);
  for (int i = 0; i < 24; ++i) expected[i] = i - 2;
  for (const Layout& layout : kLayouts)
    EXPECT_EQ(Initialized<int32_t>(
                  PlanWith("DATA_TYPE_I32", layout.sharding, layout.local_sizes,
                           "initial { iota { start: -2 } }"),
                  1),
              expected);
}

TEST(InitializeStateTest, ConstantsAndNothing) {
  for (const Layout& layout : kLayouts) {
    EXPECT_THAT(Initialized<float>(
                    PlanWith("DATA_TYPE_F32", layout.sharding,
                             layout.local_sizes, "initial { constant: 1.5 }"),
                    1),
                Each(1.5f));
    EXPECT_THAT(
        Initialized<int32_t>(PlanWith("DATA_TYPE_I32", layout.sharding,
                                      layout.local_sizes, ""),
                             1),
        Each(0));
  }
}

TEST(InitializeStateTest, AValueThatTheTypeCannotHoldIsAnError) {
  const plan::Plan plan = PlanWith("DATA_TYPE_I32", kLayouts[0].sharding,
                                   kLayouts[0].local_sizes,
                                   "initial { constant: 0.5 }");
  const absl::Status status = LaunchRanks(plan, {}, [](RankProgram& program) {
    return program.InitializeState(1);
  });
  EXPECT_THAT(std::string(status.message()),
              ::testing::HasSubstr("state \"w\": 0.5 in an i32"));
}

}  // namespace
}  // namespace mpc::runtime
