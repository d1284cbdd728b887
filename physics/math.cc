#include "physics/math.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace planarium {
namespace {

// Adding and subtracting 1.5 * 2^52 rounds a double of magnitude below 2^51 to the nearest integer,
// which then also stands in the low bits of the sum.
constexpr double kRoundMagic = 0x1.8p52;
// The reduction of SinCos is exact up to here: the quotient has 20 bits, pi/2 is cut in 33-bit
// parts, and their product fits the 53 bits of a double.
constexpr double kReductionLimit = 1e6;
// pi/2 = kHalfPi1 + kHalfPi2 + kHalfPi3 (+ 2^-122) and kHalfPi3 = kHalfPi3Head + kHalfPi4.
constexpr double kTwoOverPi = 0x1.45f306dc9c883p-1;
constexpr double kHalfPi1 = 0x1.921fb54400000p+0;
constexpr double kHalfPi2 = 0x1.0b4611a600000p-34;
constexpr double kHalfPi3 = 0x1.3198a2e037073p-69;
constexpr double kHalfPi3Head = 0x1.3198a2e000000p-69;
constexpr double kHalfPi4 = 0x1.b839a252049c1p-104;

// Natural logarithm of 2 in two parts; the head has 32 bits, so its product with an exponent is
// exact.
constexpr double kLn2Head = 0x1.62e42fee00000p-1;
constexpr double kLn2Tail = 0x1.a39ef35793c76p-33;
constexpr double kOneOverLn2 = 0x1.71547652b82fep+0;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// An unevaluated sum head + tail with |tail| <= ulp(head) / 2.
struct DoubleDouble {
  double head;
  double tail;
};

// a + b exactly, for |a| >= |b| or a == 0 (Dekker 1971).
inline DoubleDouble FastTwoSum(double a, double b) {
  const double sum = a + b;
  return {sum, (a - sum) + b};
}

// a - b exactly for any a, b (Knuth).
inline DoubleDouble TwoDifference(double a, double b) {
  const double head = a - b;
  const double b_used = a - head;
  const double a_used = head + b_used;
  return {head, (a - a_used) + (b_used - b)};
}

// a * b exactly by Veltkamp's splitting in halves of 26 bits (Dekker 1971).
inline DoubleDouble TwoProduct(double a, double b) {
  constexpr double kSplitter = 0x1p27 + 1.0;
  const double a_big = kSplitter * a;
  const double b_big = kSplitter * b;
  const double a_high = a_big - (a_big - a);
  const double b_high = b_big - (b_big - b);
  const double a_low = a - a_high;
  const double b_low = b - b_high;
  const double product = a * b;
  const double error = ((a_high * b_high - product) + a_high * b_low + a_low * b_high);
  return {product, error + a_low * b_low};
}

// Value of a polynomial, coefficients from the constant term up. Even and odd powers go side by
// side, which halves the chain of dependent operations; unrolled, for the coefficients are
// constants.
template <int kSize>
inline double Polynomial(const double (&coefficients)[kSize], double x) {
  constexpr int kLastEven = (kSize - 1) / 2 * 2;
  constexpr int kLastOdd = kSize / 2 * 2 - 1;
  const double square = x * x;
  double even = coefficients[kLastEven];
  double odd = coefficients[kLastOdd];
#pragma GCC unroll 8
  for (int i = kLastEven - 2; i >= 0; i -= 2) even = even * square + coefficients[i];
#pragma GCC unroll 8
  for (int i = kLastOdd - 2; i >= 1; i -= 2) odd = odd * square + coefficients[i];
  return even + x * odd;
}

// 2^exponent for -1022 <= exponent <= 1023.
inline double PowerOfTwo(std::int64_t exponent) {
  return std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52);
}

// Angle minus the nearest multiple of pi/2, and that multiple modulo 4.
struct ReducedAngle {
  DoubleDouble rest;
  int quadrant;
};

