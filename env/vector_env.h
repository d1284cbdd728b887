#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "env/scenario.h"
#include "env/task.h"
#include "physics/world_batch.h"
#include "sensors/lidar2d.h"

namespace planarium {

/// What each row holds after the end of an episode; see proto/planarium/v1 AutoresetMode.
enum class Autoreset : std::uint8_t { kNextStep, kSameStep, kDisabled };

/// A scenario and the number of slots that run it. Slots are dealt out in the order of the list.
struct ScenarioShare {
  std::shared_ptr<const Scenario> scenario;
  std::size_t count = 0;
};

struct VectorEnvOptions {
  std::uint64_t seed = 0;                 ///< slot i has seed + i
  std::vector<std::uint64_t> slot_seeds;  ///< (num_envs) instead; empty: from `seed`
  Autoreset autoreset = Autoreset::kNextStep;
  int threads = 1;            ///< >= 1 worker threads
  int max_episode_steps = 0;  ///< > 0 replaces the task's limit
};

/// A call that was refused; nothing has changed.
struct Refusal {
  enum class Kind { kInvalidArgument, kFailedPrecondition, kResourceExhausted };
  Kind kind = Kind::kInvalidArgument;
  std::string text;
};

/// Columns of the rows [first, first + rows_per_part) of a batch, in the caller's memory;
/// row-major.
struct PartRows {
  float* observations = nullptr;       ///< (rows, A, W)
  float* rewards = nullptr;            ///< (rows, A)
  std::uint8_t* terminated = nullptr;  ///< (rows, A)
  std::uint8_t* truncated = nullptr;   ///< (rows, A)
  std::uint8_t* first = nullptr;       ///< (rows)
  std::uint8_t* alive = nullptr;       ///< (rows, A)
  float* reward_terms = nullptr;       ///< (rows, A, T) or nullptr: not wanted
};

/// Where rows are written: slot s goes to part s / rows_per_part, row s % rows_per_part. Rows may
/// be unaligned in memory.
struct RowSink {
  std::span<const PartRows> parts;
  std::size_t rows_per_part = 0;
};

/// Episodes that ended in the last call, ascending by slot. Spans stay valid until the next call.
struct EpisodeEnds {
  std::span<const std::int32_t> slots;        ///< (k)
  std::span<const double> returns;            ///< (k, A)
  std::span<const std::int32_t> lengths;      ///< (k) env steps
  std::span<const std::uint8_t> success;      ///< (k)
  std::span<const std::uint8_t> reasons;      ///< (k) EndReason
  std::span<const std::uint64_t> seeds;       ///< (k)
  std::span<const std::uint64_t> episodes;    ///< (k)
  std::span<const float> final_observations;  ///< (k, A, W), empty unless SAME_STEP
  std::span<const std::int32_t> scenarios;    ///< (k)
  std::span<const double> sim_seconds;        ///< (k)
  std::span<const double> path_lengths;       ///< (k, A) [m]
  std::span<const std::uint8_t> collided;     ///< (k) 0 none, 1 static, 2 moving obstacle, 3 robot
};

struct RowFault {
  std::int32_t slot = 0;
  std::string text;
};

struct StepResults {
  EpisodeEnds ends;
  std::span<const RowFault> faults;
};

/// One term's block of columns in an observation row.
struct ColumnBlock {
  std::string term;
  int start = 0;
  int width = 0;
  std::string unit;
  std::vector<std::string> labels;  ///< (width)
};

/// Spaces and names of a batch.
struct EnvDescription {
  std::size_t num_envs = 0;
  std::size_t num_agents = 1;
  std::vector<std::string> agent_names;
  int observation_width = 0;
  std::vector<float> observation_low, observation_high;  ///< (W) finite
  std::vector<ColumnBlock> columns;
  int action_width = 0;                    ///< bounds are [-1, 1]
  std::vector<std::string> action_labels;  ///< "diff[0] in [-1, 1]"
  std::vector<std::string> reward_terms;
  std::vector<std::string> termination_names;
  int max_episode_steps = 0;
  double step_time = 0.1;  ///< [s] of one env step in scenario 0
  Autoreset autoreset = Autoreset::kNextStep;
  std::uint64_t seed = 0;
  std::size_t bytes_per_world = 0;  ///< scenario 0, observation rows excluded
  std::size_t total_bytes = 0;
};

/// Actions of one step: exactly one of the two is set.
struct StepInput {
  std::span<const float> actions;  ///< (N, A, action_width)
  const char* policy = nullptr;    ///< built-in behavior that steers the agents, e.g. "dash"
};

struct ResetInput {
  std::span<const std::uint8_t> mask;         ///< (N); empty: all slots
  std::optional<std::uint64_t> seed;          ///< slot i gets seed + i and episode 0
  std::span<const std::uint64_t> slot_seeds;  ///< (N) instead of seed
  bool episode_exact = false;                 ///< seeds are episode seeds
};

/// N worlds and a task, stepped together. All memory is taken by the constructor; Step never
/// allocates. One thread at a time; results depend on seeds and actions only, never on threads, N
/// or neighbours.
class VectorEnv {
 public:
  /// Throws SpecError when task and scenario do not fit together (no robot, a term without its
  /// sensor, spaces that differ between scenarios, a behavior that needs a client). REQUIRES:
  /// shares not empty, counts sum to >= 1, threads >= 1.
  VectorEnv(std::vector<ScenarioShare> shares, Task task, VectorEnvOptions options);
  ~VectorEnv();
  VectorEnv(const VectorEnv&) = delete;
  VectorEnv& operator=(const VectorEnv&) = delete;

  const EnvDescription& description() const;
  const Task& task() const;

  /// Memory that a batch would take, before making it. [bytes]
  static std::size_t EstimateBytes(const std::vector<ScenarioShare>& shares, const Task& task);

  /// Starts new episodes in the selected slots and writes ALL rows (unselected rows repeat their
  /// last observation, reward 0, first 0). Running episodes of >= 1 step end with reason
  /// kInterrupted.
  std::optional<Refusal> Reset(const ResetInput& input, const RowSink& sink);
  /// One env step of every slot. REQUIRES: Reset was called once (else a Refusal).
  std::optional<Refusal> Step(const StepInput& input, const RowSink& sink);
  /// Sparse results of the last successful Reset or Step.
  StepResults results() const;

  // Inspection of one slot between calls.
  const Scenario& scenario(std::size_t slot) const;
  WorldView world(std::size_t slot) const;
  int agent_object(std::size_t slot, std::size_t agent) const;
  /// Scan of a lidar2d; nullptr lidar when that sensor is of another type or absent.
  struct ScanAccess {
    const Lidar2d* lidar = nullptr;
    LidarScan scan;
  };
  ScanAccess scan(std::size_t slot, int object, int sensor) const;
  std::uint64_t episode(std::size_t slot) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace planarium
