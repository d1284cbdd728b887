#include "physics/angle.h"

#include <cmath>

namespace planarium {

double FloorMod(double a, double b) {
  // One period to either side is the common case and exact without the slow remainder.
  if (a >= 0.0 && a < b) return a;
  const double rest = std::fmod(a, b);
  return rest < 0.0 ? rest + b : std::fabs(rest);
}

double WrapToPi(double angle) {
  if (!std::isfinite(angle)) return 0.0;
  return FloorMod(angle + kPi, kTwoPi) - kPi;
}

double WrapToRange(double angle, double low, double high) {
  if (!std::isfinite(angle)) return angle;
  // A diverged heading would take forever by single turns; past a thousand of them one remainder
  // does.
  constexpr double kManyTurns = 1000.0 * kTwoPi;
  if (angle > high + kManyTurns || angle < low - kManyTurns) {
    return low + FloorMod(angle - low, kTwoPi);
  }
  while (angle > high) angle -= kTwoPi;
  while (angle < low) angle += kTwoPi;
  return angle;
}

}  // namespace planarium
