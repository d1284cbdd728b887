#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "env/diagnostic.h"
#include "physics/world_spec.h"
#include "sensors/sensor.h"

namespace planarium {

/// Which other objects a behavior reacts to.
enum class TargetRoles { kAll, kRobot, kObstacle };

/// `behavior:` of an object.
struct BehaviorSpec {
  std::string name;  ///< "dash", "rvo", a name that only clients know (`external`), or empty: none
  bool external = false;  ///< defined by user code in IR-SIM: the robot must be given actions
  bool wander = false;    ///< a new random goal at the start and after each arrival
  bool loop = false;      ///< the goal queue starts again after the last arrival
  std::array<double, 3> range_low{0.0, 0.0, -3.14159265358979323846};  ///< wander box [m, m, rad]
  std::array<double, 3> range_high{10.0, 10.0, 3.14159265358979323846};
  TargetRoles target_roles = TargetRoles::kAll;
  Params params;  ///< the rest, checked against the behavior's schema
};

/// What the environment does with an object beside moving it.
struct ObjectPlan {
  int line = 0;  ///< of its entry in the file, 1-based; 0: not from a file
  int column = 0;
  BehaviorSpec behavior;
  std::vector<SensorSpec> sensor_specs;
  std::vector<std::shared_ptr<const Sensor>> sensors;  ///< built by the loader, one per spec
};

/// One `distribution: {name: random}` entry: states, then goals, drawn anew for each episode (spec
/// irsim-world 3.3).
struct RandomPlacement {
  std::vector<int> objects;           ///< ids in order
  std::array<double, 3> range_low{};  ///< [m, m, rad]
  std::array<double, 3> range_high{};
  double min_distance = 1.0;  ///< [m] between the origins of one entry's objects
};

/// A loaded world file: constant, shared by all worlds made from it.
struct Scenario {
  std::string file;  ///< as given by the caller: what messages name
  std::string name;  ///< file name up to the first dot
  std::string
      content_hash;  ///< hexadecimal hash of the text, the id under which a server registers it
  WorldSpec world;   ///< not finalized: the environment decides which objects are fixed
  std::vector<ObjectPlan> plans;            ///< (objects)
  std::vector<RandomPlacement> placements;  ///< in file order
  std::vector<Diagnostic> diagnostics;      ///< warnings and notes of loading
};

/// What a scenario takes in memory, within a factor of two. [bytes]
std::size_t EstimateBytes(const Scenario& scenario);

}  // namespace planarium
