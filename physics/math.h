#pragma once

/// Elementary functions of the step path. glibc picks other code on CPUs with and without FMA and
/// the last bits differ, so Planarium owns these: plain IEEE double operations without contraction
/// give the same bits on every host. Each is tested against libm to the bound stated.
namespace planarium {

inline constexpr double kPi = 3.14159265358979323846;
inline constexpr double kTwoPi = 2.0 * kPi;

struct SinCosPair {
  double sin = 0.0;
  double cos = 1.0;
};

/// Sine and cosine of an angle [rad]; within 1 ulp of libm for |angle| <= 1e6. NaN for non-finite
/// input.
SinCosPair SinCos(double angle);
double Sin(double angle);
double Cos(double angle);
/// Tangent [-]; within 2 ulp for |angle| <= 1e6.
double Tan(double angle);
/// Angle of the vector (x, y) in [-pi, pi], with the signed-zero rules of C's atan2; within 1 ulp.
double Atan2(double y, double x);
/// Arc sine for |x| <= 1, else NaN; within 2 ulp.
double Asin(double x);
/// Natural exponential; within 1 ulp; 0 below -745, +inf above 709.79.
double Exp(double x);
/// Natural logarithm for x > 0; within 1 ulp; -inf at 0, NaN below.
double Log(double x);
/// sqrt(x*x + y*y) without overflow for |x|, |y| <= 1e150; within 1 ulp.
double Hypot(double x, double y);
/// The same within 2 ulp and a third of the time, for |x|, |y| in [1e-150, 1e150] or 0: what no
/// comparison at a threshold depends on.
inline double QuickHypot(double x, double y) { return __builtin_sqrt(x * x + y * y); }

}  // namespace planarium
