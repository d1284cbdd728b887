#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "env/scenario.h"
#include "env/task.h"
#include "physics/world_batch.h"
#include "sensors/lidar2d.h"

/// The extension interfaces of a task. Terms are stateless and shared by all worlds of a scenario;
/// what they need to remember between steps stands in AgentMemory.
namespace planarium {

/// What the environment remembers of one agent in one slot.
struct AgentMemory {
  Command command{};              ///< last command, command frame, as mapped from the action
  std::array<float, 3> action{};  ///< last action within [-1, 1]; 0 at the start of an episode
  double goal_progress =
      0.0;                   ///< [m] approach to the goal that was current before the last env step
  double path_length = 0.0;  ///< [m] driven in this episode
  std::uint32_t steps = 0;   ///< env steps of this episode
  std::uint32_t max_steps = 0;  ///< time limit, 0: none
  std::int32_t partner = -1;    ///< object touched in the last env step, -1: none
  bool arrived = false;         ///< arrival flag in any world step of the last env step
  bool collided = false;        ///< collision flag, likewise
};

/// Sensors of one object and the block that holds their measurements.
struct SensorAccess {
  std::span<const std::shared_ptr<const Sensor>> sensors;
  std::span<const std::size_t> offsets;  ///< (sensors) into block
  std::byte* block = nullptr;            ///< of one world

  std::span<std::byte> state(std::size_t k) const {
    return {block + offsets[k], sensors[k]->StateBytes()};
  }
  /// The lidar at position k; REQUIRES: it is one (terms check it when they are built).
  const Lidar2d& lidar(std::size_t k) const { return static_cast<const Lidar2d&>(*sensors[k]); }
  LidarScan scan(std::size_t k) const { return lidar(k).scan(state(k)); }
};

/// What a term may look at: one agent in one world, after a step.
struct AgentContext {
  const WorldView& world;
  int object = 0;
  const AgentMemory& memory;
  const SensorAccess& sensors;

  const ObjectState& self() const { return world.object(object); }
  const ObjectSpec& spec() const { return world.spec().objects[static_cast<std::size_t>(object)]; }
  /// A world-frame vector in the agent's frame.
  Vec2 ToBody(Vec2 v) const {
    const SinCosPair& heading = self().placed.heading;
    return {v.x * heading.cos + v.y * heading.sin, v.y * heading.cos - v.x * heading.sin};
  }
};

/// What a term may look at when it is built.
struct TermSetup {
  const Scenario& scenario;
  int object = 0;  ///< the agent
  const Task& task;

  const ObjectSpec& spec() const {
    return scenario.world.objects[static_cast<std::size_t>(object)];
  }
  /// Position of the lidar that parameter `sensor` (n-th sensor of the agent) or its absence (first
  /// lidar) names; -1: none.
  int FindLidar(const Params& params) const;
  const Lidar2d& lidar(int k) const;
};

/// One column of a term: label and closed finite bounds before scaling.
struct Column {
  std::string label;
  double low = 0.0;
  double high = 0.0;
};

class ObservationTerm {
 public:
  virtual ~ObservationTerm() = default;
  virtual std::vector<Column> Columns() const = 0;
  virtual std::string unit() const = 0;
  /// Divisor that `scale: {by: NAME}` means; throws std::invalid_argument for a name it does not
  /// know.
  virtual double ScaleBy(std::string_view name) const;
  /// Writes Columns().size() unscaled values.
  virtual void Write(const AgentContext& context, float* out) const = 0;
};

class RewardTerm {
 public:
  virtual ~RewardTerm() = default;
  virtual double Value(const AgentContext& context) const = 0;
};

class TerminationTerm {
 public:
  virtual ~TerminationTerm() = default;
  virtual bool Holds(const AgentContext& context) const = 0;
};

/// Placement drawing for one world at reset; env/placement.h.
class Placer;

/// `events:` of mode reset: changes a world before its first observation.
class EventTerm {
 public:
  virtual ~EventTerm() = default;
  /// Objects whose pose the event draws: they cannot be shared between worlds.
  virtual std::vector<int> Moves() const { return {}; }
  virtual void Apply(Placer& placer) const = 0;
};

/// `commands:`: draws the agent's goal at reset.
class CommandTerm {
 public:
  virtual ~CommandTerm() = default;
  virtual void Draw(Placer& placer) const = 0;
};

/// A registry row: YAML name, one-line doc, parameters, factory. Factories throw
/// std::invalid_argument (what was expected, what came) for values that do not make sense.
template <typename Term>
struct TermRow {
  std::string_view name;
  std::string_view doc;
  std::span<const ParamSchema> params;
  std::unique_ptr<Term> (*make)(const Params& params, const TermSetup& setup);
  bool needs_lidar = false;  ///< left out of default and preset observations without one
};

}  // namespace planarium