// Cody-Waite reduction in three parts: one and two are subtracted exactly, three goes to the tail.
// Many turns away that is too coarse: there part three is cut once more and the sum carried over.
inline ReducedAngle ReduceAngle(double angle) {
  const double shifted = angle * kTwoOverPi + kRoundMagic;
  const double n = shifted - kRoundMagic;
  const int quadrant = static_cast<int>(std::bit_cast<std::uint64_t>(shifted) & 3);
  const double first = angle - n * kHalfPi1;
  DoubleDouble rest = TwoDifference(first, n * kHalfPi2);
  // Up to here no double comes nearer than 2^-61 to a multiple of pi/2; n * kHalfPi3 is good to
  // 2^-112 and stays too small to need a carry.
  constexpr double kManyQuarters = 0x1p10;
  if (std::fabs(n) > kManyQuarters) {
    const DoubleDouble third = TwoDifference(rest.head, n * kHalfPi3Head);
    rest = FastTwoSum(third.head, rest.tail + (third.tail - n * kHalfPi4));
  } else {
    rest.tail -= n * kHalfPi3;
  }
  return {rest, quadrant};
}

// sin(r) - r.head for |r| <= pi/4: Remez fit of (sin(x)/x - 1)/x^2 in x^2, relative error 2^-58.
inline double SineCorrection(DoubleDouble r) {
  constexpr double kSine[] = {-0x1.5555555555549p-3, 0x1.111111110f87bp-7,   -0x1.a01a019c119d2p-13,
                              0x1.71de3577b7999p-19, -0x1.ae5e663a7de6bp-26, 0x1.5d9300d9b819ap-33};
  const double z = r.head * r.head;
  return r.head * z * Polynomial(kSine, z) + r.tail * (1.0 - 0.5 * z);
}

// cos(r) for |r| <= pi/4 as an unevaluated sum: Remez fit of (cos(x) - 1 + x^2/2)/x^4 in x^2, error
// 2^-64.
inline DoubleDouble CosineSum(DoubleDouble r) {
  constexpr double kCosine[] = {0x1.555555555554cp-5,  -0x1.6c16c16c1517ep-10,
                                0x1.a01a019cb1baep-16, -0x1.27e4f809ee0bdp-22,
                                0x1.1ee9ebe726b98p-29, -0x1.8fae9b5049e9fp-37};
  const double z = r.head * r.head;
  const double half = 0.5 * z;
  const double head = 1.0 - half;
  return {head, ((1.0 - head) - half) + (z * z * Polynomial(kCosine, z) - r.head * r.tail)};
}

// Beyond the range of the reduction angles are first brought into one turn by the exact remainder
// of the double 2 pi: bounded and reproducible, though no longer the sine of that very number. NaN
// for infinities.
inline double BoundAngle(double angle) {
  return std::fabs(angle) <= kReductionLimit ? angle : std::fmod(angle, kTwoPi);
}

}  // namespace

SinCosPair SinCos(double angle) {
  constexpr double kTiny = 0x1p-27;  // x^2 / 2 vanishes beside 1; keeps the sign of zero
  if (std::fabs(angle) < kTiny) return {angle, 1.0};
  const ReducedAngle reduced = ReduceAngle(BoundAngle(angle));
  const DoubleDouble cosine_sum = CosineSum(reduced.rest);
  const double sine = reduced.rest.head + SineCorrection(reduced.rest);
  const double cosine = cosine_sum.head + cosine_sum.tail;
  // A quarter turn swaps the two and flips one sign; without branches, for angles are random.
  const std::uint64_t quadrant = static_cast<std::uint64_t>(reduced.quadrant);
  const std::uint64_t swap = 0 - (quadrant & 1);
  const std::uint64_t s = std::bit_cast<std::uint64_t>(sine);
  const std::uint64_t c = std::bit_cast<std::uint64_t>(cosine);
  const std::uint64_t exchange = (s ^ c) & swap;
  const std::uint64_t sine_sign = (quadrant & 2) << 62;
  const std::uint64_t cosine_sign = ((quadrant + 1) & 2) << 62;
  return {std::bit_cast<double>(s ^ exchange ^ sine_sign),
          std::bit_cast<double>(c ^ exchange ^ cosine_sign)};
}

double Sin(double angle) { return SinCos(angle).sin; }

double Cos(double angle) { return SinCos(angle).cos; }

