#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "env/diagnostic.h"
#include "sensors/params.h"

namespace planarium {

/// Why an episode ended; the numbers are those of the wire.
enum class EndReason : std::uint8_t {
  kNone = 0,
  kSuccess = 1,
  kCollision = 2,
  kTimeLimit = 3,
  kOutOfBounds = 4,
  kStalled = 5,
  kInterrupted = 6,
  kFault = 7,
  kOther = 8,
};

/// What becomes of an action component outside [-1, 1].
enum class OutOfRange : std::uint8_t { kClip, kReject };

/// `action:` of a task. Actions in [-1, 1] map affinely onto the range of each row.
struct ActionSpec {
  std::string kind = "velocity";  ///< the only kind so far: the command frame of the robot's drive
  std::vector<std::array<double, 2>>
      range;  ///< per row [low, high]; empty: the robot's vel_min, vel_max
  OutOfRange out_of_range = OutOfRange::kClip;
  int repeat = 1;  ///< world steps per env step
};

/// One observation term. Order of operations: value, scale, clip; the result stays within the
/// term's scaled bounds.
struct ObservationSpec {
  std::string term;
  Params params;
  double scale = 1.0;    ///< factor
  std::string scale_by;  ///< "range_max": divides by it
  double offset = 0.0;   ///< added after scaling
  std::array<double, 2> clip{-1e30, 1e30};
};

struct RewardSpec {
  std::string name;
  std::string term;
  double weight = 1.0;  ///< not multiplied by the step time
  bool once = false;    ///< at most once in an episode
  bool exclusive =
      false;  ///< when non-zero it replaces the other terms of its step; the first listed wins
  Params params;
};

struct TerminationSpec {
  std::string name;
  std::string term;
  bool truncation = false;
  EndReason reason = EndReason::kOther;
  bool success = false;
  Params params;
};

/// `commands:` (goal sampling) and `events:` (placement at reset).
struct CommandSpec {
  std::string name;
  std::string term;
  Params params;
};
struct EventSpec {
  std::string mode = "reset";
  std::string term;
  Params params;
};

/// The RL part of an experiment, independent of the scenario.
struct Task {
  std::string name = "default";
  std::string preset;          ///< "", "drl_nav"
  int max_steps = 500;         ///< env steps, then truncation; 0: no limit
  double max_seconds = 0.0;    ///< > 0 replaces max_steps: ceil(max_seconds / (repeat * step_time))
  int max_spawn_tries = 1000;  ///< draws per object before placement fails
  ActionSpec action;
  std::vector<ObservationSpec> observations;
  std::vector<RewardSpec> rewards;
  std::vector<TerminationSpec> terminations;
  std::vector<CommandSpec> commands;
  std::vector<EventSpec> events;
};

/// Reads a task file (`task:` mapping; docs/task-file.md). Unknown keys, terms and parameters are
/// refused with line and nearest name. Throws SpecError.
Task LoadTask(std::string_view text, const std::string& file);
/// The default navigation task: lidar, goal, velocity; progress, arrival, collision; 500 steps.
Task DefaultTask();
/// The same as a file that LoadTask reads back.
std::string TaskToYaml(const Task& task);

}  // namespace planarium
