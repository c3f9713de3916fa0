#include "runtime/train/machine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <string>

namespace mpc::runtime {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(CheckMemoryTest, RefusesWithWhatIsNeededWhatThereIsAndWhatToDo) {
  const absl::Status status = CheckMemory(31200000000, 8, 22900000000);
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(status.message()),
              StartsWith("needs 31.2 GB in 8 arenas, 22.9 GB available; "));
  EXPECT_THAT(std::string(status.message()), HasSubstr("zero=1"));
  EXPECT_THAT(std::string(CheckMemory(2, 1, 1).message()),
              StartsWith("needs 2 B in 1 arena, 1 B available; "));
}

TEST(CheckMemoryTest, ExactlyEnoughIsEnough) {
  EXPECT_TRUE(CheckMemory(1000, 2, 1000).ok());
  EXPECT_FALSE(CheckMemory(1001, 2, 1000).ok());
}

TEST(AddressSpaceTest, EveryThreadNeedsSome) {
  EXPECT_TRUE(CheckAddressSpace(1000, 1, 300 << 20).ok());
  const absl::Status status = CheckAddressSpace(1000, 2, 300 << 20);
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(status.message()),
              StartsWith("needs 553.6 MB of address space, 314.6 MB left"));
}

TEST(AddressSpaceTest, IsWhatTheLimitLeaves) {
  rlimit old;
  ASSERT_EQ(getrlimit(RLIMIT_AS, &old), 0);
  const rlimit tight = {1 << 20, old.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_AS, &tight), 0);
  const uint64_t left = AddressSpaceLeft();
  ASSERT_EQ(setrlimit(RLIMIT_AS, &old), 0);
  EXPECT_EQ(left, 0u);
}

TEST(AvailableMemoryTest, ReadsTheKernelsTable) {
  EXPECT_EQ(*ParseAvailableMemory("MemTotal:       24000000 kB\n"
                                  "MemFree:         1000000 kB\n"
                                  "MemAvailable:   22000000 kB\n"),
            uint64_t{22000000} * 1024);
  EXPECT_FALSE(ParseAvailableMemory("MemTotal: 1 kB\n").ok());
  EXPECT_FALSE(ParseAvailableMemory("MemAvailable: much kB\n").ok());
}

TEST(AvailableMemoryTest, ThisMachineHasSome) {
  const auto available = AvailableMemory();
  ASSERT_TRUE(available.ok()) << available.status();
  EXPECT_GT(*available, 1000000u);
}

TEST(DefaultThreadsTest, CoresAreSharedAndEveryRankHasAThread) {
  EXPECT_EQ(DefaultThreadsPerRank(1), AvailableCores());
  EXPECT_EQ(DefaultThreadsPerRank(1000000), 1);
}

}  // namespace
}  // namespace mpc::runtime