double Tan(double angle) {
  constexpr double kTiny = 0x1p-27;  // x^3 / 3 vanishes beside x
  if (std::fabs(angle) < kTiny) return angle;
  const ReducedAngle reduced = ReduceAngle(BoundAngle(angle));
  DoubleDouble top = FastTwoSum(reduced.rest.head, SineCorrection(reduced.rest));
  const DoubleDouble cosine_sum = CosineSum(reduced.rest);
  DoubleDouble bottom = FastTwoSum(cosine_sum.head, cosine_sum.tail);
  // tan(r + pi/2) = -cos(r) / sin(r)
  if (reduced.quadrant & 1) {
    const DoubleDouble sine = top;
    top = {-bottom.head, -bottom.tail};
    bottom = sine;
  }
  // One Newton step brings the tails of both sums into the quotient.
  const double quotient = top.head / bottom.head;
  const DoubleDouble product = TwoProduct(quotient, bottom.head);
  const double rest = ((top.head - product.head) - product.tail) + top.tail;
  return quotient + (rest - quotient * bottom.tail) / bottom.head;
}

namespace {

// Where the angle of a vector starts to be counted from: result = base + sign * atan(u).
struct AngleBase {
  DoubleDouble base;
  double sign;
};

// Rows: x < 0, |y| > |x|; columns: the quotient smaller/larger is measured from 0, 1/2 or 1.
constexpr AngleBase kAngleBases[2][2][3] = {
    {{{{0.0, 0.0}, 1.0},                                        // 0
      {{0x1.dac670561bb4fp-2, 0x1.a2b7f222f65e2p-56}, 1.0},     // atan(1/2)
      {{0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55}, 1.0}},    // pi/4
     {{{0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54}, -1.0},    // pi/2
      {{0x1.1b6e192ebbe44p+0, 0x1.b1b466a88828ep-54}, -1.0},    // pi/2 - atan(1/2)
      {{0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55}, -1.0}}},  // pi/4
    {{{{0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53}, -1.0},    // pi
      {{0x1.56c6e7397f5aep+1, 0x1.660b64ece6f4bp-53}, -1.0},    // pi - atan(1/2)
      {{0x1.2d97c7f3321d2p+1, 0x1.a79394c9e8a0ap-54}, -1.0}},   // 3 pi/4
     {{{0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54}, 1.0},     // pi/2
      {{0x1.0468a8ace4df6p+1, 0x1.0620bf7406affp-55}, 1.0},     // pi/2 + atan(1/2)
      {{0x1.2d97c7f3321d2p+1, 0x1.a79394c9e8a0ap-54}, 1.0}}}};  // 3 pi/4

// Angle of (x, y) with the larger magnitude in [2^-900, 2^900]: quotient of the magnitudes less
// 0, 1/2 or 1 by the tangent rule, whose differences are exact, so that |u| <= 0.35. The fit is
// Remez of (atan(u)/u - 1)/u^2 in u^2, relative error 2^-64.
double AngleOfNormal(double y, double x) {
  constexpr double kArcTangent[] = {
      -0x1.5555555555555p-2, 0x1.9999999999690p-3, -0x1.2492492472f27p-3, 0x1.c71c71b2ecab4p-4,
      -0x1.745d137d09b7cp-4, 0x1.3b133eb5c4ae0p-4, -0x1.11082891cc56ap-4, 0x1.e0f43394acb84p-5,
      -0x1.a6e2f468f0ef1p-5, 0x1.56311995cdc44p-5, -0x1.74f26c621126ap-6};
  const double ax = std::fabs(x);
  const double ay = std::fabs(y);
  const bool steep = ay > ax;
  const double larger = steep ? ay : ax;
  const double smaller = steep ? ax : ay;
  // Boundaries that keep |u| small where it is subtracted from the base of its column.
  const int column = (smaller >= 0.35 * larger) + (smaller >= 0.75 * larger);
  const double offset = 0.5 * column;
  const double top = smaller - offset * larger;
  const double bottom = larger + offset * smaller;
  const double u = top / bottom;
  const DoubleDouble product = TwoProduct(u, bottom);
  const double u_tail = ((top - product.head) - product.tail) / bottom;
  const double z = u * u;
  const AngleBase& base = kAngleBases[std::signbit(x)][steep][column];
  const double small = base.base.tail + base.sign * (u_tail + u * z * Polynomial(kArcTangent, z));
  const DoubleDouble sum = FastTwoSum(base.base.head, base.sign * u);
  return std::copysign(sum.head + (sum.tail + small), y);
}

}  // namespace

