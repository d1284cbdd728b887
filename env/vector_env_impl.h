#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "env/compiled_scenario.h"
#include "env/episode_log.h"
#include "env/parallel_for.h"
#include "env/slot.h"
#include "env/vector_env.h"

/// Private to VectorEnv: its parts are vector_env.cc (stepping) and vector_env_checks.cc (what is
/// refused, what is reported).
namespace planarium {

/// Longest list of slots or objects in a message.
inline constexpr std::size_t kNamedSlots = 16;

using CompiledList = std::vector<std::unique_ptr<CompiledScenario>>;

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
  const std::string& AgentName(std::size_t i) const;
  std::optional<Refusal> CheckReady() const;
  std::optional<Refusal> CheckActions(const StepInput& input) const;
  std::optional<Refusal> CheckReset(const ResetInput& input) const;
  std::optional<Refusal> RefuseAction(std::size_t at, std::span<const float> actions) const;
  bool Resets(std::size_t i) const {
    return slots[i].done && options.autoreset != Autoreset::kDisabled;
  }
  void SeedSlot(std::size_t i, const ResetInput& input);
  void CollectFaults();
  void AddFault(std::size_t i, bool unplaced);
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

}  // namespace planarium
