#include "physics/kinematics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "physics/math.h"

namespace planarium {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

KinematicsSpec SpecOf(Drive drive) {
  KinematicsSpec spec;
  spec.drive = drive;
  spec.acceleration = {kInf, kInf, kInf};
  return spec;
}

BodyState Step(const KinematicsSpec& spec, const BodyState& state, const Command& command,
               double dt) {
  return Integrate(spec, state, SinCos(state[2]), command, dt);
}

Twist2 Twist(const KinematicsSpec& spec, const BodyState& state, const Command& command) {
  return WorldTwist(spec, state, SinCos(state[2]), command);
}

// States after each of `steps` steps of one command.
std::vector<BodyState> Trajectory(const KinematicsSpec& spec, BodyState state,
                                  const Command& command, double dt, int steps) {
  std::vector<BodyState> states;
  for (int i = 0; i < steps; ++i) {
    state = Step(spec, state, command, dt);
    states.push_back(state);
  }
  return states;
}

TEST(Kinematics, NamesAreThoseOfTheWorldFile) {
  EXPECT_STREQ(DriveName(Drive::kDiff), "diff");
  EXPECT_STREQ(DriveName(Drive::kAcker), "acker");
  EXPECT_STREQ(DriveName(Drive::kOmni), "omni");
  EXPECT_STREQ(DriveName(Drive::kOmniAngular), "omni_angular");
  EXPECT_STREQ(DriveName(Drive::kPassive), "static");
}

TEST(Kinematics, DimensionsFollowTheDrive) {
  EXPECT_EQ(ActionDim(Drive::kDiff), 2);
  EXPECT_EQ(ActionDim(Drive::kAcker), 2);
  EXPECT_EQ(ActionDim(Drive::kOmni), 2);
  EXPECT_EQ(ActionDim(Drive::kOmniAngular), 3);
  EXPECT_EQ(ActionDim(Drive::kPassive), 3);
  EXPECT_EQ(StateDim(Drive::kAcker), 4);
  EXPECT_EQ(StateDim(Drive::kDiff), 3);
  EXPECT_EQ(StateDim(Drive::kPassive), 3);
}

TEST(Kinematics, DiffFollowsTheRecordedTrajectory) {
  const auto states =
      Trajectory(SpecOf(Drive::kDiff), {1.0, 1.0, 0.0, 0.0}, {1.0, 1.0, 0.0}, 0.1, 3);
  EXPECT_DOUBLE_EQ(states[0][0], 1.1);
  EXPECT_DOUBLE_EQ(states[0][1], 1.0);
  EXPECT_NEAR(states[0][2], 0.1, 3e-16);
  EXPECT_DOUBLE_EQ(states[1][0], 1.1995004165278027);
  EXPECT_DOUBLE_EQ(states[1][1], 1.0099833416646828);
  EXPECT_NEAR(states[1][2], 0.2, 5e-16);
  EXPECT_DOUBLE_EQ(states[2][0], 1.2975070743119268);
  EXPECT_DOUBLE_EQ(states[2][1], 1.0298502747441889);
  EXPECT_NEAR(states[2][2], 0.3, 5e-16);
}

// Case B30: plain Euler with the old heading, not an arc.
TEST(Kinematics, DiffIsEulerAndNotAnArc) {
  const auto states = Trajectory(SpecOf(Drive::kDiff), {}, {1.0, 1.0, 0.0}, 0.3, 10);
  EXPECT_NEAR(states[9][0], 0.438559, 1e-6);
  EXPECT_NEAR(states[9][1], 1.953877, 1e-6);
  EXPECT_GT(std::hypot(states[9][0] - 0.141120, states[9][1] - 1.989992), 0.2);
}

TEST(Kinematics, DiffMatchesTheClosedFormSum) {
  // x_n = v dt sum cos(k w dt) = v dt sin(n a / 2) cos((n - 1) a / 2) / sin(a / 2) with a = w dt
  const double v = 0.7;
  const double w = -0.9;
  const double dt = 0.05;
  const int n = 200;
  const auto states = Trajectory(SpecOf(Drive::kDiff), {}, {v, w, 0.0}, dt, n);
  const double a = w * dt;
  const double chord = v * dt * std::sin(n * a / 2.0) / std::sin(a / 2.0);
  EXPECT_NEAR(states.back()[0], chord * std::cos((n - 1) * a / 2.0), 1e-12);
  EXPECT_NEAR(states.back()[1], chord * std::sin((n - 1) * a / 2.0), 1e-12);
}

TEST(Kinematics, AckerSteersOneStepLate) {
  const auto states = Trajectory(SpecOf(Drive::kAcker), {}, {1.0, 0.5, 0.0}, 0.1, 3);
  EXPECT_EQ(states[0][2], 0.0);
  EXPECT_NEAR(states[1][2], 0.05463024898437885, 1e-15);
  EXPECT_NEAR(states[2][2], 0.1092604979687577, 1e-15);
  EXPECT_EQ(states[0][1], 0.0);
  EXPECT_EQ(states[1][1], 0.0);
  EXPECT_NEAR(states[2][1], 0.005460307936951751, 1e-16);
  for (const BodyState& state : states) EXPECT_EQ(state[3], 0.5);
}

// Case B29: the tangent of the old steer over the wheelbase.
TEST(Kinematics, AckerTurnsByTheOldSteerOverTheWheelbase) {
  KinematicsSpec spec = SpecOf(Drive::kAcker);
  spec.wheelbase = 3.0;
  const auto states = Trajectory(spec, {}, {1.0, 0.5, 0.0}, 0.1, 3);
  EXPECT_EQ(states[0][2], 0.0);
  EXPECT_NEAR(states[1][2], 0.018210, 5e-7);
  EXPECT_NEAR(states[2][2], 0.036420, 5e-7);
  EXPECT_NEAR(states[2][0], 0.299983, 5e-7);
}

TEST(Kinematics, AckerInAngularModeIntegratesTheSteeringRate) {
  KinematicsSpec spec = SpecOf(Drive::kAcker);
  spec.acker_mode = AckerMode::kAngular;
  const auto states = Trajectory(spec, {}, {1.0, 0.5, 0.0}, 0.1, 3);
  EXPECT_DOUBLE_EQ(states[0][3], 0.05);
  EXPECT_DOUBLE_EQ(states[1][3], 0.1);
  EXPECT_NEAR(states[2][3], 0.15, 1e-16);
  EXPECT_EQ(states[0][2], 0.0);
  EXPECT_NEAR(states[1][2], 0.00500417083755389, 1e-15);
  EXPECT_NEAR(states[2][2], 0.015037638046099033, 1e-15);
}

TEST(Kinematics, AckerSteerIsNeitherWrappedNorLimited) {
  KinematicsSpec spec = SpecOf(Drive::kAcker);
  spec.acker_mode = AckerMode::kAngular;
  const auto states = Trajectory(spec, {0.0, 0.0, 0.0, 3.0}, {0.0, 1.0, 0.0}, 1.0, 5);
  EXPECT_EQ(states.back()[3], 8.0);
}

TEST(Kinematics, OmniCommandIsInTheBodyFrame) {
  const BodyState start{0.0, 0.0, kPi / 2.0, 0.0};
  const BodyState state = Step(SpecOf(Drive::kOmni), start, {1.0, 0.5, 0.0}, 0.1);
  EXPECT_NEAR(state[0], -0.05, 1e-16);
  EXPECT_NEAR(state[1], 0.1, 1e-16);
  EXPECT_EQ(state[2], kPi / 2.0);
}

// Case B31: an omni robot that looks to -x drives to -x when told to go forward.
TEST(Kinematics, OmniFacingBackwardsDrivesBackwards) {
  const BodyState state = Step(SpecOf(Drive::kOmni), {0.0, 0.0, kPi, 0.0}, {1.0, 0.0, 0.0}, 0.1);
  EXPECT_DOUBLE_EQ(state[0], -0.1);
  EXPECT_NEAR(state[1], 0.0, 1e-16);
  EXPECT_EQ(state[2], kPi);
}

TEST(Kinematics, OmniAngularTurnsAfterItHasMoved) {
  const BodyState state =
      Step(SpecOf(Drive::kOmniAngular), {0.0, 0.0, 0.0, 0.0}, {1.0, 2.0, 3.0}, 0.1);
  EXPECT_DOUBLE_EQ(state[0], 0.1);
  EXPECT_DOUBLE_EQ(state[1], 0.2);
  EXPECT_NEAR(state[2], 0.3, 4e-16);  // through the sum with pi
}

TEST(Kinematics, PassiveBodiesMoveInTheWorldFrame) {
  const BodyState state =
      Step(SpecOf(Drive::kPassive), {1.0, 2.0, kPi / 2.0, 0.0}, {1.0, -0.5, 0.2}, 0.1);
  EXPECT_DOUBLE_EQ(state[0], 1.1);
  EXPECT_DOUBLE_EQ(state[1], 1.95);
  EXPECT_DOUBLE_EQ(state[2], kPi / 2.0 + 0.02);
}

TEST(Kinematics, HeadingEntersTheAngleRange) {
  KinematicsSpec spec = SpecOf(Drive::kDiff);
  const BodyState start{0.0, 0.0, 3.1, 0.0};
  EXPECT_NEAR(Step(spec, start, {0.0, 1.0, 0.0}, 0.1)[2], 3.2 - kTwoPi, 1e-14);
  spec.angle_min = 0.0;
  spec.angle_max = kTwoPi;
  EXPECT_NEAR(Step(spec, start, {0.0, 1.0, 0.0}, 0.1)[2], 3.2, 1e-14);
}

TEST(Kinematics, DriversWrapPlusPiToMinusPiWhilePassiveBodiesKeepIt) {
  const BodyState start{0.0, 0.0, kPi, 0.0};
  EXPECT_EQ(Step(SpecOf(Drive::kDiff), start, {}, 0.1)[2], -kPi);
  EXPECT_EQ(Step(SpecOf(Drive::kOmniAngular), start, {}, 0.1)[2], -kPi);
  EXPECT_EQ(Step(SpecOf(Drive::kOmni), start, {}, 0.1)[2], kPi);
  EXPECT_EQ(Step(SpecOf(Drive::kPassive), start, {}, 0.1)[2], kPi);
}

TEST(Kinematics, TypedHeadingOutsideTheRangeIsBroughtIn) {
  const BodyState state = Step(SpecOf(Drive::kOmni), {0.0, 0.0, 7.0, 0.0}, {}, 0.1);
  EXPECT_DOUBLE_EQ(state[2], 7.0 - kTwoPi);
}

TEST(Kinematics, AccelerationWindowNarrowsTheCommand) {
  KinematicsSpec spec = SpecOf(Drive::kDiff);
  spec.acceleration = {0.5, 0.5, 0.0};
  Command velocity{};
  for (const double expected : {0.05, 0.10, 0.15}) {
    velocity = ClipCommand(spec, {1.0, 1.0, 0.0}, velocity, 0.1);
    EXPECT_DOUBLE_EQ(velocity[0], expected);
    EXPECT_DOUBLE_EQ(velocity[1], expected);
  }
}

// Case B28: the turn rate was once clipped on the positive side only.
TEST(Kinematics, TurnRateIsClippedOnBothSides) {
  KinematicsSpec spec = SpecOf(Drive::kDiff);
  spec.velocity_min = {-1.0, -1.5, 0.0};
  spec.velocity_max = {1.0, 1.5, 0.0};
  EXPECT_EQ(ClipCommand(spec, {0.0, 9.0, 0.0}, {}, 0.1)[1], 1.5);
  EXPECT_EQ(ClipCommand(spec, {0.0, -9.0, 0.0}, {}, 0.1)[1], -1.5);
}

TEST(Kinematics, InfiniteAccelerationOfOneRowLeavesItsLimitsAlone) {
  KinematicsSpec spec = SpecOf(Drive::kOmniAngular);
  spec.acceleration = {1.0, kInf, 2.0};
  const Command clipped = ClipCommand(spec, {9.0, -9.0, 9.0}, {0.5, 0.0, 0.0}, 0.1);
  EXPECT_DOUBLE_EQ(clipped[0], 0.6);
  EXPECT_EQ(clipped[1], -1.0);
  EXPECT_DOUBLE_EQ(clipped[2], 0.2);
}

TEST(Kinematics, EmptyWindowGivesItsUpperEnd) {
  KinematicsSpec spec = SpecOf(Drive::kDiff);
  spec.acceleration = {1.0, 1.0, 1.0};
  // previous 3 m/s: window [max(-1, 2.9), min(1, 3.1)] = [2.9, 1]
  EXPECT_EQ(ClipCommand(spec, {0.0, 0.0, 0.0}, {3.0, 0.0, 0.0}, 0.1)[0], 1.0);
  // previous -3 m/s: window [-1, -2.9]
  EXPECT_DOUBLE_EQ(ClipCommand(spec, {0.0, 0.0, 0.0}, {-3.0, 0.0, 0.0}, 0.1)[0], -2.9);
}

TEST(Kinematics, ClippingIsIdempotent) {
  KinematicsSpec spec = SpecOf(Drive::kOmniAngular);
  spec.acceleration = {1.0, 0.3, 5.0};
  const Command previous{0.2, -0.9, 0.4};
  const Command once = ClipCommand(spec, {2.0, -2.0, 0.1}, previous, 0.1);
  EXPECT_EQ(ClipCommand(spec, once, previous, 0.1), once);
}

TEST(Kinematics, UnusedRowsOfAClippedCommandAreZero) {
  EXPECT_EQ(ClipCommand(SpecOf(Drive::kDiff), {0.1, 0.2, 7.0}, {}, 0.1)[2], 0.0);
  EXPECT_EQ(ClipCommand(SpecOf(Drive::kOmni), {0.1, 0.2, 7.0}, {}, 0.1)[2], 0.0);
}

TEST(Kinematics, DiffNoiseGrowsWithTheCommand) {
  KinematicsSpec spec = SpecOf(Drive::kDiff);
  spec.noise = true;
  spec.alpha = {0.03, 0.01, 0.02, 0.04};
  const Command sigma = NoiseSigma(spec, {2.0, -3.0, 0.0});
  EXPECT_DOUBLE_EQ(sigma[0], std::sqrt(0.03 * 4.0 + 0.01 * 9.0));
  EXPECT_DOUBLE_EQ(sigma[1], std::sqrt(0.02 * 4.0 + 0.04 * 9.0));
  EXPECT_EQ(sigma[2], 0.0);
  spec.drive = Drive::kAcker;
  EXPECT_EQ(NoiseSigma(spec, {2.0, -3.0, 0.0}), sigma);
  EXPECT_EQ(NoiseSigma(spec, {}), Command{});
}

TEST(Kinematics, OmniNoiseIsConstantEvenAtRest) {
  KinematicsSpec spec = SpecOf(Drive::kOmni);
  spec.noise = true;
  spec.alpha = {0.04, 0.09, 0.16, 0.0};
  EXPECT_EQ(NoiseSigma(spec, {}), (Command{0.2, 0.3, 0.0}));
  spec.drive = Drive::kOmniAngular;
  EXPECT_EQ(NoiseSigma(spec, {}), (Command{0.2, 0.3, 0.4}));
}

TEST(Kinematics, NoNoiseWhenOffOrPassive) {
  KinematicsSpec spec = SpecOf(Drive::kOmni);
  spec.alpha = {0.04, 0.09, 0.16, 0.0};
  EXPECT_EQ(NoiseSigma(spec, {1.0, 1.0, 0.0}), Command{});
  spec.noise = true;
  spec.drive = Drive::kPassive;
  EXPECT_EQ(NoiseSigma(spec, {1.0, 1.0, 1.0}), Command{});
}

TEST(Kinematics, WorldTwistIsTheRateOfIntegration) {
  const BodyState state{1.0, 2.0, 0.7, 0.3};
  const Command command{0.8, -0.4, 0.5};
  const double dt = 1e-3;
  for (const Drive drive :
       {Drive::kPassive, Drive::kDiff, Drive::kAcker, Drive::kOmni, Drive::kOmniAngular}) {
    const KinematicsSpec spec = SpecOf(drive);
    const Twist2 twist = Twist(spec, state, command);
    const BodyState next = Step(spec, state, command, dt);
    EXPECT_NEAR(twist.vx, (next[0] - state[0]) / dt, 1e-12) << DriveName(drive);
    EXPECT_NEAR(twist.vy, (next[1] - state[1]) / dt, 1e-12) << DriveName(drive);
    EXPECT_NEAR(twist.omega, (next[2] - state[2]) / dt, 1e-12) << DriveName(drive);
  }
}

TEST(Kinematics, AckerYawRateIsThatOfABicycle) {
  KinematicsSpec spec = SpecOf(Drive::kAcker);
  spec.wheelbase = 2.0;
  const Twist2 twist = Twist(spec, {0.0, 0.0, 0.0, 0.5}, {3.0, 0.9, 0.0});
  EXPECT_DOUBLE_EQ(twist.omega, 3.0 * std::tan(0.5) / 2.0);
}

TEST(Kinematics, MaxSpeedFollowsTheTranslationLimits) {
  KinematicsSpec spec = SpecOf(Drive::kDiff);
  spec.velocity_max = {3.0, 4.0, 12.0};
  EXPECT_EQ(MaxSpeed(spec), 3.0);
  spec.drive = Drive::kAcker;
  EXPECT_EQ(MaxSpeed(spec), 3.0);
  spec.drive = Drive::kOmni;
  EXPECT_EQ(MaxSpeed(spec), 5.0);
  spec.drive = Drive::kOmniAngular;
  EXPECT_EQ(MaxSpeed(spec), 5.0);
  spec.drive = Drive::kPassive;
  EXPECT_EQ(MaxSpeed(spec), 0.0);
}

}  // namespace
}  // namespace planarium
