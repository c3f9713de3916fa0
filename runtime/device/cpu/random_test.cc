#include "runtime/device/cpu/random.h"

#include <set>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace mpc::runtime {
namespace {

std::vector<double> Normals(uint32_t seed, const char* key, int64_t begin,
                            int64_t end) {
  std::vector<double> values(end - begin);
  NormalValues(seed, key, begin, end, values.data());
  return values;
}

// Compiled kernels contain the same function: these values are a contract.
TEST(RandomTest, MixBitsHasFixedValues) {
  EXPECT_EQ(MixBits(0), 0u);
  EXPECT_EQ(MixBits(1), 1753845952u);
  EXPECT_EQ(MixBits(0xffffffffu), 1734902346u);
}

TEST(RandomTest, TheRowHashChainsItsArgumentsInOrder) {
  uint32_t hash = MixBits(5 ^ 11);
  for (uint32_t next : {2u, 3u, 7u}) hash = MixBits(hash + next);
  EXPECT_EQ(AttentionRowHash(5, 11, 2, 3, 7), hash);
}

TEST(RandomTest, DropoutKeepsTheShareThatTheRateSays) {
  EXPECT_EQ(DropoutThreshold(0.5f), 1u << 23);
  EXPECT_EQ(DropoutScale(0.5f), 2.0f);
  const uint32_t threshold = DropoutThreshold(0.1f);
  int kept = 0;
  const uint32_t row = AttentionRowHash(1, 2, 3, 4, 5);
  for (uint32_t i = 0; i < 100000; ++i)
    kept += (MixBits(row + i) >> 8) >= threshold;
  EXPECT_NEAR(kept, 90000, 500);
}

TEST(RandomTest, AnElementDoesNotDependOnTheRangeAskedFor) {
  const std::vector<double> all = Normals(7, "wte", 0, 100);
  for (int64_t begin : {0, 1, 2, 31})
    for (int64_t end : {32, 33, 100})
      EXPECT_EQ(Normals(7, "wte", begin, end),
                std::vector<double>(all.begin() + begin, all.begin() + end));
}

TEST(RandomTest, SeedAndKeySelectTheSequence) {
  const std::vector<double> values = Normals(7, "wte", 0, 4);
  EXPECT_NE(Normals(8, "wte", 0, 4), values);
  EXPECT_NE(Normals(7, "wpe", 0, 4), values);
}

TEST(RandomTest, ValuesAreNormal) {
  constexpr int kCount = 200000;
  double sum = 0, squares = 0, fourth = 0, neighbours = 0;
  const std::vector<double> values = Normals(1, "w", 0, kCount);
  for (int i = 0; i < kCount; ++i) {
    sum += values[i];
    squares += values[i] * values[i];
    fourth += values[i] * values[i] * values[i] * values[i];
    if (i > 0) neighbours += values[i] * values[i - 1];
  }
  EXPECT_NEAR(sum / kCount, 0, 0.01);
  EXPECT_NEAR(squares / kCount, 1, 0.02);
  EXPECT_NEAR(fourth / kCount, 3, 0.1);
  EXPECT_NEAR(neighbours / kCount, 0, 0.01);
}

}  // namespace
}  // namespace mpc::runtime
