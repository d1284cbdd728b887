#include "env/slot.h"

#include <algorithm>
#include <cmath>

#include "env/placement.h"
#include "physics/math.h"
#include "physics/world_step.h"

namespace planarium {
namespace {

void MeasureAll(const SlotAccess& slot, SlotWorkspace& workspace) {
  for (const int id : slot.scenario.carriers()) {
    const SensorAccess access = slot.scenario.sensors(id, slot.sensor_block);
    for (std::size_t k = 0; k < access.sensors.size(); ++k) {
      const SensorContext context{slot.world, id, static_cast<int>(k)};
      access.sensors[k]->Measure(context, workspace.sensors, access.state(k));
    }
  }
}

// The agent's command: mapped action, or the built-in policy's.
Command AgentCommand(const SlotAccess& slot, const AgentInput& input, SlotWorkspace& workspace) {
  AgentMemory& memory = slot.state.memory;
  const auto range = slot.scenario.action_range();
  Command command{};
  if (input.policy != nullptr)
    command = input.policy->Steer({slot.world, slot.scenario.agent(), workspace.behaviors});
  for (std::size_t k = 0; k < range.size(); ++k) {
    const double width = range[k][1] - range[k][0];
    if (input.policy != nullptr) {
      const double a = width > 0.0 ? 2.0 * (command[k] - range[k][0]) / width - 1.0 : 0.0;
      memory.action[k] = static_cast<float>(std::clamp(a, -1.0, 1.0));
    } else {
      memory.action[k] = std::clamp(input.action[k], -1.0F, 1.0F);
      command[k] = range[k][0] + 0.5 * (static_cast<double>(memory.action[k]) + 1.0) * width;
    }
  }
  memory.command = command;
  return command;
}

// One object's turn. Object k sees 0..k-1 already moved: IR-SIM's order.
void StepObject(const SlotAccess& slot, int id, const AgentInput& input, SlotWorkspace& workspace) {
  const ObjectSpec& spec = slot.world.spec().objects[static_cast<std::size_t>(id)];
  if (spec.is_static || slot.world.object(id).stop) {
    HoldObject(slot.world, id);
    return;
  }
  RenewGoal(slot.scenario.scenario().plans[static_cast<std::size_t>(id)].behavior, slot.world, id);
  if (id == slot.scenario.agent()) {
    MoveObject(slot.world, id, AgentCommand(slot, input, workspace));
  } else if (const Behavior* behavior = slot.scenario.behavior(id)) {
    MoveObject(slot.world, id, behavior->Steer({slot.world, id, workspace.behaviors}));
  } else {
    IntegrateObject(slot.world, id, {});
  }
}

void StepWorld(const SlotAccess& slot, const AgentInput& input, SlotWorkspace& workspace) {
  for (const int id : slot.world.spec().free_objects) StepObject(slot, id, input, workspace);
  // The clock runs before the sensors so that no scan shares its draws with the one taken at reset.
  ++slot.world.clock().step;
  MeasureAll(slot, workspace);
  UpdateStatus(slot.world);
}

std::uint8_t PartnerKind(const WorldView& world, int partner) {
  if (partner < 0) return 0;
  const ObjectSpec& other = world.spec().objects[static_cast<std::size_t>(partner)];
  if (other.role == Role::kRobot) return 3;
  return other.is_static ? 1 : 2;
}

// Folds one world step into what the terms see of the env step.
void Remember(const SlotAccess& slot, const BodyState& before, const BodyState& goal,
              bool has_goal) {
  AgentMemory& memory = slot.state.memory;
  const ObjectState& self = slot.world.object(slot.scenario.agent());
  memory.path_length += QuickHypot(self.state[0] - before[0], self.state[1] - before[1]);
  if (has_goal) {
    memory.goal_progress += QuickHypot(goal[0] - before[0], goal[1] - before[1]) -
                            QuickHypot(goal[0] - self.state[0], goal[1] - self.state[1]);
  }
  memory.arrived |= self.arrive;
  if (self.collision) {
    memory.collided = true;
    memory.partner = self.partner;
    slot.state.collided = PartnerKind(slot.world, self.partner);
  }
}

// Poses this far out have lost all meaning; treating them as a fault also catches NaN.
bool IsSane(const WorldView& world) {
  constexpr double kFarthest = 1e9;
  return std::ranges::all_of(world.free_objects(), [](const ObjectState& object) {
    return std::fabs(object.state[0]) < kFarthest && std::fabs(object.state[1]) < kFarthest &&
           std::fabs(object.state[2]) < kFarthest;
  });
}

double SumRewards(const SlotAccess& slot, const AgentContext& context, SlotWorkspace& workspace) {
  const auto rewards = slot.scenario.rewards();
  double sum = 0.0;
  int exclusive = -1;
  for (std::size_t k = 0; k < rewards.size(); ++k) {
    const std::uint64_t bit = std::uint64_t{1} << (k % 64);
    double value = 0.0;
    if (!rewards[k].once || (slot.state.fired & bit) == 0) value = rewards[k].term->Value(context);
    if (rewards[k].once && value != 0.0) slot.state.fired |= bit;
    value *= rewards[k].weight;
    workspace.terms[k] = static_cast<float>(value);
    if (rewards[k].exclusive && value != 0.0 && exclusive < 0) exclusive = static_cast<int>(k);
    sum += value;
  }
  if (exclusive < 0) return sum;
  // The first exclusive term stands alone.
  const float alone = workspace.terms[static_cast<std::size_t>(exclusive)];
  std::ranges::fill(workspace.terms, 0.0F);
  workspace.terms[static_cast<std::size_t>(exclusive)] = alone;
  return static_cast<double>(alone);
}

bool AnyTermination(const SlotAccess& slot, const AgentContext& context) {
  return std::ranges::any_of(slot.scenario.terminations(),
                             [&context](const auto& row) { return row.term->Holds(context); });
}

// Flags of all terms that hold; reason and success of the first listed one.
void JudgeEpisode(const SlotAccess& slot, const AgentContext& context) {
  SlotState& state = slot.state;
  state.end = {};
  for (const auto& row : slot.scenario.terminations()) {
    if (!row.term->Holds(context)) continue;
    (row.truncation ? state.truncated : state.terminated) = true;
    if (state.end.reason == EndReason::kNone) state.end = {row.reason, row.success, 0};
  }
  if (state.memory.max_steps > 0 && state.memory.steps >= state.memory.max_steps) {
    state.truncated = true;
    if (state.end.reason == EndReason::kNone) state.end.reason = EndReason::kTimeLimit;
  }
  state.end.collided = state.collided;
  state.done = state.terminated || state.truncated;
}

void FaultEpisode(SlotState& state, SlotWorkspace& workspace) {
  state.reward = 0.0F;
  state.truncated = true;
  state.done = true;
  state.end = {EndReason::kFault, false, state.collided};
  std::ranges::fill(workspace.terms, 0.0F);
}

}  // namespace

void SlotWorkspace::Reserve(const CompiledScenario& scenario) {
  const WorldSpec& spec = scenario.spec();
  behaviors.Reserve(spec);
  placed.resize(std::max(placed.size(), spec.objects.size()));
  row.resize(std::max(row.size(), static_cast<std::size_t>(scenario.layout().width())));
  terms.resize(std::max(terms.size(), scenario.rewards().size()));
  for (const int id : scenario.carriers()) {
    for (const auto& sensor : scenario.scenario().plans[static_cast<std::size_t>(id)].sensors)
      sensor->Reserve(spec, sensors);
  }
}

void BeginEpisode(const SlotAccess& slot, std::uint64_t episode_seed, int max_spawn_tries,
                  SlotWorkspace& workspace, std::vector<int>* failed) {
  const CompiledScenario& scenario = slot.scenario;
  SlotState& state = slot.state;
  SlotState fresh;
  fresh.slot_seed = state.slot_seed;
  fresh.episode = state.episode;
  fresh.episode_seed = episode_seed;
  state = fresh;
  state.first = true;
  state.memory.max_steps = static_cast<std::uint32_t>(scenario.max_steps());

  // Starts and goals: the file's, then what the file draws, then what the task draws.
  ResetWorld(slot.world, episode_seed);
  const std::span<std::uint8_t> placed(workspace.placed.data(), scenario.spec().objects.size());
  Placer placer(scenario.scenario(), scenario.spec(), slot.world, scenario.agent(), max_spawn_tries,
                placed);
  placer.MarkUnplaced(scenario.drawn());
  placer.ApplyRandomPlacements();
  for (const auto& event : scenario.events()) event->Apply(placer);
  placer.DrawWanderGoals();
  for (const auto& command : scenario.commands()) command->Draw(placer);
  placer.KeepLoopStarts();

  state.unplaced = placer.failure_count() > 0;
  if (failed != nullptr) failed->assign(placer.failures().begin(), placer.failures().end());
  MeasureAll(slot, workspace);
}

void StepEpisode(const SlotAccess& slot, const AgentInput& input, int repeat,
                 SlotWorkspace& workspace) {
  SlotState& state = slot.state;
  AgentMemory& memory = state.memory;
  state.first = state.terminated = state.truncated = false;
  memory.goal_progress = 0.0;
  memory.arrived = memory.collided = false;
  memory.partner = -1;
  const SensorAccess sensors = slot.scenario.sensors(slot.scenario.agent(), slot.sensor_block);
  const AgentContext context = slot.context(sensors);
  for (int k = 0; k < repeat; ++k) {
    const BodyState before = slot.world.object(slot.scenario.agent()).state;
    const BodyState* current = slot.world.goal(slot.scenario.agent());
    const BodyState goal = current != nullptr ? *current : BodyState{};
    StepWorld(slot, input, workspace);
    Remember(slot, before, goal, current != nullptr);
    // A repeated action ends with the episode.
    if (k + 1 < repeat && AnyTermination(slot, context)) break;
  }
  ++memory.steps;
  if (!IsSane(slot.world)) {
    FaultEpisode(state, workspace);
    return;
  }
  state.reward = static_cast<float>(SumRewards(slot, context, workspace));
  state.episode_return += static_cast<double>(state.reward);
  JudgeEpisode(slot, context);
}

void WriteObservation(const SlotAccess& slot, float* row) {
  if (slot.state.end.reason == EndReason::kFault) {
    std::fill_n(row, slot.scenario.layout().width(), 0.0F);
    return;
  }
  const SensorAccess sensors = slot.scenario.sensors(slot.scenario.agent(), slot.sensor_block);
  slot.scenario.layout().Write(slot.context(sensors), row);
}

}  // namespace planarium
