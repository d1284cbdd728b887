#include <array>

#include "env/placement.h"
#include "env/term.h"
#include "physics/math.h"

namespace planarium {
namespace {

constexpr std::array kParams{
    ParamSchema{"range_low", ParamType::kNumbers, "world bounds + clearance, -pi", "m, m, rad",
                "lower corner of the box of starts"},
    ParamSchema{"range_high", ParamType::kNumbers, "world bounds - clearance, pi", "m, m, rad",
                "upper corner"},
    ParamSchema{"clearance", ParamType::kNumber, "0.5", "m",
                "default distance of the box from the world bounds", 0.0, 1e6},
};

/// The agent's start drawn uniformly from a box, free by true geometry.
class RobotSpawn final : public EventTerm {
 public:
  RobotSpawn(int agent, const PoseBox& box, double keep_from_goal)
      : agent_(agent), box_(box), keep_from_goal_(keep_from_goal) {}
  std::vector<int> Moves() const override { return {agent_}; }
  void Apply(Placer& placer) const override {
    RandomSequence random(placer.episode_seed(), Stream::kEvent, static_cast<std::uint32_t>(agent_),
                          0);
    placer.DrawPose(agent_, random, box_.low, box_.high, [&](const Pose2& pose) {
      const BodyState* goal = placer.world().goal(agent_);
      return goal == nullptr || Hypot((*goal)[0] - pose.x, (*goal)[1] - pose.y) >= keep_from_goal_;
    });
  }

 private:
  int agent_;
  PoseBox box_;
  double keep_from_goal_;  // [m] 0 when a command draws the goal afterwards
};

std::unique_ptr<EventTerm> Make(const Params& params, const TermSetup& setup) {
  const PoseBox box =
      ReadPoseBox(params, setup.scenario.world.bounds, params.Number("clearance", 0.5));
  // A start at the goal of the file would end the episode at once.
  const double keep = setup.task.commands.empty() ? setup.spec().goal_threshold : 0.0;
  return std::make_unique<RobotSpawn>(setup.object, box, keep);
}

}  // namespace

extern const TermRow<EventTerm> kRobotSpawnRow;
const TermRow<EventTerm> kRobotSpawnRow{
    "robot.spawn", "a free start drawn uniformly from a box at reset", kParams, &Make};

}  // namespace planarium
