#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "env/behavior_registry.h"
#include "physics/angle.h"
#include "physics/math.h"
#include "physics/world_step.h"

namespace planarium {
namespace {

constexpr std::array kDrives{Drive::kDiff, Drive::kOmni};
constexpr std::array kParams{
    ParamSchema{"vxmax", ParamType::kNumber, "1.5", "m/s", "largest |vx| considered", 0.0, 1e6},
    ParamSchema{"vymax", ParamType::kNumber, "1.5", "m/s", "largest |vy| considered", 0.0, 1e6},
    ParamSchema{"acce", ParamType::kNumber, "1.0", "m/s",
                "largest change of either component per step", 0.0, 1e6},
    ParamSchema{"factor", ParamType::kNumber, "1.0", "-", "weight of the inverse time to collision",
                0.0, 1e6},
    ParamSchema{"mode", ParamType::kText, "rvo", "-", "rvo (vo and hrvo are not built yet)"},
    ParamSchema{"neighbor_threshold", ParamType::kNumber, "3.0", "m",
                "discs farther away are ignored", 0.0, 1e6},
};

constexpr double kSafetyRadius = 0.1;  // [m] added to every bounding radius
constexpr double kGoalReached =
    0.1;                            // [m] no desired velocity within it, whatever goal_threshold is
constexpr double kGridStep = 0.05;  // [m/s] between velocity candidates
constexpr double kTinyLength2 = 1e-12;  // [m^2] segments shorter than 1e-6 m are skipped
// Squares that differ by this factor have different roots, rounded or not.
constexpr double kClearlyMore = 1.0 + 1e-12;
constexpr double kNever = 1e6;  // [s] time to collision of a course that misses

// World velocity -> diff command (IR-SIM's omni_to_diff defaults).
constexpr double kDiffMaxTurn = 1.5;    // [rad/s]
constexpr double kDiffTurnTime = 0.2;   // [s] heading error is turned away in this time
constexpr double kDiffTolerance = 0.1;  // [rad]
constexpr double kDiffMinSpeed = 0.02;  // [m/s] slower counts as standing

struct RvoOptions {
  double vx_max, vy_max, acce, factor, neighbor_threshold;
  TargetRoles roles;
};

struct Ego {
  Vec2 position, velocity, desired;
  double radius, theta;
};

using Workspace = BehaviorWorkspace;

// Values of one velocity axis: numpy's arange(lo, hi, 0.05), whose step is (lo + 0.05) - lo in
// floating point.
struct Axis {
  double first;
  double step;
  int count;

