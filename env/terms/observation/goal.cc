#include <array>
#include <cmath>

#include "env/term.h"
#include "physics/angle.h"
#include "physics/math.h"

namespace planarium {
namespace {

constexpr std::array kRangeParams{
    ParamSchema{"max", ParamType::kNumber, "1000", "m",
                "bound of the value; larger distances read as it", 1e-6, kLargestNumber},
};

// Vector to the current goal in the world frame; zero without a goal.
Vec2 ToGoal(const AgentContext& context) {
  const BodyState* goal = context.world.goal(context.object);
  const BodyState& state = context.self().state;
  return goal == nullptr ? Vec2{} : Vec2{(*goal)[0] - state[0], (*goal)[1] - state[1]};
}

double Bearing(const AgentContext& context, Vec2 to_goal) {
  return WrapToPi(Atan2(to_goal.y, to_goal.x) - context.self().state[2]);
}

class GoalDistance final : public ObservationTerm {
 public:
  explicit GoalDistance(double max) : max_(max) {}
  std::vector<Column> Columns() const override { return {{"goal.distance", 0.0, max_}}; }
  std::string unit() const override { return "m"; }
  void Write(const AgentContext& context, float* out) const override {
    const Vec2 v = ToGoal(context);
    *out = static_cast<float>(QuickHypot(v.x, v.y));
  }

 private:
  double max_;
};

class GoalBearing final : public ObservationTerm {
 public:
  std::vector<Column> Columns() const override { return {{"goal.bearing", -kPi, kPi}}; }
  std::string unit() const override { return "rad"; }
  void Write(const AgentContext& context, float* out) const override {
    *out = static_cast<float>(Bearing(context, ToGoal(context)));
  }
};

class GoalCosSin final : public ObservationTerm {
 public:
  std::vector<Column> Columns() const override {
    return {{"goal.cos", -1.0, 1.0}, {"goal.sin", -1.0, 1.0}};
  }
  std::string unit() const override { return "-"; }
  void Write(const AgentContext& context, float* out) const override {
    const Vec2 v = ToGoal(context);
    const double distance = QuickHypot(v.x, v.y);
    // At the goal its direction is that of x, as for goal.bearing.
    const Vec2 unit = distance > 0.0 ? (1.0 / distance) * v : Vec2{1.0, 0.0};
    const Vec2 ahead = context.ToBody(unit);
    out[0] = static_cast<float>(ahead.x);
    out[1] = static_cast<float>(ahead.y);
  }
};

class GoalVector final : public ObservationTerm {
 public:
  explicit GoalVector(double max) : max_(max) {}
  std::vector<Column> Columns() const override {
    return {{"goal.vector_body.x", -max_, max_}, {"goal.vector_body.y", -max_, max_}};
  }
  std::string unit() const override { return "m"; }
  void Write(const AgentContext& context, float* out) const override {
    const Vec2 v = context.ToBody(ToGoal(context));
    out[0] = static_cast<float>(v.x);
    out[1] = static_cast<float>(v.y);
  }

 private:
  double max_;
};

template <typename Term>
std::unique_ptr<ObservationTerm> Make(const Params&, const TermSetup&) {
  return std::make_unique<Term>();
}
template <typename Term>
std::unique_ptr<ObservationTerm> MakeBounded(const Params& params, const TermSetup&) {
  return std::make_unique<Term>(params.Number("max", 1000.0));
}

}  // namespace

using Row = TermRow<ObservationTerm>;
extern const Row kGoalDistanceRow, kGoalBearingRow, kGoalCosSinRow, kGoalVectorRow;
const Row kGoalDistanceRow{"goal.distance", "distance to the current goal [m]", kRangeParams,
                           &MakeBounded<GoalDistance>};
const Row kGoalBearingRow{"goal.bearing",
                          "direction to the goal seen from the robot, in [-pi, pi) [rad]",
                          {},
                          &Make<GoalBearing>};
const Row kGoalCosSinRow{"goal.cos_sin", "cosine and sine of goal.bearing", {}, &Make<GoalCosSin>};
const Row kGoalVectorRow{"goal.vector_body", "vector to the goal in the robot's frame [m]",
                         kRangeParams, &MakeBounded<GoalVector>};

}  // namespace planarium