double Atan2(double y, double x) {
  const double ax = std::fabs(x);
  const double ay = std::fabs(y);
  const double larger = ay > ax ? ay : ax;
  if (larger > 0x1p-900 && larger < 0x1p900) return AngleOfNormal(y, x);
  // The rare rest: not a number, the zero vector, infinities, and magnitudes to be scaled first.
  if (std::isnan(x) || std::isnan(y)) return kNan;
  if (larger == 0.0) return AngleOfNormal(y, std::copysign(1.0, x));
  if (larger < kInfinity) {
    const double scale = larger < 1.0 ? 0x1p600 : 0x1p-600;
    return AngleOfNormal(y * scale, x * scale);
  }
  const double unit_x = std::isinf(x) ? 1.0 : 0.0;
  const double unit_y = std::isinf(y) ? 1.0 : 0.0;
  return AngleOfNormal(std::copysign(unit_y, y), std::copysign(unit_x, x));
}

namespace {

// (asin(x) - x) / x for z = x^2 <= 1/4: Remez fit, relative error 2^-60.
double ArcSineExcess(double z) {
  constexpr double kArcSine[] = {0x1.5555555555578p-3, 0x1.333333332df7bp-4, 0x1.6db6db72262aap-5,
                                 0x1.f1c71a8db95f6p-6, 0x1.6e8bdfa76174cp-6, 0x1.1c49e2ac59bc1p-6,
                                 0x1.ca20cf52f911fp-7, 0x1.757b70b42c8c9p-7, 0x1.6174235e75470p-7,
                                 0x1.e2bbf9c327b36p-9, 0x1.6493692b63d0fp-6, -0x1.595579f0c7aedp-6,
                                 0x1.0bb0acbbbc5a5p-5};
  return z * Polynomial(kArcSine, z);
}

}  // namespace

double Asin(double x) {
  constexpr DoubleDouble kHalfPi{0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54};
  const double ax = std::fabs(x);
  if (!(ax <= 1.0)) return kNan;
  if (ax <= 0.5) return x + x * ArcSineExcess(x * x);
  // asin(x) = pi/2 - 2 asin(s) with s = sqrt((1 - x) / 2), the root refined to twice the precision.
  const double z = 0.5 * (1.0 - ax);
  const double s = std::sqrt(z);
  if (s == 0.0) return std::copysign(kHalfPi.head, x);
  const DoubleDouble square = TwoProduct(s, s);
  const double s_tail = ((z - square.head) - square.tail) / (2.0 * s);
  const DoubleDouble sum = FastTwoSum(kHalfPi.head, -2.0 * s);
  const double small = kHalfPi.tail - 2.0 * (s_tail + s * ArcSineExcess(z));
  return std::copysign(sum.head + (sum.tail + small), x);
}

