//===- OffsetAssignmentTest.cpp - tests of the placing of buffers -*- C++ -*-===//

#include "passes/lowering/OffsetAssignment.h"

#include <gtest/gtest.h>
#include <random>
#include <vector>

namespace mpc {
namespace {

constexpr int64_t kAlignment = 64;

/// No two buffers that are in use at one step share a byte, and all lie below
/// `bytes` at aligned offsets.
void expectDisjoint(const std::vector<Lifetime> &buffers, int64_t bytes) {
  for (const Lifetime &a : buffers) {
    EXPECT_EQ(a.offset % kAlignment, 0);
    EXPECT_LE(a.offset + a.bytes, bytes);
    for (const Lifetime &b : buffers)
      if (&a != &b && a.first <= b.last && b.first <= a.last)
        EXPECT_TRUE(a.offset + a.bytes <= b.offset ||
                    b.offset + b.bytes <= a.offset)
            << a.offset << " + " << a.bytes << " in " << a.first << " to "
            << a.last << "; " << b.offset << " + " << b.bytes << " in "
            << b.first << " to " << b.last;
  }
}

TEST(OffsetAssignment, NothingNeedsNothing) {
  EXPECT_EQ(assignOffsets({}, kAlignment), 0);
}

TEST(OffsetAssignment, LifetimesThatMeetAtOneStepOverlap) {
  std::vector<Lifetime> buffers = {{64, 0, 3}, {64, 3, 5}};
  EXPECT_EQ(assignOffsets(buffers, kAlignment), 128);
  expectDisjoint(buffers, 128);
}

TEST(OffsetAssignment, MemoryIsUsedAgain) {
  std::vector<Lifetime> buffers = {{64, 0, 3}, {64, 4, 5}};
  EXPECT_EQ(assignOffsets(buffers, kAlignment), 64);
}

TEST(OffsetAssignment, SizesAreRoundedUp) {
  std::vector<Lifetime> buffers = {{4, 0, 1}, {65, 0, 1}, {64, 0, 1}};
  EXPECT_EQ(assignOffsets(buffers, kAlignment), 64 + 128 + 64);
  expectDisjoint(buffers, 256);
}

TEST(OffsetAssignment, NeighbouringGapsJoin) {
  // Two buffers end together and leave room for one of their size.
  std::vector<Lifetime> buffers = {
      {64, 0, 1}, {64, 0, 1}, {64, 0, 9}, {128, 2, 3}};
  EXPECT_EQ(assignOffsets(buffers, kAlignment), 192);
  expectDisjoint(buffers, 192);
}

TEST(OffsetAssignment, SmallestGapIsTaken) {
  // Gaps of 256 and 64 bytes; the small buffer leaves the large one whole.
  std::vector<Lifetime> buffers = {{256, 0, 1}, {64, 0, 9}, {64, 0, 1},
                                   {64, 0, 9},  {64, 2, 5}, {256, 3, 5}};
  EXPECT_EQ(assignOffsets(buffers, kAlignment), 448);
  expectDisjoint(buffers, 448);
}

TEST(OffsetAssignment, GapAtTheEndGrows) {
  std::vector<Lifetime> buffers = {{64, 0, 9}, {64, 0, 1}, {192, 2, 5}};
  EXPECT_EQ(assignOffsets(buffers, kAlignment), 256);
  expectDisjoint(buffers, 256);
}

TEST(OffsetAssignment, PeakIsTheMostInUseAtOnce) {
  const std::vector<Lifetime> buffers = {{60, 0, 2}, {64, 2, 3}, {128, 3, 4}};
  EXPECT_EQ(getPeakBytes(buffers, kAlignment), 192);
}

/// A training step: each layer keeps some of what it computes for its backward
/// pass, which comes in the opposite order.
TEST(OffsetAssignment, TrainingStepNeedsLittleMoreThanItsPeak) {
  std::vector<Lifetime> buffers;
  const int64_t layers = 24, stepsOfLayer = 12, end = 2 * layers * stepsOfLayer;
  for (int64_t layer = 0; layer < layers; ++layer) {
    const int64_t first = layer * stepsOfLayer;
    for (int64_t step = 0; step < stepsOfLayer; ++step) {
      const int64_t units = step % 3 == 0 ? 4 : 1;
      // Kept until backward, or for the next two steps.
      const int64_t last = step % 2 == 0 ? end - first - step
                                         : first + step + 2;
      buffers.push_back({units * 3000, first + step, last});
      const int64_t back = end - first - step;
      buffers.push_back({units * 3000, back, back + 2});
    }
  }
  const int64_t bytes = assignOffsets(buffers, kAlignment);
  expectDisjoint(buffers, bytes);
  const int64_t peak = getPeakBytes(buffers, kAlignment);
  EXPECT_GE(bytes, peak);
  EXPECT_LE(bytes, peak * 115 / 100);
}

TEST(OffsetAssignment, RandomBuffersDoNotOverlap) {
  std::mt19937 random(1);
  auto below = [&](int64_t bound) { return int64_t(random() % bound); };
  for (int round = 0; round < 20; ++round) {
    std::vector<Lifetime> buffers;
    for (int i = 0; i < 60; ++i) {
      const int64_t first = below(40);
      buffers.push_back({1 + below(1000), first, first + below(10)});
    }
    expectDisjoint(buffers, assignOffsets(buffers, kAlignment));
  }
}

} // namespace
} // namespace mpc
