#include "env/task_presets.h"

#include <cassert>
#include <utility>

namespace planarium {
namespace {

Params WithNumber(std::string name, double value) {
  Params params;
  params.Set(std::move(name), value);
  return params;
}

ObservationSpec Observe(std::string term, double scale = 1.0, double offset = 0.0) {
  ObservationSpec spec;
  spec.term = std::move(term);
  spec.scale = scale;
  spec.offset = offset;
  return spec;
}

ObservationSpec ObserveRanges() {
  ObservationSpec spec = Observe("lidar.ranges");
  spec.scale_by = "range_max";
  return spec;
}

ObservationSpec ObserveRow(std::string term, int row, double scale, double offset) {
  ObservationSpec spec = Observe(std::move(term), scale, offset);
  spec.params.Set("row", static_cast<double>(row));
  return spec;
}

RewardSpec Reward(std::string name, std::string term, double weight) {
  RewardSpec spec;
  spec.name = std::move(name);
  spec.term = std::move(term);
  spec.weight = weight;
  return spec;
}

// +-weight that ends the episode and stands alone in its step.
RewardSpec FinalReward(std::string name, std::string term, double weight) {
  RewardSpec spec = Reward(std::move(name), std::move(term), weight);
  spec.once = true;
  spec.exclusive = true;
  return spec;
}

std::vector<TerminationSpec> ArriveOrCollide() {
  return {{"arrived", "event.arrived", false, EndReason::kSuccess, true, {}},
          {"collided", "event.collided", false, EndReason::kCollision, false, {}}};
}

Task Default() {
  Task task;
  task.observations = {ObserveRanges(), Observe("goal.distance", 0.1), Observe("goal.cos_sin"),
                       Observe("self.velocity")};
  task.rewards = {FinalReward("arrive", "event.arrived", 10.0),
                  FinalReward("crash", "event.collided", -10.0),
                  Reward("progress", "progress.goal", 1.0), Reward("time", "time.step", -0.01)};
  task.terminations = ArriveOrCollide();
  return task;
}

// The task of DRL-robot-navigation-IR-SIM: 180 ranges / 7 m, goal distance / 10, cos, sin, 2 v, (w
// + 1) / 2; +100 on arrival (tested first) and -100 on collision replace v - |w| / 2 - max(0, 1.35
// - shortest range) / 2; v in [0, 0.5], w in [-1, 1]; 300 steps. Start, obstacles and goal are
// drawn as its reset does: within 1 m of the world's border, obstacles anywhere.
Task DrlNav() {
  Task task;
  task.name = "drl_nav";
  task.preset = "drl_nav";
  task.max_steps = 300;
  task.action.range = {{0.0, 0.5}, {-1.0, 1.0}};
  task.observations = {ObserveRanges(), Observe("goal.distance", 0.1), Observe("goal.cos_sin"),
                       ObserveRow("self.command", 0, 2.0, 0.0),
                       ObserveRow("self.command", 1, 0.5, 0.5)};
  RewardSpec close = Reward("close", "lidar.margin", -0.5);
  close.params = WithNumber("margin", 1.35);
  task.rewards = {
      FinalReward("arrive", "event.arrived", 100.0), FinalReward("crash", "event.collided", -100.0),
      Reward("speed", "action.linear", 1.0), Reward("turn", "action.abs_angular", -0.5), close};
  task.terminations = ArriveOrCollide();
  task.events = {{"reset", "object.scatter", {}},
                 {"reset", "robot.spawn", WithNumber("margin", 1.0)}};
  Params goal = WithNumber("margin", 1.0);
  goal.Set("min_distance", 1.0);
  task.commands = {{"goal", "goal.uniform", goal}};
  return task;
}

}  // namespace

std::vector<std::string_view> TaskPresetNames() { return {"default", "drl_nav"}; }

Task TaskPreset(std::string_view name) {
  assert(name == "default" || name == "drl_nav");
  return name == "drl_nav" ? DrlNav() : Default();
}

Task DefaultTask() { return Default(); }

}  // namespace planarium