double Exp(double x) {
  constexpr double kZeroBelow = -745.0;      // exp(-745.13) is the last half of a subnormal
  constexpr double kInfinityAbove = 709.79;  // log(largest double) is 709.7827
  if (std::isnan(x)) return x;
  if (x < kZeroBelow) return 0.0;
  if (x > kInfinityAbove) return kInfinity;
  // x = k ln 2 + r with |r| <= ln 2 / 2
  const double shifted = x * kOneOverLn2 + kRoundMagic;
  const double k = shifted - kRoundMagic;
  const double head = x - k * kLn2Head;
  const double tail = k * kLn2Tail;
  const double r = head - tail;
  // exp(r) = 1 + r + r^2/2 + r^3 fit: Remez fit, error 2^-64. The leading 1 + r is summed exactly.
  constexpr double kExponential[] = {
      0x1.555555555555bp-3,  0x1.555555555555ap-5,  0x1.111111110ebf8p-7,  0x1.6c16c16c1414ep-10,
      0x1.a01a01b3a5550p-13, 0x1.a01a01b1ff212p-16, 0x1.71ddefc195149p-19, 0x1.27e4c2bf0ed07p-22,
      0x1.af6c87d1ed532p-26, 0x1.1f99c1910b62bp-29};
  const double square = r * r;
  const DoubleDouble lead = FastTwoSum(1.0, r);
  const double r_tail = (head - r) - tail;
  const double small = 0.5 * square + r * square * Polynomial(kExponential, r) + r_tail;
  const double value = lead.head + (lead.tail + small);
  // Two factors, so that neither overflows and a subnormal result is rounded once.
  const std::int64_t exponent = static_cast<std::int64_t>(k);
  const std::int64_t first = exponent / 2;
  return value * PowerOfTwo(first) * PowerOfTwo(exponent - first);
}

double Log(double x) {
  constexpr double kSmallestNormal = std::numeric_limits<double>::min();
  if (x == 0.0) return -kInfinity;
  if (!(x > 0.0)) return kNan;
  if (x == kInfinity) return x;
  double k = 0.0;
  if (x < kSmallestNormal) {
    x *= 0x1p54;
    k = -54.0;
  }
  // x = 2^k (1 + f) with sqrt(1/2) <= 1 + f < sqrt(2): offsetting by the bits of sqrt(1/2) makes
  // the exponent field jump there.
  constexpr std::uint64_t kRootHalfBits = 0x3fe6a09e667f3bcd;
  const std::uint64_t offset = std::bit_cast<std::uint64_t>(x) - kRootHalfBits;
  const std::uint64_t mantissa = (offset & ((std::uint64_t{1} << 52) - 1)) + kRootHalfBits;
  k += static_cast<double>(std::bit_cast<std::int64_t>(offset) >> 52);
  const double f = std::bit_cast<double>(mantissa) - 1.0;
  // log(1 + f) = f - f^2/2 + s (f^2/2 + R) with s = f / (2 + f): Remez fit of the odd series of
  // log((1 + s)/(1 - s)), error 2^-58.
  constexpr double kLogarithm[] = {0x1.5555555555592p-1, 0x1.999999997fd76p-2, 0x1.24924941f4e80p-2,
                                   0x1.c71c5206253c2p-3, 0x1.74663f9b01148p-3, 0x1.39a1a7b8a26d3p-3,
                                   0x1.2f062ced3fda8p-3};
  const double s = f / (2.0 + f);
  const double z = s * s;
  const double half_square = 0.5 * f * f;
  const double small = s * (half_square + z * Polynomial(kLogarithm, z)) + k * kLn2Tail;
  return k * kLn2Head - ((half_square - small) - f);
}

double Hypot(double x, double y) {
  double larger = std::fabs(x);
  double smaller = std::fabs(y);
  if (larger < smaller) {
    const double swap = larger;
    larger = smaller;
    smaller = swap;
  }
  if (larger == kInfinity || smaller == kInfinity) return kInfinity;
  if (larger == 0.0) return smaller;
  // Squares stay normal between 2^-450 and 2^500; a power of two brings the rest there exactly.
  double scale = 1.0;
  if (larger > 0x1p500) scale = 0x1p-600;
  if (larger < 0x1p-450) scale = 0x1p600;
  larger *= scale;
  smaller *= scale;
  const double root = std::sqrt(larger * larger + smaller * smaller);
  // Newton step with root^2 - larger^2 - smaller^2 from differences that cancel exactly (Borges,
  // "An improved algorithm for hypot(a, b)", 2019).
  double excess = 0.0;
  if (root <= 2.0 * smaller) {
    const double delta = root - smaller;
    excess = larger * (2.0 * delta - larger) + (delta - 2.0 * (larger - smaller)) * delta;
  } else {
    const double delta = root - larger;
    excess = 2.0 * delta * (larger - 2.0 * smaller) +
             ((4.0 * delta - smaller) * smaller + delta * delta);
  }
  return (root - excess / (2.0 * root)) / scale;
}

}  // namespace planarium
