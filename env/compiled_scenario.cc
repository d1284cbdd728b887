#include "env/compiled_scenario.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "env/behavior_registry.h"
#include "env/term_registry.h"

namespace planarium {
namespace {

[[noreturn]] void Fail(const std::string& file, const std::string& key_path,
                       const std::string& message) {
  throw SpecError({{Severity::kError, file, 0, 0, key_path, message, ""}});
}

// The same at the entry of an object.
[[noreturn]] void Fail(const Scenario& scenario, int id, const std::string& key_path,
                       const std::string& message) {
  const ObjectPlan& plan = scenario.plans[static_cast<std::size_t>(id)];
  throw SpecError(
      {{Severity::kError, scenario.file, plan.line, plan.column, key_path, message, ""}});
}

// Builds one term from its registry row; factories' complaints become located errors.
template <typename Term, typename Spec>
std::unique_ptr<Term> BuildTerm(std::span<const TermRow<Term>> rows, const Spec& spec,
                                const char* section, const TermSetup& setup) {
  const std::string path = std::string(section) + "." + spec.term;
  const TermRow<Term>* row = FindTerm(rows, spec.term);
  if (row == nullptr) Fail(setup.task.name, path, "unknown term");
  try {
    return row->make(spec.params, setup);
  } catch (const std::invalid_argument& error) {
    Fail(setup.task.name, path, error.what());
  }
}

}  // namespace

CompiledScenario::CompiledScenario(std::shared_ptr<const Scenario> scenario, const Task& task)
    : scenario_(std::move(scenario)), spec_(scenario_->world) {
  ChooseAgent();
  BuildTerms(task);
  DecideFixed();
  spec_.Finalize();
  // Behaviors refer to the objects of the finished spec.
  BuildBehaviors();
  BuildActionRange(task);
  LayOutSensors();
  const double env_step = task.action.repeat * spec_.step_time;
  // At least one step, for 0 would mean no limit.
  constexpr double kMostSteps = 1e9;
  max_steps_ = task.max_seconds > 0.0
                   ? static_cast<int>(
                         std::clamp(std::ceil(task.max_seconds / env_step - 1e-9), 1.0, kMostSteps))
                   : task.max_steps;
}

void CompiledScenario::ChooseAgent() {
  const auto robot = std::ranges::find(spec_.objects, Role::kRobot, &ObjectSpec::role);
  if (robot == spec_.objects.end())
    Fail(scenario_->file, "robot", "a batch needs a robot to steer, the file has none");
  agent_ = robot->id;
  if (robot->kinematics.drive == Drive::kPassive) {
    Fail(
        *scenario_, agent_, "robot[0].kinematics",
        robot->name + " has no drive (diff, acker, omni or omni_angular), so it cannot be steered");
  }
}

void CompiledScenario::BuildTerms(const Task& task) {
  const TermSetup setup{*scenario_, agent_, task};
  layout_ = std::make_unique<ObservationLayout>(task, setup);
  for (const RewardSpec& spec : task.rewards) {
    rewards_.push_back({BuildTerm(RewardRegistry(), spec, "rewards", setup), spec.weight, spec.once,
                        spec.exclusive});
  }
  for (const TerminationSpec& spec : task.terminations) {
    terminations_.push_back({BuildTerm(TerminationRegistry(), spec, "terminations", setup),
                             spec.truncation, spec.success, spec.reason});
  }
  for (const EventSpec& spec : task.events)
    events_.push_back(BuildTerm(EventRegistry(), spec, "events", setup));
  for (const CommandSpec& spec : task.commands)
    commands_.push_back(BuildTerm(CommandRegistry(), spec, "commands", setup));
  for (const RandomPlacement& entry : scenario_->placements)
    drawn_.insert(drawn_.end(), entry.objects.begin(), entry.objects.end());
  for (const auto& event : events_) {
    const std::vector<int> moved = event->Moves();
    drawn_.insert(drawn_.end(), moved.begin(), moved.end());
  }
}

// What stands still at the same place in every world and episode is kept once.
void CompiledScenario::DecideFixed() {
  for (ObjectSpec& object : spec_.objects) {
    const ObjectPlan& plan = scenario_->plans[static_cast<std::size_t>(object.id)];
    const bool drawn = std::ranges::find(drawn_, object.id) != drawn_.end();
    object.fixed = object.is_static && !drawn && object.id != agent_ && plan.sensors.empty() &&
                   std::holds_alternative<Shape>(object.shape);
  }
}

void CompiledScenario::BuildBehaviors() {
  behaviors_.resize(spec_.objects.size());
  for (const ObjectSpec& object : spec_.objects) {
    const BehaviorSpec& spec = scenario_->plans[static_cast<std::size_t>(object.id)].behavior;
    if (spec.external && object.id != agent_ && !object.is_static) {
      Fail(*scenario_, object.id, object.name + ".behavior",
           "behavior '" + spec.name + "' is defined by client code, but only " +
               spec_.objects[static_cast<std::size_t>(agent_)].name + " is given actions");
    }
    if (spec.name.empty() || spec.external || object.is_static) continue;
    behaviors_[static_cast<std::size_t>(object.id)] = FindBehavior(spec.name)->make(spec, object);
  }
  // Any behavior of the agent's drive can stand in for the client; the file's own parameters win.
  const ObjectSpec& agent = spec_.objects[static_cast<std::size_t>(agent_)];
  const BehaviorSpec& own = scenario_->plans[static_cast<std::size_t>(agent_)].behavior;
  for (const BehaviorRow& row : BehaviorRegistry()) {
    if (std::ranges::find(row.drives, agent.kinematics.drive) == row.drives.end()) continue;
    BehaviorSpec spec;
    spec.name = row.name;
    policies_.emplace_back(row.name, row.make(own.name == row.name ? own : spec, agent));
  }
}

void CompiledScenario::BuildActionRange(const Task& task) {
  const ObjectSpec& agent = spec_.objects[static_cast<std::size_t>(agent_)];
  const auto rows = static_cast<std::size_t>(ActionDim(agent.kinematics.drive));
  if (!task.action.range.empty() && task.action.range.size() != rows) {
    Fail(task.name, "action.range",
         "got " + std::to_string(task.action.range.size()) + " rows, " + agent.name + " takes " +
             std::to_string(rows));
  }
  for (std::size_t k = 0; k < rows; ++k) {
    const std::array<double, 2> limits{agent.kinematics.velocity_min[k],
                                       agent.kinematics.velocity_max[k]};
    action_range_.push_back(task.action.range.empty() ? limits : task.action.range[k]);
    if (!std::isfinite(action_range_[k][0]) || !std::isfinite(action_range_[k][1])) {
      Fail(task.name, "action.range",
           agent.name + " has no finite vel_min/vel_max in row " + std::to_string(k) +
               "; give action.range");
    }
  }
}

void CompiledScenario::LayOutSensors() {
  constexpr std::size_t kAlign = 8;
  sensor_offsets_.resize(spec_.objects.size());
  for (const ObjectSpec& object : spec_.objects) {
    const auto& sensors = scenario_->plans[static_cast<std::size_t>(object.id)].sensors;
    if (!sensors.empty()) carriers_.push_back(object.id);
    for (const auto& sensor : sensors) {
      sensor_offsets_[static_cast<std::size_t>(object.id)].push_back(sensor_bytes_);
      sensor_bytes_ += (sensor->StateBytes() + kAlign - 1) / kAlign * kAlign;
    }
  }
}

SensorAccess CompiledScenario::sensors(int object, std::byte* block) const {
  const auto id = static_cast<std::size_t>(object);
  return {scenario_->plans[id].sensors, sensor_offsets_[id], block};
}

const Behavior* CompiledScenario::FindPolicy(std::string_view name) const {
  const auto found =
      std::ranges::find_if(policies_, [name](const auto& entry) { return entry.first == name; });
  return found == policies_.end() ? nullptr : found->second.get();
}

std::vector<std::string> CompiledScenario::PolicyNames() const {
  std::vector<std::string> names;
  for (const auto& [name, behavior] : policies_) names.push_back(name);
  return names;
}

}  // namespace planarium
