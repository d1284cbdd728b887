#include <algorithm>
#include <array>
#include <limits>
#include <stdexcept>

#include "env/placement.h"
#include "env/term.h"
#include "physics/math.h"

namespace planarium {
namespace {

constexpr std::array kParams{
    ParamSchema{"range_low", ParamType::kNumbers, "world bounds + margin, -pi", "m, m, rad",
                "lower corner of the box of goals"},
    ParamSchema{"range_high", ParamType::kNumbers, "world bounds - margin, pi", "m, m, rad",
                "upper corner"},
    ParamSchema{"margin", ParamType::kNumber, "0.5", "m",
                "distance of the default box from the world bounds", 0.0, 1e6},
    ParamSchema{"clearance", ParamType::kNumber, "0.5", "m",
                "distance kept from everything that stands still", 0.0, 1e6},
    ParamSchema{"min_distance", ParamType::kNumber, "1.0", "m",
                "smallest distance from the robot's start", 0.0, 1e6},
};

/// A goal drawn uniformly from a box at every reset.
class GoalUniform final : public CommandTerm {
 public:
  GoalUniform(std::array<double, 3> low, std::array<double, 3> high, double clearance,
              double min_distance)
      : low_(low), high_(high), clearance_(clearance), min_distance_(min_distance) {}

  void Draw(Placer& placer) const override {
    RandomSequence random(placer.episode_seed(), Stream::kGoal,
                          static_cast<std::uint32_t>(placer.agent()), 1);
    placer.DrawGoal(placer.agent(), random, low_, high_, clearance_, min_distance_);
  }

 private:
  std::array<double, 3> low_, high_;
  double clearance_, min_distance_;
};

std::unique_ptr<CommandTerm> Make(const Params& params, const TermSetup& setup) {
  const double clearance = params.Number("clearance", 0.5);
  const PoseBox box =
      ReadPoseBox(params, setup.scenario.world.bounds, params.Number("margin", 0.5));
  // A goal within the threshold would end the episode at once: keep at least that distance.
  const double min_distance =
      std::max(params.Number("min_distance", 1.0), setup.spec().goal_threshold);
  return std::make_unique<GoalUniform>(box.low, box.high, clearance, min_distance);
}

}  // namespace

extern const TermRow<CommandTerm> kGoalUniformRow;
const TermRow<CommandTerm> kGoalUniformRow{
    "goal.uniform", "a free goal drawn uniformly from a box at reset", kParams, &Make};

}  // namespace planarium
