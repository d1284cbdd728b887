#include "physics/kinematics.h"

#include <algorithm>
#include <cmath>

#include "physics/angle.h"
#include "physics/math.h"

namespace planarium {
namespace {

// World-frame rates of x and y for a translation (forward, lateral) in the body frame.
Vec2 RotateToWorld(const SinCosPair& heading, double forward, double lateral) {
  return {forward * heading.cos - lateral * heading.sin,
          forward * heading.sin + lateral * heading.cos};
}

// Yaw rate of a bicycle: tan(steer) / wheelbase * speed, in IR-SIM's order of operations.
double AckerYawRate(const KinematicsSpec& spec, double steer, double speed) {
  return Tan(steer) / spec.wheelbase * speed;
}

}  // namespace

const char* DriveName(Drive drive) {
  switch (drive) {
    case Drive::kDiff:
      return "diff";
    case Drive::kAcker:
      return "acker";
    case Drive::kOmni:
      return "omni";
    case Drive::kOmniAngular:
      return "omni_angular";
    case Drive::kPassive:
      break;
  }
  return "static";
}

int ActionDim(Drive drive) {
  return drive == Drive::kOmniAngular || drive == Drive::kPassive ? 3 : 2;
}

int StateDim(Drive drive) { return drive == Drive::kAcker ? 4 : 3; }

Command ClipCommand(const KinematicsSpec& spec, const Command& command, const Command& previous,
                    double dt) {
  Command clipped{};
  for (int row = 0; row < ActionDim(spec.drive); ++row) {
    // An infinite acceleration leaves the plain limits.
    const double reach = spec.acceleration[row] * dt;
    const double low = std::max(spec.velocity_min[row], previous[row] - reach);
    const double high = std::min(spec.velocity_max[row], previous[row] + reach);
    clipped[row] = std::min(std::max(command[row], low), high);
  }
  return clipped;
}

BodyState Integrate(const KinematicsSpec& spec, const BodyState& state, const SinCosPair& heading,
                    const Command& command, double dt) {
  const Twist2 rate = WorldTwist(spec, state, heading, command);
  BodyState next = state;
  next[0] += rate.vx * dt;
  next[1] += rate.vy * dt;
  // Bodies that steer wrap their heading first; omni and passive ones only enter the angle range.
  const bool wraps = spec.drive != Drive::kOmni && spec.drive != Drive::kPassive;
  const double theta = state[2] + rate.omega * dt;
  next[2] = WrapToRange(wraps ? WrapToPi(theta) : theta, spec.angle_min, spec.angle_max);
  if (spec.drive == Drive::kAcker) {
    next[3] = spec.acker_mode == AckerMode::kSteer ? command[1] : state[3] + command[1] * dt;
  }
  return next;
}

Command NoiseSigma(const KinematicsSpec& spec, const Command& command) {
  if (!spec.noise) return {};
  const std::array<double, 4>& alpha = spec.alpha;
  const double first_square = command[0] * command[0];
  const double second_square = command[1] * command[1];
  switch (spec.drive) {
    case Drive::kDiff:
    case Drive::kAcker:
      return {std::sqrt(alpha[0] * first_square + alpha[1] * second_square),
              std::sqrt(alpha[2] * first_square + alpha[3] * second_square), 0.0};
    case Drive::kOmni:
      return {std::sqrt(alpha[0]), std::sqrt(alpha[1]), 0.0};
    case Drive::kOmniAngular:
      return {std::sqrt(alpha[0]), std::sqrt(alpha[1]), std::sqrt(alpha[2])};
    case Drive::kPassive:
      break;
  }
  return {};
}

Twist2 WorldTwist(const KinematicsSpec& spec, const BodyState& state, const SinCosPair& heading,
                  const Command& command) {
  switch (spec.drive) {
    case Drive::kDiff:
      return {heading.cos * command[0], heading.sin * command[0], command[1]};
    case Drive::kAcker:
      return {heading.cos * command[0], heading.sin * command[0],
              AckerYawRate(spec, state[3], command[0])};
    case Drive::kOmni: {
      const Vec2 velocity = RotateToWorld(heading, command[0], command[1]);
      return {velocity.x, velocity.y, 0.0};
    }
    case Drive::kOmniAngular: {
      const Vec2 velocity = RotateToWorld(heading, command[0], command[1]);
      return {velocity.x, velocity.y, command[2]};
    }
    case Drive::kPassive:
      break;
  }
  return {command[0], command[1], command[2]};
}

double MaxSpeed(const KinematicsSpec& spec) {
  switch (spec.drive) {
    case Drive::kDiff:
    case Drive::kAcker:
      return spec.velocity_max[0];
    case Drive::kOmni:
    case Drive::kOmniAngular:
      return Hypot(spec.velocity_max[0], spec.velocity_max[1]);
    case Drive::kPassive:
      break;
  }
  return 0.0;
}

}  // namespace planarium
