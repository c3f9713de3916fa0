#include "runtime/floats/narrow_floats.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "gtest/gtest.h"

namespace mpc::runtime {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

float RoundTrip(plan::DataType type, float value) {
  uint16_t narrow;
  NarrowFloats(type, &value, 1, &narrow);
  float wide;
  WidenFloats(type, &narrow, 1, &wide);
  return wide;
}

class NarrowFloatsTest : public testing::TestWithParam<plan::DataType> {};

TEST_P(NarrowFloatsTest, EveryNarrowValueComesBack) {
  std::vector<uint16_t> all(1 << 16);
  for (size_t i = 0; i < all.size(); ++i) all[i] = static_cast<uint16_t>(i);
  std::vector<float> wide(all.size());
  WidenFloats(GetParam(), all.data(), all.size(), wide.data());
  std::vector<uint16_t> back(all.size());
  NarrowFloats(GetParam(), wide.data(), wide.size(), back.data());
  for (size_t i = 0; i < all.size(); ++i) {
    if (std::isnan(wide[i])) {
      float again;
      WidenFloats(GetParam(), &back[i], 1, &again);
      EXPECT_TRUE(std::isnan(again)) << i;
    } else {
      EXPECT_EQ(back[i], all[i]);
    }
  }
}

TEST_P(NarrowFloatsTest, InfinityAndNanStay) {
  EXPECT_EQ(RoundTrip(GetParam(), kInfinity), kInfinity);
  EXPECT_EQ(RoundTrip(GetParam(), -kInfinity), -kInfinity);
  EXPECT_TRUE(std::isnan(RoundTrip(GetParam(), kNan)));
}

TEST_P(NarrowFloatsTest, TiesGoToTheEvenNeighbour) {
  // One unit in the last place above 1.
  const float unit = GetParam() == plan::DATA_TYPE_BF16 ? 0x1p-7f : 0x1p-10f;
  EXPECT_EQ(RoundTrip(GetParam(), 1 + unit / 2), 1);
  EXPECT_EQ(RoundTrip(GetParam(), 1 + 3 * unit / 2), 1 + 2 * unit);
  EXPECT_EQ(RoundTrip(GetParam(), 1 + unit * 0.51f), 1 + unit);
  EXPECT_EQ(RoundTrip(GetParam(), -1 - unit * 0.51f), -1 - unit);
}

INSTANTIATE_TEST_SUITE_P(Types, NarrowFloatsTest,
                         testing::Values(plan::DATA_TYPE_BF16,
                                         plan::DATA_TYPE_F16));

TEST(NarrowFloatsRangeTest, WhatF16CannotHoldIsInfinite) {
  EXPECT_EQ(RoundTrip(plan::DATA_TYPE_F16, 65504), 65504);
  EXPECT_EQ(RoundTrip(plan::DATA_TYPE_F16, 65520), kInfinity);
  EXPECT_EQ(RoundTrip(plan::DATA_TYPE_F16, 0x1p-24f), 0x1p-24f);
  EXPECT_EQ(RoundTrip(plan::DATA_TYPE_F16, 0x1p-25f), 0);
  EXPECT_EQ(RoundTrip(plan::DATA_TYPE_BF16, 65520), 65536);
}

TEST(NarrowFloatsRangeTest, ANanWithALowPayloadStaysOne) {
  const uint32_t bits = 0x7f800001;
  float value;
  std::memcpy(&value, &bits, sizeof(bits));
  EXPECT_TRUE(std::isnan(RoundTrip(plan::DATA_TYPE_BF16, value)));
}

}  // namespace
}  // namespace mpc::runtime