  Axis(double current, double acce, double limit) {
    const double lo = std::max(current - acce, -limit);
    const double hi = std::min(current + acce, limit);
    if (hi <= lo) {
      first = std::min(std::max(current, -limit), limit);
      step = 0.0;
      count = 1;
      return;
    }
    first = lo;
    step = (lo + kGridStep) - lo;
    count = std::max(1, static_cast<int>(std::ceil((hi - lo) / kGridStep)));
  }
  double operator[](int i) const {
    if (i == 0) return first;
    return i == 1 ? first + kGridStep : first + i * step;
  }
};

double Norm(Vec2 v) { return std::sqrt(v.x * v.x + v.y * v.y); }

bool Targets(TargetRoles roles, Role role) {
  return roles == TargetRoles::kAll || (roles == TargetRoles::kRobot) == (role == Role::kRobot);
}

// The part of a collision time that does not depend on the candidate is worked out once.
void AddSegment(const Ego& ego, Vec2 a, Vec2 b, Workspace& workspace) {
  Workspace::Segment segment{a, b, {}, {}, Norm(b - a), 0.0, 0.0};
  if (segment.length >= 1e-12) {
    segment.unit = (1.0 / segment.length) * (b - a);
    segment.normal = {-segment.unit.y, segment.unit.x};
    segment.distance = Dot(ego.position - a, segment.normal);
    if (segment.distance < 0.0) {
      segment.normal = -1.0 * segment.normal;
      segment.distance = -segment.distance;
    }
    segment.along = Dot(ego.position - a, segment.unit);
  }
  workspace.segments.push_back(segment);
}

// Neighbours in id order: polylines give their segments, everything else within the threshold is a
// disc about its centroid.
void GatherNeighbors(const WorldView& world, int self, const Ego& ego, const RvoOptions& options,
                     Workspace& workspace) {
  workspace.discs.clear();
  workspace.segments.clear();
  for (const ObjectSpec& other : world.spec().objects) {
    if (other.id == self || !Targets(options.roles, other.role)) continue;
    const ObjectState& state = world.object(other.id);
    if (state.placed.kind == ShapeKind::kPolyline) {
      const auto chain = state.placed.vertices;
      for (std::size_t k = 0; k + 1 < chain.size(); ++k) {
        AddSegment(ego, chain[k], chain[k + 1], workspace);
      }
      continue;
    }
    const Vec2 offset = state.placed.centroid - ego.position;
    if (!(Dot(offset, offset) < options.neighbor_threshold * options.neighbor_threshold)) continue;
    const Twist2 twist = TwistOf(world, other.id);
    const double radius = state.shape.bounding_radius + kSafetyRadius;
    const double reach = ego.radius + radius;
    const double gap = std::sqrt(std::max(Dot(offset, offset) - reach * reach, 0.0));
    workspace.discs.push_back({state.placed.centroid, {twist.vx, twist.vy}, radius, gap});
  }
}

// Reciprocal velocity obstacle of a disc: apex halfway between both velocities.
Workspace::Cone DiscCone(const Ego& ego, const Workspace::Disc& disc) {
  const Vec2 offset = disc.position - ego.position;
  const double reach = ego.radius + disc.radius;
  const double distance = std::max(std::sqrt(offset.x * offset.x + offset.y * offset.y), reach);
  const double bearing = Atan2(offset.y, offset.x);
  const double half = Asin(std::min(std::max(reach / distance, -1.0), 1.0));
  const SinCosPair left = SinCos(bearing + half);
  const SinCosPair right = SinCos(bearing - half);
  return {{(ego.velocity.x + disc.velocity.x) / 2.0, (ego.velocity.y + disc.velocity.y) / 2.0},
          {left.cos, left.sin},
          {right.cos, right.sin}};
}

// Cone of a wall segment, widened by the ego's radius at both ends; walls do not move, so the apex
// is the origin.
Workspace::Cone SegmentCone(const Ego& ego, const Workspace::Segment& segment) {
  const Vec2 a = segment.a - ego.position;
  const Vec2 b = segment.b - ego.position;
  const auto widening = [&ego](double distance) {
    return distance <= 1e-6 ? kPi / 2.0
                            : Asin(std::min(1.0, ego.radius / std::max(distance, ego.radius)));
  };
  const double angle_a = Atan2(a.y, a.x);
  const double angle_b = Atan2(b.y, b.x);
  const double widen_a = widening(Norm(a));
  const double widen_b = widening(Norm(b));
  const SinCosPair turn = SinCos(angle_b - angle_a);
  const bool counter_clockwise = Atan2(turn.sin, turn.cos) >= 0.0;
  const SinCosPair left = SinCos(counter_clockwise ? angle_b + widen_b : angle_a + widen_a);
  const SinCosPair right = SinCos(counter_clockwise ? angle_a - widen_a : angle_b - widen_b);
  return {{0.0, 0.0}, {left.cos, left.sin}, {right.cos, right.sin}};
}

void BuildCones(const Ego& ego, Workspace& workspace) {
  workspace.cones.clear();
  for (const auto& disc : workspace.discs) workspace.cones.push_back(DiscCone(ego, disc));
  for (const auto& segment : workspace.segments) {
    const Vec2 along = segment.b - segment.a;
    if (Dot(along, along) < kTinyLength2) continue;
    workspace.cones.push_back(SegmentCone(ego, segment));
  }
}

bool InsideAnyCone(Vec2 candidate, const Workspace& workspace) {
  return std::ranges::any_of(workspace.cones, [candidate](const Workspace::Cone& cone) {
    const Vec2 w = candidate - cone.apex;
    return Cross(cone.left, w) <= 0.0 && Cross(cone.right, w) >= 0.0;
  });
}

double DiscCollisionTime(Vec2 candidate, const Ego& ego, const Workspace::Disc& disc) {
  return disc.gap / (Norm(2.0 * candidate - ego.velocity - disc.velocity) + 1e-7);
}

double SegmentCollisionTime(Vec2 candidate, const Ego& ego, const Workspace::Segment& segment) {
  if (segment.length < 1e-12) return kNever;
  const double approach = -Dot(segment.normal, candidate);
  if (approach <= 1e-7) return kNever;
  const double time = std::max(0.0, (segment.distance - ego.radius) / approach);
  const double margin = ego.radius / segment.length;
  const double share = (segment.along + time * Dot(candidate, segment.unit)) / segment.length;
  return share >= -margin && share <= 1.0 + margin ? time : kNever;
}

double CollisionTime(Vec2 candidate, const Ego& ego, const Workspace& workspace) {
  double time = std::numeric_limits<double>::infinity();
  for (const auto& disc : workspace.discs)
    time = std::min(time, DiscCollisionTime(candidate, ego, disc));
  for (const auto& segment : workspace.segments)
    time = std::min(time, SegmentCollisionTime(candidate, ego, segment));
  return time == 0.0 ? 1e-4 : time;
}

// First minimum over the grid, x outer: the free candidate nearest to the desired velocity, else
// the best trade of time to collision against deviation.
Vec2 ChooseVelocity(const Ego& ego, const RvoOptions& options, const Workspace& workspace) {
  const Axis xs(ego.velocity.x, options.acce, options.vx_max);
  const Axis ys(ego.velocity.y, options.acce, options.vy_max);
  Vec2 best_free, best_blocked;
  double free_cost = std::numeric_limits<double>::infinity();
  double blocked_cost = free_cost;
  for (int i = 0; i < xs.count; ++i) {
    for (int k = 0; k < ys.count; ++k) {
      const Vec2 candidate{xs[i], ys[k]};
      // Clearly worse, whatever the last bits of the deviation: most candidates end here.
      const Vec2 off = candidate - ego.desired;
      if (Dot(off, off) > kClearlyMore * free_cost * free_cost) continue;
      const double deviation = Hypot(off.x, off.y);
      // Only a smaller deviation can win, so most candidates need no cone test.
      if (!(deviation < free_cost)) continue;
      if (!InsideAnyCone(candidate, workspace)) {
        best_free = candidate;
        free_cost = deviation;
      } else if (std::isinf(free_cost) && deviation < blocked_cost) {
        const double cost =
            options.factor * (1.0 / CollisionTime(candidate, ego, workspace)) + deviation;
        if (cost < blocked_cost) best_blocked = candidate, blocked_cost = cost;
      }
    }
  }
  return std::isinf(free_cost) ? best_blocked : best_free;
}

Command ToOmni(Vec2 velocity, double theta) {
  const SinCosPair heading = SinCos(theta);
  return {velocity.x * heading.cos + velocity.y * heading.sin,
          -velocity.x * heading.sin + velocity.y * heading.cos, 0.0};
}

Command ToDiff(Vec2 velocity, double theta) {
  const double speed = Hypot(velocity.x, velocity.y);
  if (speed <= kDiffMinSpeed) return {};
  const double error = WrapToPi(theta - Atan2(velocity.y, velocity.x));
  const double turn = std::fabs(error) < kDiffTolerance
                          ? 0.0
                          : std::clamp(-error / kDiffTurnTime, -kDiffMaxTurn, kDiffMaxTurn);
  return {std::max(0.0, speed * Cos(error)), turn, 0.0};
}

/// Reciprocal velocity obstacles on a grid of velocities (van den Berg et al. 2008; IR-SIM 2.12
/// `rvo`, mode rvo).
class Rvo final : public Behavior {
 public:
  Rvo(const ObjectSpec& object, const RvoOptions& options) : object_(object), options_(options) {}

