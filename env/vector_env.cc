#include "env/vector_env.h"

#include <algorithm>
#include <cstring>

#include "env/vector_env_impl.h"

namespace planarium {
namespace {

CompiledList CompileAll(const std::vector<ScenarioShare>& shares, const Task& task) {
  CompiledList compiled;
  for (const ScenarioShare& share : shares)
    compiled.push_back(std::make_unique<CompiledScenario>(share.scenario, task));
  return compiled;
}

// All scenarios of a batch must show the same spaces.
void RequireEqualSpaces(const CompiledList& compiled) {
  const CompiledScenario& first = *compiled.front();
  for (const auto& other : compiled) {
    const bool equal = std::ranges::equal(first.layout().low(), other->layout().low()) &&
                       std::ranges::equal(first.layout().high(), other->layout().high()) &&
                       first.action_range().size() == other->action_range().size();
    if (equal) continue;
    throw SpecError({{Severity::kError, other->scenario().file, 0, 0, "",
                      "its observation or action space differs from that of " +
                          first.scenario().file + " (" + std::to_string(other->layout().width()) +
                          " against " + std::to_string(first.layout().width()) +
                          " columns); the scenarios of one batch must agree",
                      ""}});
  }
}

std::vector<const WorldSpec*> SpecPerSlot(const std::vector<ScenarioShare>& shares,
                                          const CompiledList& compiled) {
  std::vector<const WorldSpec*> specs;
  for (std::size_t k = 0; k < shares.size(); ++k)
    specs.insert(specs.end(), shares[k].count, &compiled[k]->spec());
  return specs;
}

}  // namespace

VectorEnv::Impl::Impl(std::vector<ScenarioShare> shares_in, Task task_in,
                      VectorEnvOptions options_in)
    : shares(std::move(shares_in)),
      task(std::move(task_in)),
      options(std::move(options_in)),
      compiled(CompileAll(shares, task)),
      worlds(SpecPerSlot(shares, compiled)),
      slots(worlds.size()),
      log(worlds.size(), options.autoreset == Autoreset::kSameStep
                             ? static_cast<std::size_t>(compiled.front()->layout().width())
                             : 0),
      parallel(options.threads),
      workspaces(static_cast<std::size_t>(options.threads)),
      width(static_cast<std::size_t>(compiled.front()->layout().width())),
      action_width(compiled.front()->action_range().size()) {
  RequireEqualSpaces(compiled);
  for (std::size_t k = 0; k < shares.size(); ++k) {
    scenario_of_slot.insert(scenario_of_slot.end(), shares[k].count, static_cast<std::int32_t>(k));
    for (SlotWorkspace& workspace : workspaces) workspace.Reserve(*compiled[k]);
  }
  sensor_offset.push_back(0);
  for (const std::int32_t k : scenario_of_slot) {
    sensor_offset.push_back(sensor_offset.back() +
                            compiled[static_cast<std::size_t>(k)]->sensor_bytes() /
                                sizeof(std::uint64_t));
  }
  sensor_block.resize(sensor_offset.back());
  for (std::size_t i = 0; i < slots.size(); ++i) {
    slots[i].slot_seed = options.slot_seeds.empty() ? options.seed + i : options.slot_seeds[i];
  }
  faults.reserve(kNamedSlots);
  Describe();
}

void VectorEnv::Impl::DescribeSpaces() {
  const CompiledScenario& first = *compiled.front();
  const ObjectSpec& agent = first.spec().objects[static_cast<std::size_t>(first.agent())];
  EnvDescription& d = description;
  d.agent_names = {agent.name};
  d.observation_width = first.layout().width();
  d.observation_low.assign(first.layout().low().begin(), first.layout().low().end());
  d.observation_high.assign(first.layout().high().begin(), first.layout().high().end());
  d.columns = first.layout().Describe();
  d.action_width = static_cast<int>(action_width);
  for (std::size_t k = 0; k < action_width; ++k) {
    std::array<char, 64> label{};
    std::snprintf(label.data(), label.size(), "%s[%zu] in [%g, %g]",
                  DriveName(agent.kinematics.drive), k, first.action_range()[k][0],
                  first.action_range()[k][1]);
    d.action_labels.emplace_back(label.data());
  }
}

void VectorEnv::Impl::Describe() {
  DescribeSpaces();
  const CompiledScenario& first = *compiled.front();
  EnvDescription& d = description;
  d.num_envs = slots.size();
  for (const RewardSpec& reward : task.rewards) d.reward_terms.push_back(reward.name);
  for (const TerminationSpec& termination : task.terminations)
    d.termination_names.push_back(termination.name);
  d.max_episode_steps =
      options.max_episode_steps > 0 ? options.max_episode_steps : first.max_steps();
  d.step_time = task.action.repeat * first.spec().step_time;
  d.autoreset = options.autoreset;
  d.seed = options.seed;
  d.bytes_per_world = WorldView::BlockBytes(first.spec()) + first.sensor_bytes() +
                      sizeof(SlotState) + log.bytes() / slots.size();
  d.total_bytes = worlds.bytes() + sensor_block.size() * sizeof(std::uint64_t) +
                  slots.size() * sizeof(SlotState) + log.bytes();
}

SlotAccess VectorEnv::Impl::slot(std::size_t i) {
  const CompiledScenario& scenario = *compiled[static_cast<std::size_t>(scenario_of_slot[i])];
  return {scenario, worlds.world(i),
          reinterpret_cast<std::byte*>(sensor_block.data() + sensor_offset[i]), slots[i]};
}

// Rows may lie unaligned in a message, so every value goes there by memcpy.
void VectorEnv::Impl::WriteRow(std::size_t i, const RowSink& sink, SlotWorkspace& workspace) {
  const PartRows& part = sink.parts[i / sink.rows_per_part];
  const std::size_t row = i % sink.rows_per_part;
  const SlotState& state = slots[i];
  WriteObservation(slot(i), workspace.row.data());
  std::memcpy(reinterpret_cast<std::byte*>(part.observations) + row * width * sizeof(float),
              workspace.row.data(), width * sizeof(float));
  std::memcpy(reinterpret_cast<std::byte*>(part.rewards) + row * sizeof(float), &state.reward,
              sizeof(float));
  part.terminated[row] = state.terminated ? 1 : 0;
  part.truncated[row] = state.truncated ? 1 : 0;
  part.first[row] = state.first ? 1 : 0;
  part.alive[row] = state.done ? 0 : 1;
  if (part.reward_terms == nullptr || task.rewards.empty()) return;
  const std::size_t bytes = task.rewards.size() * sizeof(float);
  std::memcpy(reinterpret_cast<std::byte*>(part.reward_terms) + row * bytes, workspace.terms.data(),
              bytes);
}

void VectorEnv::Impl::Begin(std::size_t i, std::uint64_t seed, SlotWorkspace& workspace) {
  BeginEpisode(slot(i), seed, task.max_spawn_tries, workspace, nullptr);
  if (options.max_episode_steps > 0) {
    slots[i].memory.max_steps = static_cast<std::uint32_t>(options.max_episode_steps);
  }
}

// Next episode of the slot. Without a free start it ends at once, truncated by a fault; the next
// step tries the next one.
void VectorEnv::Impl::AutoresetSlot(std::size_t i, SlotWorkspace& workspace) {
  SlotState& state = slots[i];
  ++state.episode;
  Begin(i, EpisodeSeed(state.slot_seed, state.episode), workspace);
  if (!state.unplaced) return;
  state.truncated = true;
  state.done = true;
  state.end.reason = EndReason::kFault;
}

void VectorEnv::Impl::RecordEnd(std::size_t i) {
  const SlotAccess access = slot(i);
  log.Record(i, slots[i], scenario_of_slot[i], access.world.spec().step_time,
             access.world.clock().step);
}

// An episode that ran and did not end is interrupted.
void VectorEnv::Impl::CutShort(std::size_t i) {
  SlotState& state = slots[i];
  if (!ready || state.done || state.memory.steps == 0) return;
  state.end = {EndReason::kInterrupted, false, state.collided};
  RecordEnd(i);
  if (options.autoreset == Autoreset::kSameStep)
    WriteObservation(slot(i), log.final_observation(i));
}

void VectorEnv::Impl::ResetSlot(std::size_t i, const ResetInput& input, const RowSink& sink,
                                SlotWorkspace& workspace) {
  SlotState& state = slots[i];
  if (input.mask.empty() || input.mask[i] != 0) {
    CutShort(i);
    SeedSlot(i, input);
    Begin(i, state.episode_seed, workspace);
    state.done = state.unplaced;
  } else {
    state.reward = 0.0F;
    state.first = false;
  }
  std::ranges::fill(workspace.terms, 0.0F);
  WriteRow(i, sink, workspace);
}

void VectorEnv::Impl::StepSlot(std::size_t i, const StepInput& input, const RowSink& sink,
                               SlotWorkspace& workspace) {
  SlotState& state = slots[i];
  if (Resets(i)) {
    AutoresetSlot(i, workspace);
    if (state.done) RecordEnd(i);
    std::ranges::fill(workspace.terms, 0.0F);
    WriteRow(i, sink, workspace);
    return;
  }
  const SlotAccess access = slot(i);
  AgentInput agent;
  if (input.policy != nullptr) {
    agent.policy = access.scenario.FindPolicy(input.policy);
  } else {
    agent.action = input.actions.data() + i * action_width;
  }
  StepEpisode(access, agent, task.action.repeat, workspace);
  if (state.done) RecordEnd(i);
  if (state.done && options.autoreset == Autoreset::kSameStep) {
    // The row keeps the old episode's reward and flags and shows the new episode's first
    // observation.
    const SlotState ended = state;
    WriteObservation(access, log.final_observation(i));
    AutoresetSlot(i, workspace);
    state.reward = ended.reward;
    state.terminated = ended.terminated;
    state.truncated = ended.truncated || state.truncated;
  }
  WriteRow(i, sink, workspace);
}

// Seed and episode index of the episode that a Reset starts.
void VectorEnv::Impl::SeedSlot(std::size_t i, const ResetInput& input) {
  SlotState& state = slots[i];
  const bool seeded = input.seed.has_value() || !input.slot_seeds.empty();
  const std::uint64_t seed = input.seed ? *input.seed + i : (seeded ? input.slot_seeds[i] : 0);
  if (seeded && input.episode_exact) {
    state.episode_seed = seed;
    return;
  }
  if (seeded) {
    state.slot_seed = seed;
    state.episode = 0;
  } else if (ready) {
    ++state.episode;
  }
  state.episode_seed = EpisodeSeed(state.slot_seed, state.episode);
}

VectorEnv::VectorEnv(std::vector<ScenarioShare> shares, Task task, VectorEnvOptions options)
    : impl_(std::make_unique<Impl>(std::move(shares), std::move(task), std::move(options))) {}
VectorEnv::~VectorEnv() = default;

const EnvDescription& VectorEnv::description() const { return impl_->description; }
const Task& VectorEnv::task() const { return impl_->task; }

std::size_t VectorEnv::EstimateBytes(const std::vector<ScenarioShare>& shares, const Task& task) {
  // What one slot takes outside its world: bookkeeping and the log's columns.
  constexpr std::size_t kSlotBytes = sizeof(SlotState) + 256;
  std::size_t bytes = 0;
  for (const ScenarioShare& share : shares) {
    const CompiledScenario compiled(share.scenario, task);
    const std::size_t row = static_cast<std::size_t>(compiled.layout().width()) * sizeof(float);
    bytes += share.count *
             (WorldView::BlockBytes(compiled.spec()) + compiled.sensor_bytes() + kSlotBytes + row);
  }
  return bytes;
}

std::optional<Refusal> VectorEnv::Reset(const ResetInput& input, const RowSink& sink) {
  Impl& m = *impl_;
  if (auto refusal = m.CheckReset(input)) return refusal;
  m.log.Clear();
  m.parallel.Run(m.slots.size(), [&](std::size_t begin, std::size_t end, int worker) {
    SlotWorkspace& workspace = m.workspaces[static_cast<std::size_t>(worker)];
    for (std::size_t i = begin; i < end; ++i) m.ResetSlot(i, input, sink, workspace);
  });
  m.ready = true;
  m.log.Collect();
  m.faults.clear();
  return m.RefusePlacement(input.mask);
}

std::optional<Refusal> VectorEnv::Step(const StepInput& input, const RowSink& sink) {
  Impl& m = *impl_;
  if (auto refusal = m.CheckReady()) return refusal;
  if (auto refusal = m.CheckActions(input)) return refusal;
  m.log.Clear();
  m.parallel.Run(m.slots.size(), [&](std::size_t begin, std::size_t end, int worker) {
    SlotWorkspace& workspace = m.workspaces[static_cast<std::size_t>(worker)];
    for (std::size_t i = begin; i < end; ++i) m.StepSlot(i, input, sink, workspace);
  });
  m.log.Collect();
  m.CollectFaults();
  return std::nullopt;
}

StepResults VectorEnv::results() const { return {impl_->log.ends(), impl_->faults}; }

const Scenario& VectorEnv::scenario(std::size_t slot) const {
  return impl_->slot(slot).scenario.scenario();
}
WorldView VectorEnv::world(std::size_t slot) const { return impl_->worlds.world(slot); }
int VectorEnv::agent_object(std::size_t slot, std::size_t) const {
  return impl_->slot(slot).scenario.agent();
}
std::uint64_t VectorEnv::episode(std::size_t slot) const { return impl_->slots[slot].episode; }

VectorEnv::ScanAccess VectorEnv::scan(std::size_t slot, int object, int sensor) const {
  const SlotAccess access = impl_->slot(slot);
  const SensorAccess sensors = access.scenario.sensors(object, access.sensor_block);
  if (sensor < 0 || sensor >= static_cast<int>(sensors.sensors.size())) return {};
  const auto k = static_cast<std::size_t>(sensor);
  const auto* lidar = dynamic_cast<const Lidar2d*>(sensors.sensors[k].get());
  if (lidar == nullptr) return {};
  return {lidar, sensors.scan(k)};
}

}  // namespace planarium
