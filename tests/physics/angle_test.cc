#include "physics/angle.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace planarium {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// Python's float modulo, written out slowly.
double PythonModulo(double a, double b) {
  double rest = std::fmod(a, b);
  if (rest != 0.0 && (rest < 0.0) != (b < 0.0)) rest += b;
  return rest == 0.0 ? 0.0 : rest;
}

TEST(Angle, FloorModHasTheSignOfTheDivisor) {
  EXPECT_EQ(FloorMod(5.0, 3.0), 2.0);
  EXPECT_EQ(FloorMod(-1.0, 3.0), 2.0);
  EXPECT_EQ(FloorMod(-6.0, 3.0), 0.0);
  EXPECT_EQ(FloorMod(3.0, 3.0), 0.0);
  EXPECT_EQ(FloorMod(7.5, 2.0), 1.5);
  EXPECT_FALSE(std::signbit(FloorMod(-6.0, 3.0)));
}

TEST(Angle, FloorModEqualsPythonForManyNumbers) {
  std::mt19937_64 engine(3);
  std::uniform_real_distribution<double> uniform(-40.0, 40.0);
  for (int i = 0; i < 100'000; ++i) {
    const double a = uniform(engine);
    EXPECT_EQ(FloorMod(a, kTwoPi), PythonModulo(a, kTwoPi)) << a;
  }
}

// Python gives b itself here, although its documentation says [0, b): the sum is rounded up.
TEST(Angle, FloorModOfATinyNegativeNumberRoundsUpToTheDivisorLikePython) {
  EXPECT_EQ(FloorMod(-1e-20, kTwoPi), kTwoPi);
}

TEST(Angle, WrapToPiMapsPlusPiToMinusPi) {
  EXPECT_EQ(WrapToPi(kPi), -kPi);
  EXPECT_EQ(WrapToPi(-kPi), -kPi);
  EXPECT_EQ(WrapToPi(0.0), 0.0);
}

TEST(Angle, WrapToPiRemovesWholeTurns) {
  EXPECT_NEAR(WrapToPi(3.0 * kPi / 2.0), -kPi / 2.0, 1e-15);
  EXPECT_NEAR(WrapToPi(-3.0 * kPi / 2.0), kPi / 2.0, 1e-15);
  EXPECT_NEAR(WrapToPi(100.0 * kTwoPi + 1.0), 1.0, 1e-12);
  EXPECT_NEAR(WrapToPi(-100.0 * kTwoPi - 1.0), -1.0, 1e-12);
}

TEST(Angle, WrapToPiOfANonFiniteAngleIsZero) {
  EXPECT_EQ(WrapToPi(kInf), 0.0);
  EXPECT_EQ(WrapToPi(-kInf), 0.0);
  EXPECT_EQ(WrapToPi(kNan), 0.0);
}

TEST(Angle, WrapToPiStaysInRangeAndKeepsTheDirection) {
  std::mt19937_64 engine(4);
  std::uniform_real_distribution<double> uniform(-1000.0, 1000.0);
  for (int i = 0; i < 20'000; ++i) {
    const double angle = uniform(engine);
    const double wrapped = WrapToPi(angle);
    EXPECT_GE(wrapped, -kPi);
    EXPECT_LT(wrapped, kPi);
    EXPECT_NEAR(std::cos(wrapped), std::cos(angle), 1e-12);
    EXPECT_NEAR(std::sin(wrapped), std::sin(angle), 1e-12);
  }
}

TEST(Angle, WrapToRangeIsClosedOnBothEnds) {
  EXPECT_EQ(WrapToRange(kPi, -kPi, kPi), kPi);
  EXPECT_EQ(WrapToRange(-kPi, -kPi, kPi), -kPi);
  EXPECT_EQ(WrapToRange(kTwoPi, 0.0, kTwoPi), kTwoPi);
  EXPECT_EQ(WrapToRange(0.0, 0.0, kTwoPi), 0.0);
}

TEST(Angle, WrapToRangeAddsOrSubtractsWholeTurns) {
  EXPECT_EQ(WrapToRange(4.0, -kPi, kPi), 4.0 - kTwoPi);
  EXPECT_EQ(WrapToRange(-4.0, -kPi, kPi), -4.0 + kTwoPi);
  EXPECT_EQ(WrapToRange(-0.5, 0.0, kTwoPi), -0.5 + kTwoPi);
  EXPECT_EQ(WrapToRange(15.0, -kPi, kPi), 15.0 - kTwoPi - kTwoPi);
}

TEST(Angle, WrapToRangeEndsForAbsurdAngles) {
  for (const double angle : {1e5, -1e5, 1e17, -1e300}) {
    const double wrapped = WrapToRange(angle, -kPi, kPi);
    EXPECT_GE(wrapped, -kPi) << angle;
    EXPECT_LE(wrapped, kPi) << angle;
  }
  EXPECT_NEAR(WrapToRange(1e5, -kPi, kPi), WrapToPi(1e5), 1e-10);
}

TEST(Angle, WrapToRangeLeavesNonFiniteAnglesAlone) {
  EXPECT_EQ(WrapToRange(kInf, -kPi, kPi), kInf);
  EXPECT_EQ(WrapToRange(-kInf, -kPi, kPi), -kInf);
  EXPECT_TRUE(std::isnan(WrapToRange(kNan, -kPi, kPi)));
}

}  // namespace
}  // namespace planarium
