#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "env/compiled_scenario.h"
#include "physics/world_batch.h"

namespace planarium {

/// How an episode ended.
struct EpisodeEnd {
  EndReason reason = EndReason::kNone;
  bool success = false;
  std::uint8_t collided = 0;  ///< 0 none, 1 static obstacle, 2 moving obstacle, 3 robot
};

/// Episode bookkeeping of one slot.
struct SlotState {
  std::uint64_t slot_seed = 0;
  std::uint64_t episode = 0;       ///< index of the running episode within the slot
  std::uint64_t episode_seed = 0;  ///< key of all its draws
  AgentMemory memory;
  double episode_return = 0.0;
  float reward = 0.0F;        ///< of the last env step
  std::uint64_t fired = 0;    ///< rewards marked `once` that were given, one bit each
  std::uint8_t collided = 0;  ///< kind of the last partner in this episode
  bool terminated = false;    ///< of the last env step
  bool truncated = false;
  bool first = false;     ///< the row holds the first observation of an episode
  bool done = false;      ///< the episode is over; the slot awaits a reset
  bool unplaced = false;  ///< the last reset could not place every object
  EpisodeEnd end;         ///< valid when done
};

/// Per-worker scratch of a step; sized once for all scenarios of a batch.
struct SlotWorkspace {
  SensorWorkspace sensors;
  BehaviorWorkspace behaviors;
  std::vector<std::uint8_t> placed;  // (objects)
  std::vector<float> row;            // one observation row, aligned
  std::vector<float> terms;          // weighted reward terms of one row

  void Reserve(const CompiledScenario& scenario);
};

/// One slot with everything that belongs to it: the unit of work of the batch.
struct SlotAccess {
  const CompiledScenario& scenario;
  WorldView world;
  std::byte* sensor_block;
  SlotState& state;

  AgentContext context(const SensorAccess& sensors) const {
    return {world, scenario.agent(), state.memory, sensors};
  }
};

/// What moves the agent in one env step.
struct AgentInput {
  const float* action = nullptr;     ///< (action width) within [-1, 1] after clipping
  const Behavior* policy = nullptr;  ///< instead of an action
};

/// Begins the episode with key `episode_seed`: objects at their starts, drawn ones placed, goals
/// drawn, one scan taken; no status check. Sets state.unplaced when an object found no free place;
/// `failed` then names up to a few.
void BeginEpisode(const SlotAccess& slot, std::uint64_t episode_seed, int max_spawn_tries,
                  SlotWorkspace& workspace, std::vector<int>* failed);

/// One env step: `repeat` world steps, rewards, terminations. Leaves everything a row needs in
/// slot.state; weighted reward terms go to workspace.terms. Never allocates.
void StepEpisode(const SlotAccess& slot, const AgentInput& input, int repeat,
                 SlotWorkspace& workspace);

/// Writes the observation row of the present state. A pure read: calling it twice gives the same
/// bits.
void WriteObservation(const SlotAccess& slot, float* row);

}  // namespace planarium
