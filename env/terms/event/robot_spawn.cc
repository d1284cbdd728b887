#include <array>

#include "env/placement.h"
#include "env/term.h"
#include "physics/math.h"

namespace planarium {
namespace {

constexpr std::array kParams{
    ParamSchema{"range_low", ParamType::kNumbers, "world bounds + margin, -pi", "m, m, rad",
                "lower corner of the box of starts"},
    ParamSchema{"range_high", ParamType::kNumbers, "world bounds - margin, pi", "m, m, rad",
                "upper corner"},
    ParamSchema{"margin", ParamType::kNumber, "0.5", "m",
                "distance of the default box from the world bounds", 0.0, 1e6},
    ParamSchema{"clearance", ParamType::kNumber, "0.2", "m",
                "distance kept from everything that is placed already", 0.0, 1e6},
};

/// The agent's start drawn uniformly from a box, free by true geometry.
class RobotSpawn final : public EventTerm {
 public:
  RobotSpawn(int agent, const PoseBox& box, double clearance, double keep_from_goal)
      : agent_(agent), box_(box), clearance_(clearance), keep_from_goal_(keep_from_goal) {}
  std::vector<int> Moves() const override { return {agent_}; }
  void Apply(Placer& placer) const override {
    RandomSequence random(placer.episode_seed(), Stream::kEvent, static_cast<std::uint32_t>(agent_),
                          0);
    placer.DrawPose(agent_, random, box_.low, box_.high, [&](const Pose2& pose) {
      const BodyState* goal = placer.world().goal(agent_);
      const bool far =
          goal == nullptr || Hypot((*goal)[0] - pose.x, (*goal)[1] - pose.y) >= keep_from_goal_;
      return far && placer.HasClearance(agent_, clearance_);
    });
  }

 private:
  int agent_;
  PoseBox box_;
  double clearance_;
  double keep_from_goal_;  // [m] 0 when a command draws the goal afterwards
};

std::unique_ptr<EventTerm> Make(const Params& params, const TermSetup& setup) {
  const PoseBox box =
      ReadPoseBox(params, setup.scenario.world.bounds, params.Number("margin", 0.5));
  // A start at the goal of the file would end the episode at once.
  const double keep = setup.task.commands.empty() ? setup.spec().goal_threshold : 0.0;
  return std::make_unique<RobotSpawn>(setup.object, box, params.Number("clearance", 0.2), keep);
}

}  // namespace

extern const TermRow<EventTerm> kRobotSpawnRow;
const TermRow<EventTerm> kRobotSpawnRow{
    "robot.spawn", "a free start drawn uniformly from a box at reset", kParams, &Make};

}  // namespace planarium
