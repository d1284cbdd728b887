#pragma once

#include <array>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "env/behavior.h"
#include "env/observation_layout.h"
#include "env/term.h"

namespace planarium {

/// A scenario and a task put together: everything that a step reads and nothing that it writes.
/// Shared by all worlds of the share.
class CompiledScenario {
 public:
  /// Throws SpecError when they do not fit.
  CompiledScenario(std::shared_ptr<const Scenario> scenario, const Task& task);
  CompiledScenario(const CompiledScenario&) = delete;
  CompiledScenario& operator=(const CompiledScenario&) = delete;

  const Scenario& scenario() const { return *scenario_; }
  const WorldSpec& spec() const { return spec_; }
  int agent() const { return agent_; }
  const ObservationLayout& layout() const { return *layout_; }
  const Behavior* behavior(int object) const {
    return behaviors_[static_cast<std::size_t>(object)].get();
  }
  /// Built-in behavior that can steer the agent by name; nullptr when there is none for its drive.
  const Behavior* FindPolicy(std::string_view name) const;
  std::vector<std::string> PolicyNames() const;

  struct Reward {
    std::unique_ptr<RewardTerm> term;
    double weight;
    bool once, exclusive;
  };
  struct Termination {
    std::unique_ptr<TerminationTerm> term;
    bool truncation, success;
    EndReason reason;
  };
  std::span<const Reward> rewards() const { return rewards_; }
  std::span<const Termination> terminations() const { return terminations_; }
  std::span<const std::unique_ptr<EventTerm>> events() const { return events_; }
  std::span<const std::unique_ptr<CommandTerm>> commands() const { return commands_; }
  /// Objects whose pose is drawn at reset.
  std::span<const int> drawn() const { return drawn_; }

  /// Sensor layout of one world.
  std::size_t sensor_bytes() const { return sensor_bytes_; }
  SensorAccess sensors(int object, std::byte* block) const;
  /// Objects that carry sensors, in id order.
  std::span<const int> carriers() const { return carriers_; }

  /// Per row of the command: the value of action -1 and +1.
  std::span<const std::array<double, 2>> action_range() const { return action_range_; }
  int max_steps() const { return max_steps_; }

 private:
  void ChooseAgent();
  void BuildBehaviors();
  void BuildTerms(const Task& task);
  void BuildActionRange(const Task& task);
  void DecideFixed();
  void LayOutSensors();

  std::shared_ptr<const Scenario> scenario_;
  WorldSpec spec_;
  int agent_ = -1;
  int max_steps_ = 0;
  std::unique_ptr<ObservationLayout> layout_;
  std::vector<std::unique_ptr<Behavior>> behaviors_;
  std::vector<std::pair<std::string, std::unique_ptr<Behavior>>> policies_;
  std::vector<Reward> rewards_;
  std::vector<Termination> terminations_;
  std::vector<std::unique_ptr<EventTerm>> events_;
  std::vector<std::unique_ptr<CommandTerm>> commands_;
  std::vector<int> drawn_;
  std::vector<int> carriers_;
  std::vector<std::vector<std::size_t>> sensor_offsets_;  // (objects)(sensors)
  std::size_t sensor_bytes_ = 0;
  std::vector<std::array<double, 2>> action_range_;
};

}  // namespace planarium
