#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "env/compiled_scenario.h"
#include "env/slot.h"

namespace planarium {

/// What is given to an object instead of what the file says or the world draws.
struct ObjectInjection {
  std::optional<BodyState> state;
  std::optional<Command> velocity;
  std::optional<std::vector<BodyState>> goals;  ///< queue, current goal first
  std::optional<Shape> shape;
  std::optional<bool> arrive, collision, stop;
};
using Injections = std::map<int, ObjectInjection>;

/// How a world is made.
struct ParityOptions {
  std::string scenario;  ///< path of the world file
  std::uint64_t seed = 1;
  bool noise = true;  ///< false: motion and scanners are exact, whatever the file says
  Injections inject;
};

/// One world whose every step can be watched and corrected. Mirrors what the environment does with
/// a slot; the difference is that every robot takes commands in double precision.
class ParityWorld {
 public:
  /// Throws SpecError when the file cannot be used.
  explicit ParityWorld(const ParityOptions& options);

  /// Writes the given parts over the state of free objects. Throws std::invalid_argument for a
  /// fixed object.
  void Change(const Injections& changes);
  /// One world step; objects without a command follow their behavior or stand still.
  void Step(const std::map<int, Command>& commands);
  /// One step through the environment's own StepEpisode. REQUIRES: `action` holds a number within
  /// [-1, 1] per row.
  void StepByEnv(const std::vector<float>& action);

  const CompiledScenario& scenario() const { return *compiled_; }
  WorldView world() const { return batch_->world(0); }
  /// Scan of sensor `k` of an object.
  LidarScan scan(int object, std::size_t k);

 private:
  SlotAccess slot();
  void StepObject(int id, const std::map<int, Command>& commands);
  void Measure();
  void ChangeObject(int id, const ObjectInjection& change);
  void SetQueue(int id, const std::vector<BodyState>& queue);

  std::unique_ptr<CompiledScenario> compiled_;
  std::unique_ptr<WorldBatch> batch_;
  std::vector<std::uint64_t> sensor_block_;  // words keep it aligned
  SlotState state_;
  SlotWorkspace workspace_;
};

}  // namespace planarium
