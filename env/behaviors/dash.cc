#include <algorithm>
#include <array>
#include <cmath>

#include "env/behavior_registry.h"
#include "physics/angle.h"
#include "physics/math.h"

namespace planarium {
namespace {

constexpr std::array kDrives{Drive::kDiff, Drive::kAcker, Drive::kOmni, Drive::kOmniAngular};
constexpr std::array kParams{
    ParamSchema{"angle_tolerance", ParamType::kNumber, "0.1", "rad",
                "heading error that counts as facing the goal", 0.0, kPi},
};

/// Straight to the goal: turn towards it and drive (IR-SIM 2.12 `dash`).
class Dash final : public Behavior {
 public:
  Dash(const ObjectSpec& object, double tolerance) : object_(object), tolerance_(tolerance) {}

  Command Steer(const BehaviorContext& context) const override {
    const BodyState* goal = context.world.goal(context.object);
    if (goal == nullptr) return {};
    const BodyState& state = context.world.object(context.object).state;
    const double distance = Hypot((*goal)[0] - state[0], (*goal)[1] - state[1]);
    const double bearing = WrapToPi(Atan2((*goal)[1] - state[1], (*goal)[0] - state[0]));
    const double error = WrapToPi(bearing - state[2]);
    const double dt = context.world.spec().step_time;
    switch (object_.kinematics.drive) {
      case Drive::kDiff:
        return Diff(distance, error, dt);
      case Drive::kAcker:
        return Acker(distance, error);
      case Drive::kOmni:
        return Omni(distance, error);
      case Drive::kOmniAngular:
        return OmniAngular(distance, error, GoalHeading(distance, bearing, *goal, state), state[2],
                           dt);
      case Drive::kPassive:
        break;
    }
    return {};
  }

 private:
  // Outside the threshold: along the way. Inside: the goal's heading, or its own when the goal has
  // none (NaN).
  double GoalHeading(double distance, double bearing, const BodyState& goal,
                     const BodyState& state) const {
    if (distance > object_.goal_threshold) return bearing;
    return std::isnan(goal[2]) ? state[2] : goal[2];
  }

  const Command& max() const { return object_.kinematics.velocity_max; }

  // Turning speed that still stops within the tolerance: bang-bang without an acceleration limit,
  // else the speed from which braking at `a` ends after |error| - tolerance.
  double TurnRate(double error, std::size_t row, double dt) const {
    const double limit = std::fabs(max()[row]);
    const double a = object_.kinematics.acceleration[row];
    if (!std::isfinite(a) || a <= 0.0) return limit;
    const double step = a * dt;
    return std::min(limit,
                    -step + std::sqrt(step * step + 2.0 * a * (std::fabs(error) - tolerance_)));
  }

  Command Diff(double distance, double error, double dt) const {
    if (distance < object_.goal_threshold) return {};
    const double turn =
        std::fabs(error) < tolerance_ ? 0.0 : std::copysign(TurnRate(error, 1, dt), error);
    return {max()[0] * Cos(error), turn, 0.0};
  }

  Command Acker(double distance, double error) const {
    if (distance < object_.goal_threshold) return {};
    const double steer = std::fabs(error) < tolerance_ ? 0.0 : error;
    return {max()[0], std::clamp(steer, -std::fabs(max()[1]), std::fabs(max()[1])), 0.0};
  }

  Command Omni(double distance, double error) const {
    if (!(distance > object_.goal_threshold)) return {};
    const SinCosPair direction = SinCos(error);
    return {max()[0] * direction.cos, max()[1] * direction.sin, 0.0};
  }

  Command OmniAngular(double distance, double error, double heading, double theta,
                      double dt) const {
    Command command = Omni(distance, error);
    const double delta = WrapToPi(heading - theta);
    if (std::fabs(delta) > tolerance_) command[2] = std::copysign(TurnRate(delta, 2, dt), delta);
    return command;
  }

  const ObjectSpec& object_;
  double tolerance_;
};

std::unique_ptr<Behavior> Make(const BehaviorSpec& spec, const ObjectSpec& object) {
  return std::make_unique<Dash>(object, spec.params.Number("angle_tolerance", 0.1));
}

}  // namespace

extern const BehaviorRow kDashRow;
const BehaviorRow kDashRow{"dash", "straight to the goal, blind to everything else", kDrives,
                           kParams, &Make};

}  // namespace planarium
