#pragma once

#include "physics/math.h"

namespace planarium {

/// Python's a % b for b > 0: the result has the sign of b and lies in [0, b).
double FloorMod(double a, double b);

/// Brings an angle [rad] into [-pi, pi); +pi maps to -pi; a non-finite angle gives 0.
/// Formula: FloorMod(a + pi, 2 pi) - pi (IR-SIM's WrapToPi).
double WrapToPi(double angle);

/// Adds or subtracts 2 pi until low <= angle <= high (closed on both ends, so +pi stays +pi).
/// REQUIRES: high - low == 2 pi and |angle| small enough to reach it in a few turns; a non-finite
/// angle is returned unchanged.
double WrapToRange(double angle, double low, double high);

}  // namespace planarium
