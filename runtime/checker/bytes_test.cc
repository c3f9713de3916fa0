// Against the same operations done byte by byte.
#include <map>
#include <optional>
#include <random>
#include <set>
#include <vector>

#include "gtest/gtest.h"
#include "runtime/checker/byte_map.h"
#include "runtime/checker/byte_range.h"

namespace mpc::runtime {
namespace {

TEST(ByteMapTest, EqualsAMapOfBytes) {
  constexpr int kBytes = 40;
  std::mt19937 random(1);
  ByteMap<int> map;
  std::vector<std::optional<int>> expected(kBytes);
  for (int step = 0; step < 20'000; ++step) {
    const int begin = random() % kBytes;
    const int end = begin + 1 + random() % (kBytes - begin);
    const int kind = random() % 3;
    if (kind == 0) map.Set(begin, end, step);
    if (kind == 1) map.Erase(begin, end);
    if (kind < 2)
      for (int i = begin; i < end; ++i)
        expected[i] = kind == 0 ? std::optional<int>(step) : std::nullopt;
    int next = begin;
    map.ForEachPiece(begin, end, [&](int first, int last, const int* value) {
      ASSERT_EQ(first, next);
      ASSERT_LT(first, last);
      next = last;
      for (int i = first; i < last; ++i)
        ASSERT_EQ(expected[i],
                  value ? std::optional<int>(*value) : std::nullopt);
    });
    ASSERT_EQ(next, end);
  }
}

ByteRange RandomRange(std::mt19937& random, uint64_t stride) {
  ByteRange range;
  range.begin = random() % 30;
  if (stride == 0) {
    range.end = range.begin + 1 + random() % 10;
    return range;
  }
  range.stride_bytes = stride;
  range.row_bytes = 1 + random() % stride;
  range.end = range.begin + stride * (random() % 4) + range.row_bytes;
  return range;
}

std::set<uint64_t> BytesOf(const ByteRange& range) {
  std::set<uint64_t> bytes;
  ForEachRow(range, [&](uint64_t begin, uint64_t end) {
    for (; begin < end; ++begin) bytes.insert(begin);
  });
  return bytes;
}

bool ShareAByte(const ByteRange& a, const ByteRange& b) {
  const std::set<uint64_t> bytes = BytesOf(b);
  for (uint64_t byte : BytesOf(a))
    if (bytes.count(byte)) return true;
  return false;
}

TEST(ByteRangeTest, OverlapMissesNothing) {
  std::mt19937 random(1);
  for (int i = 0; i < 20'000; ++i) {
    const ByteRange a = RandomRange(random, random() % 3 * 6);
    const ByteRange b = RandomRange(random, random() % 3 * 6);
    if (ShareAByte(a, b)) ASSERT_TRUE(Overlap(a, b)) << i;
    if (a.stride_bytes == 0 && b.stride_bytes == 0)
      ASSERT_EQ(Overlap(a, b), ShareAByte(a, b)) << i;
  }
}

TEST(ByteRangeTest, ColumnsOfAMatrixDoNotOverlap) {
  const ByteRange left = {0, 28, 12, 4}, middle = {4, 32, 12, 4},
                  both = {0, 32, 12, 8};
  EXPECT_FALSE(Overlap(left, middle));
  EXPECT_FALSE(Overlap(middle, left));
  EXPECT_TRUE(Overlap(both, middle));
  EXPECT_TRUE(Overlap(middle, both));
}

TEST(RangeTableTest, FindsWhatOverlaps) {
  std::mt19937 random(2);
  for (int round = 0; round < 200; ++round) {
    RangeTable<int> table;
    std::vector<ByteRange> ranges;
    std::vector<RangeTable<int>::Handle> handles;
    for (int i = 0; i < 20; ++i) {
      ranges.push_back(RandomRange(random, 0));
      handles.push_back(table.Add(Memory::kTransient, ranges.back(), i));
    }
    table.Add(Memory::kPersistent, {0, 100}, -1);
    table.Remove(handles[7]);
    const ByteRange wanted = RandomRange(random, 0);
    std::set<int> found, expected;
    table.ForEachOverlap(Memory::kTransient, wanted,
                         [&](int i) { found.insert(i); });
    for (int i = 0; i < 20; ++i)
      if (i != 7 && ShareAByte(ranges[i], wanted)) expected.insert(i);
    ASSERT_EQ(found, expected);
  }
}

}  // namespace
}  // namespace mpc::runtime
