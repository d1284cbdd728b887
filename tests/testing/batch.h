#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <ostream>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "env/task.h"
#include "env/vector_env.h"

namespace planarium {

inline void PrintTo(const Refusal& refusal, std::ostream* out) { *out << refusal.text; }

/// Inputs of Reset.
inline ResetInput SelectSlots(std::span<const std::uint8_t> mask) {
  ResetInput input;
  input.mask = mask;
  return input;
}
inline ResetInput SeedFrom(std::uint64_t seed) {
  ResetInput input;
  input.seed = seed;
  return input;
}
inline ResetInput SeedEach(std::span<const std::uint64_t> seeds) {
  ResetInput input;
  input.slot_seeds = seeds;
  return input;
}
inline ResetInput Replay(std::uint64_t episode_seed) {
  ResetInput input = SeedFrom(episode_seed);
  input.episode_exact = true;
  return input;
}

/// The default task without an end: an episode goes on after arrivals and collisions.
inline Task EndlessTask() {
  Task task = DefaultTask();
  task.terminations.clear();
  task.max_steps = 0;
  return task;
}

/// A VectorEnv together with the memory of its rows.
class Batch {
 public:
  Batch(std::vector<ScenarioShare> shares, Task task, VectorEnvOptions options = {})
      : env(std::move(shares), std::move(task), std::move(options)) {
    const EnvDescription& d = env.description();
    const std::size_t n = d.num_envs;
    width = static_cast<std::size_t>(d.observation_width);
    action_width = static_cast<std::size_t>(d.action_width);
    observations.resize(n * width);
    rewards.resize(n);
    terminated.resize(n);
    truncated.resize(n);
    first.resize(n);
    alive.resize(n);
    reward_terms.resize(n * d.reward_terms.size());
    part_ = {observations.data(), rewards.data(), terminated.data(),  truncated.data(),
             first.data(),        alive.data(),   reward_terms.data()};
  }
  /// `count` worlds of one scenario.
  Batch(std::shared_ptr<const Scenario> scenario, std::size_t count, Task task,
        VectorEnvOptions options = {})
      : Batch({{std::move(scenario), count}}, std::move(task), std::move(options)) {}
  Batch(const Batch&) = delete;
  Batch& operator=(const Batch&) = delete;

  RowSink sink() const { return {{&part_, 1}, rewards.size()}; }
  std::size_t size() const { return rewards.size(); }

  std::optional<Refusal> Reset(const ResetInput& input = {}) { return env.Reset(input, sink()); }
  /// The same action in every slot, or one per slot.
  std::optional<Refusal> Step(std::vector<float> actions) {
    if (actions.size() == action_width) {
      const std::vector<float> one = actions;
      for (std::size_t i = 1; i < size(); ++i) {
        actions.insert(actions.end(), one.begin(), one.end());
      }
    }
    return env.Step({actions, nullptr}, sink());
  }
  std::optional<Refusal> StepPolicy(const char* policy) { return env.Step({{}, policy}, sink()); }

  std::span<const float> row(std::size_t i) const {
    return std::span(observations).subspan(i * width, width);
  }
  std::vector<float> RowCopy(std::size_t i) const { return {row(i).begin(), row(i).end()}; }
  const ObjectState& object(std::size_t slot, int id) const { return env.world(slot).object(id); }

  VectorEnv env;
  std::size_t width = 0, action_width = 0;
  std::vector<float> observations, rewards, reward_terms;
  std::vector<std::uint8_t> terminated, truncated, first, alive;

 private:
  PartRows part_;
};

}  // namespace planarium
