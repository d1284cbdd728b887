#include "physics/math.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <random>

namespace planarium {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr int kSamples = 200'000;

// Number of doubles between a and b; a NaN counts as far from everything.
std::int64_t Ulps(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return std::numeric_limits<std::int64_t>::max();
  const auto order = [](double x) {
    const std::int64_t bits = std::bit_cast<std::int64_t>(x);
    return bits < 0 ? std::numeric_limits<std::int64_t>::min() - bits : bits;
  };
  return std::llabs(order(a) - order(b));
}

// Arguments of many kinds, the same ones in every run.
class Arguments {
 public:
  double Uniform(double low, double high) {
    return low + (high - low) * (static_cast<double>(engine_() >> 11) * 0x1p-53);
  }
  double PowerOfTwo(int low, int high) {
    return std::ldexp(1.0, low + static_cast<int>(engine_() % (high - low + 1)));
  }

 private:
  std::mt19937_64 engine_{20240229};
};

// Worst distance of SinCos and Tan from libm at `angle` and at its two neighbours.
struct WorstTurn {
  std::int64_t sine = 0;
  std::int64_t cosine = 0;
  std::int64_t tangent = 0;

  void Try(double angle) {
    for (const double x : {std::nextafter(angle, -kInf), angle, std::nextafter(angle, kInf)}) {
      const SinCosPair pair = SinCos(x);
      sine = std::max(sine, Ulps(pair.sin, std::sin(x)));
      cosine = std::max(cosine, Ulps(pair.cos, std::cos(x)));
      tangent = std::max(tangent, Ulps(Tan(x), std::tan(x)));
    }
  }
  void ExpectWithinBounds() const {
    EXPECT_LE(sine, 1);
    EXPECT_LE(cosine, 1);
    EXPECT_LE(tangent, 2);
  }
};

TEST(Math, SineCosineTangentFollowLibmWithinATurn) {
  Arguments arguments;
  WorstTurn worst;
  for (int i = 0; i < kSamples; ++i) worst.Try(arguments.Uniform(-7.0, 7.0));
  worst.ExpectWithinBounds();
}

TEST(Math, SineCosineTangentFollowLibmUpToAMillion) {
  Arguments arguments;
  WorstTurn worst;
  for (int i = 0; i < kSamples; ++i) {
    worst.Try(arguments.Uniform(-1e6, 1e6));
    worst.Try(arguments.Uniform(-5000.0, 5000.0));
  }
  worst.ExpectWithinBounds();
}

TEST(Math, SineCosineTangentFollowLibmForSmallAngles) {
  Arguments arguments;
  WorstTurn worst;
  for (int i = 0; i < kSamples; ++i) {
    worst.Try(arguments.Uniform(-1.0, 1.0) * arguments.PowerOfTwo(-60, 0));
  }
  worst.ExpectWithinBounds();
}

// Next to a multiple of pi/2 almost all digits of the angle cancel.
TEST(Math, SineCosineTangentFollowLibmNextToQuarterTurns) {
  WorstTurn worst;
  constexpr int kQuartersOfAMillion = 636'619;  // 1e6 / (pi/2)
  for (int n = -kQuartersOfAMillion; n <= kQuartersOfAMillion; n += 11) worst.Try(n * (kPi / 2.0));
  for (int n = -4000; n <= 4000; ++n) worst.Try(n * (kPi / 4.0));
  worst.ExpectWithinBounds();
}

TEST(Math, SinAndCosAreTheHalvesOfSinCos) {
  Arguments arguments;
  for (int i = 0; i < 1000; ++i) {
    const double angle = arguments.Uniform(-100.0, 100.0);
    EXPECT_EQ(Sin(angle), SinCos(angle).sin);
    EXPECT_EQ(Cos(angle), SinCos(angle).cos);
  }
}

TEST(Math, SineIsOddAndCosineEvenToTheBit) {
  Arguments arguments;
  for (int i = 0; i < 10'000; ++i) {
    const double angle = arguments.Uniform(0.0, 1e4);
    EXPECT_EQ(Sin(-angle), -Sin(angle));
    EXPECT_EQ(Cos(-angle), Cos(angle));
    EXPECT_EQ(Tan(-angle), -Tan(angle));
  }
}

TEST(Math, CosineOfTheHalf64GonAngleIsItsInradius) {
  EXPECT_DOUBLE_EQ(Cos(kPi / 64.0), 0.9987954562051724);
}

TEST(Math, CardinalAnglesGiveWhatPythonGives) {
  EXPECT_EQ(Cos(0.0), 1.0);
  EXPECT_EQ(Sin(0.0), 0.0);
  EXPECT_EQ(Cos(kPi / 2.0), 6.123233995736766e-17);
  EXPECT_EQ(Sin(kPi), 1.2246467991473532e-16);
  EXPECT_EQ(Cos(kPi), -1.0);
  EXPECT_DOUBLE_EQ(Tan(kPi / 4.0), 1.0);
}

TEST(Math, ZeroKeepsItsSign) {
  EXPECT_TRUE(std::signbit(Sin(-0.0)));
  EXPECT_TRUE(std::signbit(Tan(-0.0)));
  EXPECT_TRUE(std::signbit(Asin(-0.0)));
  EXPECT_FALSE(std::signbit(Sin(0.0)));
}

TEST(Math, TrigonometryOfNonFiniteAnglesIsNan) {
  for (const double angle : {kInf, -kInf, kNan}) {
    EXPECT_TRUE(std::isnan(SinCos(angle).sin));
    EXPECT_TRUE(std::isnan(SinCos(angle).cos));
    EXPECT_TRUE(std::isnan(Tan(angle)));
  }
}

TEST(Math, SineAndCosineStayOnTheCircleForAbsurdAngles) {
  for (const double angle : {1.0000001e6, 1e9, -3.7e15, 1e22, 1e300, -1.7e308}) {
    const SinCosPair pair = SinCos(angle);
    EXPECT_NEAR(pair.sin * pair.sin + pair.cos * pair.cos, 1.0, 1e-15) << angle;
  }
}

TEST(Math, Atan2FollowsLibmInAllOctants) {
  Arguments arguments;
  std::int64_t worst = 0;
  const auto attempt = [&](double y, double x) {
    worst = std::max(worst, Ulps(Atan2(y, x), std::atan2(y, x)));
  };
  for (int i = 0; i < kSamples; ++i) {
    attempt(arguments.Uniform(-10.0, 10.0), arguments.Uniform(-10.0, 10.0));
    const double x = arguments.Uniform(-1.0, 1.0);
    const double y = arguments.Uniform(-1.0, 1.0);
    attempt(y * arguments.PowerOfTwo(-20, 20), x);
    attempt(y * arguments.PowerOfTwo(-1000, 1000), x * arguments.PowerOfTwo(-1000, 1000));
    // the boundaries between the pieces of the fit
    attempt(x * 0.35, x);
    attempt(x * 0.75, x);
    attempt(x, x * (1.0 + 1e-9 * y));
  }
  EXPECT_LE(worst, 1);
}

TEST(Math, Atan2KeepsTheRulesForSignedZeros) {
  for (const double y : {0.0, -0.0}) {
    for (const double x : {0.0, -0.0, 1.0, -1.0, 1e-310, -1e308, kInf, -kInf}) {
      EXPECT_EQ(Atan2(y, x), std::atan2(y, x)) << y << ' ' << x;
      EXPECT_EQ(std::signbit(Atan2(y, x)), std::signbit(y)) << y << ' ' << x;
    }
  }
}

TEST(Math, Atan2KeepsTheRulesForInfinities) {
  for (const double y : {kInf, -kInf, 1.0, -2.0, 0.0}) {
    for (const double x : {kInf, -kInf}) {
      EXPECT_EQ(Atan2(y, x), std::atan2(y, x)) << y << ' ' << x;
      EXPECT_EQ(Atan2(x, y), std::atan2(x, y)) << x << ' ' << y;
    }
  }
  EXPECT_TRUE(std::isnan(Atan2(kNan, 1.0)));
  EXPECT_TRUE(std::isnan(Atan2(1.0, kNan)));
  EXPECT_TRUE(std::isnan(Atan2(kNan, kInf)));
}

TEST(Math, Atan2SurvivesExtremeMagnitudes) {
  EXPECT_EQ(Atan2(1e308, 1e308), kPi / 4.0);
  EXPECT_EQ(Atan2(-1.7e308, -1.7e308), -3.0 * kPi / 4.0);
  EXPECT_EQ(Atan2(5e-324, 5e-324), kPi / 4.0);
  EXPECT_EQ(Atan2(1e-320, -1.0), kPi);
}

TEST(Math, AsinFollowsLibm) {
  Arguments arguments;
  std::int64_t worst = 0;
  for (int i = 0; i < kSamples; ++i) {
    const double any = arguments.Uniform(-1.0, 1.0);
    const double near_one = 1.0 - arguments.Uniform(0.0, 1.0) * arguments.PowerOfTwo(-50, 0);
    worst = std::max(worst, Ulps(Asin(any), std::asin(any)));
    worst = std::max(worst, Ulps(Asin(near_one), std::asin(near_one)));
  }
  EXPECT_LE(worst, 2);
}

TEST(Math, AsinIsClosedAtOneAndNanBeyond) {
  EXPECT_EQ(Asin(1.0), kPi / 2.0);
  EXPECT_EQ(Asin(-1.0), -kPi / 2.0);
  EXPECT_TRUE(std::isnan(Asin(std::nextafter(1.0, 2.0))));
  EXPECT_TRUE(std::isnan(Asin(kNan)));
}

TEST(Math, ExpFollowsLibm) {
  Arguments arguments;
  std::int64_t worst = 0;
  for (int i = 0; i < kSamples; ++i) {
    for (const double x : {arguments.Uniform(-2.0, 2.0), arguments.Uniform(-744.9, 709.78),
                           arguments.Uniform(-1.0, 1.0) * arguments.PowerOfTwo(-60, 0)}) {
      worst = std::max(worst, Ulps(Exp(x), std::exp(x)));
    }
  }
  EXPECT_LE(worst, 1);
}

TEST(Math, ExpSaturatesAtItsLimits) {
  EXPECT_EQ(Exp(0.0), 1.0);
  EXPECT_EQ(Exp(-745.5), 0.0);
  EXPECT_EQ(Exp(-kInf), 0.0);
  EXPECT_EQ(Exp(709.8), kInf);
  EXPECT_EQ(Exp(kInf), kInf);
  EXPECT_LT(Exp(709.78), kInf);
  EXPECT_GT(Exp(-744.0), 0.0);
  EXPECT_TRUE(std::isnan(Exp(kNan)));
}

TEST(Math, LogFollowsLibm) {
  Arguments arguments;
  std::int64_t worst = 0;
  for (int i = 0; i < kSamples; ++i) {
    const double fraction = arguments.Uniform(0.0, 1.0);
    const double near_one = 1.0 + (fraction - 0.5) * arguments.PowerOfTwo(-40, 0);
    for (const double x : {fraction, near_one, fraction * arguments.PowerOfTwo(-1070, 1023)}) {
      if (x > 0.0) worst = std::max(worst, Ulps(Log(x), std::log(x)));
    }
  }
  EXPECT_LE(worst, 1);
}

TEST(Math, LogIsMinusInfinityAtZeroAndNanBelow) {
  EXPECT_EQ(Log(1.0), 0.0);
  EXPECT_EQ(Log(0.0), -kInf);
  EXPECT_EQ(Log(-0.0), -kInf);
  EXPECT_EQ(Log(kInf), kInf);
  EXPECT_TRUE(std::isnan(Log(-1.0)));
  EXPECT_TRUE(std::isnan(Log(kNan)));
}

TEST(Math, HypotFollowsLibm) {
  Arguments arguments;
  std::int64_t worst = 0;
  for (int i = 0; i < kSamples; ++i) {
    const double x = arguments.Uniform(-10.0, 10.0);
    const double y = arguments.Uniform(-10.0, 10.0);
    const double scale = arguments.PowerOfTwo(-1000, 1000);
    worst = std::max(worst, Ulps(Hypot(x, y), std::hypot(x, y)));
    worst = std::max(worst, Ulps(Hypot(x * scale, y * scale), std::hypot(x * scale, y * scale)));
  }
  EXPECT_LE(worst, 1);
}

TEST(Math, HypotOfPythagoreanTriplesIsExact) {
  EXPECT_EQ(Hypot(3.0, 4.0), 5.0);
  EXPECT_EQ(Hypot(-5.0, 12.0), 13.0);
  EXPECT_EQ(Hypot(3e150, 4e150), 5e150);
  EXPECT_EQ(Hypot(0x1.8p-1000, 0x1p-999), 0x1.4p-999);
  EXPECT_EQ(Hypot(0.0, -2.5), 2.5);
  EXPECT_EQ(Hypot(0.0, 0.0), 0.0);
}

TEST(Math, HypotIsSymmetricAndInfiniteForInfinities) {
  Arguments arguments;
  for (int i = 0; i < 1000; ++i) {
    const double x = arguments.Uniform(-1.0, 1.0);
    const double y = arguments.Uniform(-1.0, 1.0);
    EXPECT_EQ(Hypot(x, y), Hypot(-y, x));
  }
  EXPECT_EQ(Hypot(kInf, kNan), kInf);
  EXPECT_EQ(Hypot(kNan, -kInf), kInf);
  EXPECT_TRUE(std::isnan(Hypot(kNan, 1.0)));
  EXPECT_TRUE(std::isnan(Hypot(1.0, kNan)));
}

// One number over many results: the same for every optimisation level, sanitizer and CPU.
TEST(Math, ResultsAreTheSameBitsInEveryBuild) {
  std::uint64_t hash = 14695981039346656037u;  // FNV-1a
  const auto add = [&hash](double value) {
    hash = (hash ^ std::bit_cast<std::uint64_t>(value)) * 1099511628211u;
  };
  Arguments arguments;
  for (int i = 0; i < 20'000; ++i) {
    const double x = arguments.Uniform(-50.0, 50.0);
    const double y = arguments.Uniform(-50.0, 50.0);
    add(SinCos(x * 100.0).sin);
    add(SinCos(y).cos);
    add(Tan(x));
    add(Atan2(y, x));
    add(Asin(x / 50.0));
    add(Exp(y));
    add(Log(std::fabs(x)));
    add(Hypot(x, y));
  }
  EXPECT_EQ(hash, 9553896871397824797u);
}

}  // namespace
}  // namespace planarium
