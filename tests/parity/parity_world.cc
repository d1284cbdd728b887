#include "tests/parity/parity_world.h"

#include <algorithm>
#include <stdexcept>

#include "env/placement.h"
#include "env/scenario_loader.h"
#include "physics/random.h"
#include "physics/world_step.h"

namespace planarium {
namespace {

constexpr int kMaxSpawnTries = 1000;

void SilenceSensors(ObjectPlan& plan) {
  for (std::shared_ptr<const Sensor>& sensor : plan.sensors) {
    const auto* lidar = dynamic_cast<const Lidar2d*>(sensor.get());
    if (lidar == nullptr) continue;
    Lidar2dOptions options = lidar->options();
    options.noise = false;
    sensor = std::make_shared<const Lidar2d>(options);
  }
}

void InjectIntoSpec(const ObjectInjection& injection, ObjectSpec& object) {
  if (injection.state) object.initial_state = *injection.state;
  if (injection.velocity) object.initial_velocity = *injection.velocity;
  if (injection.goals) object.goals = *injection.goals;
  if (injection.shape) object.shape = *injection.shape;
}

// The file's world with foreign draws in place of its own.
std::shared_ptr<const Scenario> PrepareScenario(const ParityOptions& options) {
  auto scenario = std::make_shared<Scenario>(LoadScenarioFile(options.scenario));
  for (const auto& [id, injection] : options.inject)
    InjectIntoSpec(injection, scenario->world.objects.at(static_cast<std::size_t>(id)));
  std::erase_if(scenario->placements, [&options](const RandomPlacement& entry) {
    return std::ranges::all_of(entry.objects, [&options](int id) {
      const auto found = options.inject.find(id);
      return found != options.inject.end() && found->second.state.has_value();
    });
  });
  if (options.noise) return scenario;
  for (ObjectSpec& object : scenario->world.objects) object.kinematics.noise = false;
  for (ObjectPlan& plan : scenario->plans) SilenceSensors(plan);
  return scenario;
}

// No rewards, no terminations, no time limit: an episode that goes on for ever.
Task EndlessTask() {
  Task task;
  task.max_steps = 0;
  task.observations.push_back({"goal.distance", {}, 1.0, "", 0.0, {-1e30, 1e30}});
  return task;
}

}  // namespace

ParityWorld::ParityWorld(const ParityOptions& options)
    : compiled_(std::make_unique<CompiledScenario>(PrepareScenario(options), EndlessTask())) {
  batch_ = std::make_unique<WorldBatch>(std::vector<const WorldSpec*>{&compiled_->spec()});
  sensor_block_.resize(compiled_->sensor_bytes() / sizeof(std::uint64_t) + 1);
  workspace_.Reserve(*compiled_);
  BeginEpisode(slot(), EpisodeSeed(options.seed, 0), kMaxSpawnTries, workspace_, nullptr);
  // Wander goals were drawn above.
  for (const auto& [id, injection] : options.inject) {
    if (injection.goals && compiled_->spec().free_index[static_cast<std::size_t>(id)] >= 0)
      world().SetGoals(id, *injection.goals);
  }
}

SlotAccess ParityWorld::slot() {
  return {*compiled_, world(), reinterpret_cast<std::byte*>(sensor_block_.data()), state_};
}

LidarScan ParityWorld::scan(int object, std::size_t k) {
  return compiled_->sensors(object, slot().sensor_block).scan(k);
}

void ParityWorld::Measure() {
  const SlotAccess access = slot();
  for (const int id : compiled_->carriers()) {
    const SensorAccess sensors = compiled_->sensors(id, access.sensor_block);
    for (std::size_t k = 0; k < sensors.sensors.size(); ++k) {
      const SensorContext context{access.world, id, static_cast<int>(k)};
      sensors.sensors[k]->Measure(context, workspace_.sensors, sensors.state(k));
    }
  }
}

void ParityWorld::StepObject(int id, const std::map<int, Command>& commands) {
  const WorldView view = world();
  const ObjectSpec& spec = view.spec().objects[static_cast<std::size_t>(id)];
  if (spec.is_static || view.object(id).stop) {
    HoldObject(view, id);
    return;
  }
  RenewGoal(compiled_->scenario().plans[static_cast<std::size_t>(id)].behavior, view, id);
  if (const auto command = commands.find(id); command != commands.end()) {
    MoveObject(view, id, command->second);
  } else if (const Behavior* behavior = compiled_->behavior(id)) {
    MoveObject(view, id, behavior->Steer({view, id, workspace_.behaviors}));
  } else {
    IntegrateObject(view, id, {});
  }
}

void ParityWorld::Step(const std::map<int, Command>& commands) {
  for (const int id : compiled_->spec().free_objects) StepObject(id, commands);
  ++world().clock().step;
  Measure();
  UpdateStatus(world());
}

void ParityWorld::StepByEnv(const std::vector<float>& action) {
  if (action.size() != compiled_->action_range().size())
    throw std::invalid_argument("the action has a wrong length");
  StepEpisode(slot(), {action.data(), nullptr}, 1, workspace_);
}

void ParityWorld::Change(const Injections& changes) {
  for (const auto& [id, change] : changes) ChangeObject(id, change);
}

void ParityWorld::ChangeObject(int id, const ObjectInjection& change) {
  if (compiled_->spec().free_index.at(static_cast<std::size_t>(id)) < 0)
    throw std::invalid_argument("object " + std::to_string(id) + " is fixed");
  ObjectState& object = world().free_object(id);
  if (change.state) object.state = *change.state;
  if (change.velocity) object.velocity = *change.velocity;
  if (change.goals) SetQueue(id, *change.goals);
  if (change.arrive) object.arrive = *change.arrive;
  if (change.collision) object.collision = *change.collision;
  if (change.stop) object.stop = *change.stop;
  if (change.state) PlaceObject(world(), id);
}

// A queue that is the rest of the present one keeps it: a loop still knows its first goals.
void ParityWorld::SetQueue(int id, const std::vector<BodyState>& queue) {
  ObjectState& object = world().free_object(id);
  const auto slots = world().goals(id).first(object.goal_count);
  const auto same = [](const BodyState& a, const BodyState& b) {
    return a[0] == b[0] && a[1] == b[1];
  };
  const bool is_rest =
      queue.size() <= slots.size() && std::ranges::equal(slots.last(queue.size()), queue, same);
  if (is_rest) {
    object.goal_index = object.goal_count - static_cast<std::uint32_t>(queue.size());
  } else {
    world().SetGoals(id, queue);
  }
}

}  // namespace planarium