  Command Steer(const BehaviorContext& context) const override {
    const BodyState* goal = context.world.goal(context.object);
    if (goal == nullptr) return {};
    const Ego ego = MakeEgo(context, *goal);
    GatherNeighbors(context.world, context.object, ego, options_, context.workspace);
    BuildCones(ego, context.workspace);
    const Vec2 velocity = ChooseVelocity(ego, options_, context.workspace);
    if (object_.kinematics.drive == Drive::kOmni) return ToOmni(velocity, ego.theta);
    Command command = ToDiff(velocity, ego.theta);
    // Alone and told to stand: turn towards the goal on the spot.
    const bool alone = context.workspace.discs.empty() && context.workspace.segments.empty();
    if (alone && command == Command{}) {
      command = ToDiff(ego.desired, ego.theta);
      command[0] = 0.0;
    }
    return command;
  }

 private:
  Ego MakeEgo(const BehaviorContext& context, const BodyState& goal) const {
    const ObjectState& self = context.world.object(context.object);
    const Twist2 twist = TwistOf(context.world, context.object);
    Ego ego{{self.state[0], self.state[1]},
            {twist.vx, twist.vy},
            {},
            self.shape.bounding_radius + kSafetyRadius,
            self.state[2]};
    const double dx = goal[0] - ego.position.x;
    const double dy = goal[1] - ego.position.y;
    if (Hypot(dx, dy) <= kGoalReached) return ego;
    const SinCosPair bearing = SinCos(WrapToPi(Atan2(dy, dx)));
    const Command& limit = object_.kinematics.velocity_max;
    const double limit_y = object_.kinematics.drive == Drive::kOmni ? limit[1] : limit[0];
    ego.desired = {limit[0] * bearing.cos, limit_y * bearing.sin};
    return ego;
  }

  const ObjectSpec& object_;
  RvoOptions options_;
};

std::unique_ptr<Behavior> Make(const BehaviorSpec& spec, const ObjectSpec& object) {
  const Params& p = spec.params;
  if (const std::string mode = p.Text("mode", "rvo"); mode != "rvo") {
    throw std::invalid_argument("mode: got '" + mode +
                                "', expected rvo (vo and hrvo are not built yet)");
  }
  return std::make_unique<Rvo>(
      object,
      RvoOptions{p.Number("vxmax", 1.5), p.Number("vymax", 1.5), p.Number("acce", 1.0),
                 p.Number("factor", 1.0), p.Number("neighbor_threshold", 3.0), spec.target_roles});
}

}  // namespace

extern const BehaviorRow kRvoRow;
const BehaviorRow kRvoRow{"rvo", "avoids others by reciprocal velocity obstacles", kDrives, kParams,
                          &Make};

}  // namespace planarium
