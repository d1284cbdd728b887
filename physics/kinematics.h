#pragma once

#include <array>
#include <cstdint>

#include "physics/math.h"
#include "physics/types.h"

namespace planarium {

/// Motion models (spec irsim-world section 5). `kPassive` is IR-SIM's "no kinematics" / "static".
enum class Drive : std::uint8_t { kPassive, kDiff, kAcker, kOmni, kOmniAngular };
enum class AckerMode : std::uint8_t {
  kSteer,    ///< second input is the steering angle [rad], stored for the NEXT step
  kAngular,  ///< second input is the steering rate [rad/s]
};

inline constexpr int kMaxActionDim = 3;
inline constexpr int kMaxStateDim = 4;
using Command =
    std::array<double, kMaxActionDim>;  ///< command frame of the drive; unused rows are 0
using BodyState = std::array<double, kMaxStateDim>;  ///< x [m], y [m], theta [rad], steer [rad]

/// YAML name: "diff", "acker", "omni", "omni_angular", "static".
const char* DriveName(Drive drive);
/// Rows of a command: diff, acker 2 (v, omega | v, steer); omni 2 (forward, lateral); omni_angular
/// 3; passive 3 (vx, vy, omega).
int ActionDim(Drive drive);
/// 4 for acker, else 3.
int StateDim(Drive drive);

/// What one motion step needs to know of a body.
struct KinematicsSpec {
  Drive drive = Drive::kPassive;
  AckerMode acker_mode = AckerMode::kSteer;
  double wheelbase = 1.0;                  ///< [m] acker
  bool noise = false;                      ///< motion noise on
  std::array<double, 4> alpha{};           ///< noise coefficients (spec 5.4)
  Command velocity_min{-1.0, -1.0, -1.0};  ///< [m/s, rad/s | rad] per row
  Command velocity_max{1.0, 1.0, 1.0};
  Command acceleration{};  ///< [1/s of the row's unit]; +inf in all rows: unlimited
  double angle_min =
      -3.14159265358979323846;  ///< [rad] heading range, angle_max - angle_min == 2 pi
  double angle_max = 3.14159265358979323846;
};

/// Command within the velocity window: [vel_min, vel_max], narrowed to previous +- acce * dt when
/// any acce is finite. min(max(c, lo), hi), so lo > hi gives hi (spec 5.3).
Command ClipCommand(const KinematicsSpec& spec, const Command& command, const Command& previous,
                    double dt);

/// One explicit Euler step; every term uses the old heading and steer (spec 5.1, 5.2). `command`
/// includes noise already; `heading` is the sine and cosine of state[2].
BodyState Integrate(const KinematicsSpec& spec, const BodyState& state, const SinCosPair& heading,
                    const Command& command, double dt);

/// Standard deviations of the motion noise of `command`, one per row (spec 5.4). All 0 when noise
/// is off or passive.
Command NoiseSigma(const KinematicsSpec& spec, const Command& command);

/// World-frame velocity of a body that executes `command`; `heading` as in Integrate.
Twist2 WorldTwist(const KinematicsSpec& spec, const BodyState& state, const SinCosPair& heading,
                  const Command& command);

/// diff, acker: vel_max[0]; omni types: 2-norm of the two translation limits; passive: 0. [m/s]
double MaxSpeed(const KinematicsSpec& spec);

}  // namespace planarium
