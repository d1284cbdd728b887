#include "env/vector_env.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdio>
#include <cstring>

#include "env/compiled_scenario.h"
#include "env/episode_log.h"
#include "env/parallel_for.h"
#include "env/slot.h"

namespace planarium {
namespace {

constexpr std::size_t kNamedSlots = 16;  // longest list of slots or objects in a message

using CompiledList = std::vector<std::unique_ptr<CompiledScenario>>;

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
    throw SpecError({{Severity::kError, other->scenario().name, 0, 0, "",
                      "its observation or action space differs from that of " +
                          first.scenario().name + " (" + std::to_string(other->layout().width()) +
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

bool IsFinite(float value) {
  constexpr std::uint32_t kExponent = 0x7f800000U;
  return (std::bit_cast<std::uint32_t>(value) & kExponent) != kExponent;
}

}  // namespace

struct VectorEnv::Impl {
  Impl(std::vector<ScenarioShare> shares_in, Task task_in, VectorEnvOptions options_in);

  void Describe();
  void DescribeSpaces();
  SlotAccess slot(std::size_t i);
  void WriteRow(std::size_t i, const RowSink& sink, SlotWorkspace& workspace);
  void StepSlot(std::size_t i, const StepInput& input, const RowSink& sink,
                SlotWorkspace& workspace);
  void ResetSlot(std::size_t i, const ResetInput& input, const RowSink& sink,
                 SlotWorkspace& workspace);
  void CutShort(std::size_t i);
  void Begin(std::size_t i, std::uint64_t seed, SlotWorkspace& workspace);
  void AutoresetSlot(std::size_t i, SlotWorkspace& workspace);
  void RecordEnd(std::size_t i);
  std::optional<Refusal> CheckReady() const;
  std::optional<Refusal> CheckActions(const StepInput& input) const;
  std::optional<Refusal> CheckReset(const ResetInput& input) const;
  std::optional<Refusal> RefuseAction(std::size_t at, std::span<const float> actions) const;
  bool Resets(std::size_t i) const {
    return slots[i].done && options.autoreset != Autoreset::kDisabled;
  }
  void SeedSlot(std::size_t i, const ResetInput& input);
  void CollectFaults();
  std::optional<Refusal> RefusePlacement(std::span<const std::uint8_t> mask);

  std::vector<ScenarioShare> shares;
  Task task;
  VectorEnvOptions options;
  CompiledList compiled;
  EnvDescription description;
  std::vector<std::int32_t> scenario_of_slot;
  WorldBatch worlds;
  std::vector<std::size_t> sensor_offset;  // (N + 1) into sensor_block
  std::vector<std::uint64_t> sensor_block;
  std::vector<SlotState> slots;
  EpisodeLog log;
  ParallelFor parallel;
  std::vector<SlotWorkspace> workspaces;  // (threads)
  std::vector<RowFault> faults;
  std::size_t width;  // observation columns
  std::size_t action_width;
  bool ready = false;  // Reset was called
};

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

std::optional<Refusal> VectorEnv::Impl::CheckReady() const {
  if (!ready)
    return Refusal{Refusal::Kind::kFailedPrecondition, "step: Reset must be called first"};
  if (options.autoreset != Autoreset::kDisabled) return std::nullopt;
  std::string names;
  std::size_t done = 0;
  for (std::size_t i = 0; i < slots.size(); ++i) {
    if (!slots[i].done || done++ >= kNamedSlots) continue;
    names += (names.empty() ? "" : ", ") + std::to_string(i);
  }
  if (done == 0) return std::nullopt;
  if (done > kNamedSlots) names += " and " + std::to_string(done - kNamedSlots) + " more";
  return Refusal{
      Refusal::Kind::kFailedPrecondition,
      "step: slots " + names + " are done and autoreset is DISABLED; call Reset with their mask"};
}

std::optional<Refusal> VectorEnv::Impl::RefuseAction(std::size_t at,
                                                     std::span<const float> actions) const {
  std::size_t bad = 0;
  for (std::size_t k = 0; k < actions.size(); ++k) {
    const bool outside = task.action.out_of_range == OutOfRange::kReject &&
                         !(actions[k] >= -1.0F && actions[k] <= 1.0F);
    if (!Resets(k / action_width) && (!IsFinite(actions[k]) || outside)) ++bad;
  }
  std::array<char, 256> text{};
  std::snprintf(
      text.data(), text.size(),
      "action: slot %zu %s[%zu] = %g (expected finite in [-1, 1]); %zu bad of %zu; nothing stepped",
      at / action_width, description.agent_names.front().c_str(), at % action_width,
      static_cast<double>(actions[at]), bad, actions.size());
  return Refusal{Refusal::Kind::kInvalidArgument, text.data()};
}

std::optional<Refusal> VectorEnv::Impl::CheckActions(const StepInput& input) const {
  if (input.policy != nullptr) {
    for (const auto& scenario : compiled) {
      if (scenario->FindPolicy(input.policy) != nullptr) continue;
      std::string names;
      for (const std::string& name : scenario->PolicyNames())
        names += (names.empty() ? "" : ", ") + name;
      return Refusal{Refusal::Kind::kInvalidArgument, "policy: got '" +
                                                          std::string(input.policy).substr(0, 64) +
                                                          "', expected one of " + names};
    }
    return std::nullopt;
  }
  if (input.actions.size() != slots.size() * action_width) {
    return Refusal{Refusal::Kind::kInvalidArgument,
                   "action: got " + std::to_string(input.actions.size()) + " values, expected " +
                       std::to_string(slots.size()) + " x " + std::to_string(action_width)};
  }
  const bool reject = task.action.out_of_range == OutOfRange::kReject;
  for (std::size_t k = 0; k < input.actions.size(); ++k) {
    const float value = input.actions[k];
    const bool fine = IsFinite(value) && (!reject || (value >= -1.0F && value <= 1.0F));
    if (!fine && !Resets(k / action_width)) return RefuseAction(k, input.actions);
  }
  return std::nullopt;
}

std::optional<Refusal> VectorEnv::Impl::CheckReset(const ResetInput& input) const {
  const auto refuse = [](const std::string& text) {
    return Refusal{Refusal::Kind::kInvalidArgument, text};
  };
  const std::size_t n = slots.size();
  if (!input.mask.empty() && input.mask.size() != n) {
    return refuse("mask: got " + std::to_string(input.mask.size()) + " flags, expected " +
                  std::to_string(n));
  }
  if (!input.mask.empty() &&
      std::ranges::none_of(input.mask, [](std::uint8_t flag) { return flag != 0; })) {
    return refuse("mask: selects no slot, expected at least one");
  }
  if (!input.slot_seeds.empty() && input.slot_seeds.size() != n) {
    return refuse("slot_seeds: got " + std::to_string(input.slot_seeds.size()) + ", expected " +
                  std::to_string(n));
  }
  if (input.seed && !input.slot_seeds.empty())
    return refuse("seed and slot_seeds: expected one of them, got both");
  if (input.episode_exact && !input.seed && input.slot_seeds.empty())
    return refuse("episode_exact: needs seed or slot_seeds");
  if (!ready && !input.mask.empty() &&
      std::ranges::any_of(input.mask, [](std::uint8_t flag) { return flag == 0; })) {
    return Refusal{Refusal::Kind::kFailedPrecondition,
                   "mask: the first Reset must select every slot"};
  }
  return std::nullopt;
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

std::optional<Refusal> VectorEnv::Impl::RefusePlacement(std::span<const std::uint8_t> mask) {
  for (std::size_t i = 0; i < slots.size(); ++i) {
    const bool selected = mask.empty() || mask[i] != 0;
    if (!selected || !slots[i].unplaced) continue;
    // Draw again, now naming the objects; the draws are the same, and so is the verdict.
    std::vector<int> failed;
    BeginEpisode(slot(i), slots[i].episode_seed, task.max_spawn_tries, workspaces.front(), &failed);
    slots[i].done = true;
    std::string names;
    for (const int id : failed) {
      const ObjectSpec& object = slot(i).scenario.spec().objects[static_cast<std::size_t>(id)];
      names += (names.empty() ? "" : ", ") + object.name;
    }
    return Refusal{Refusal::Kind::kResourceExhausted,
                   "reset: slot " + std::to_string(i) + ": no free pose for " + names + " after " +
                       std::to_string(task.max_spawn_tries) + " tries each"};
  }
  return std::nullopt;
}

void VectorEnv::Impl::CollectFaults() {
  faults.clear();
  for (std::size_t i = 0; i < slots.size(); ++i) {
    if (!slots[i].done || slots[i].end.reason != EndReason::kFault || faults.size() >= kNamedSlots)
      continue;
    faults.push_back({static_cast<std::int32_t>(i),
                      slots[i].unplaced
                          ? "no free start was found; the next step tries another episode"
                          : "the state of the world became non-finite"});
  }
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
