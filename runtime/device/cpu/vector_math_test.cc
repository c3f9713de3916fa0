#include "runtime/device/cpu/vector_math.h"

#include <cmath>

#include "gtest/gtest.h"

namespace mpc::runtime {
namespace {

float ExpOf(float x) { return Exp(Floats{} + x)[3]; }

TEST(VectorMathTest, ExpIsWithinTwoUnitsInTheLastPlace) {
  for (float x = -87.3f; x < 88.0f; x += 0.000713f) {
    const double expected = std::exp(static_cast<double>(x));
    const double unit =
        std::nextafter(static_cast<float>(expected), kInfinity) -
        static_cast<float>(expected);
    ASSERT_NEAR(ExpOf(x), expected, 2 * unit) << "x = " << x;
  }
}

TEST(VectorMathTest, ExpOfSpecialValues) {
  EXPECT_EQ(ExpOf(0), 1);
  EXPECT_EQ(ExpOf(-88), 0);
  EXPECT_EQ(ExpOf(-1e30f), 0);
  EXPECT_EQ(ExpOf(-kInfinity), 0);
  EXPECT_TRUE(std::isnan(ExpOf(NAN)));
}

TEST(VectorMathTest, ReductionsCoverAllElements) {
  const Floats x = {1, 2, 4, 8, 16, 32, 64, 128};
  EXPECT_EQ(HorizontalSum(x), 255);
  for (int i = 0; i < kVector; ++i) {
    Floats y = Floats{} - 7;
    y[i] = -3;
    EXPECT_EQ(HorizontalMax(y), -3) << i;
  }
}

}  // namespace
}  // namespace mpc::runtime
