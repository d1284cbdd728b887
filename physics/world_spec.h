#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "physics/kinematics.h"
#include "physics/object_state.h"
#include "physics/ray_caster.h"
#include "physics/shape.h"
#include "physics/types.h"

namespace planarium {

/// What overlapping bodies do (spec irsim-sensors-contact 3.2). `contact` is not built yet and
/// refused by the loader.
enum class CollisionMode : std::uint8_t {
  kStop,                   ///< every object with a partner stops until the partner leaves
  kReactive,               ///< flags only
  kUnobstructed,           ///< flags only
  kUnobstructedObstacles,  ///< robots as in stop, obstacles never stop
};

enum class Role : std::uint8_t { kRobot, kObstacle };

enum class ArriveMode : std::uint8_t {
  kPosition,  ///< distance to the goal's x, y
  kState,     ///< norm of (dx, dy, wrapped dtheta)
};

/// Constant description of one object of a scenario.
struct ObjectSpec {
  int id = 0;  ///< position in WorldSpec::objects; robots first
  std::string name;
  Role role = Role::kObstacle;
  int group = 0;
  KinematicsSpec kinematics;
  ShapeSpec shape;
  BodyState initial_state{1.0, 1.0, 0.0, 0.0};  ///< theta as typed, not wrapped
  Command initial_velocity{};                   ///< command frame
  std::vector<BodyState> goals;                 ///< queue, first is current; may be empty (no goal)
  double goal_threshold = 0.1;                  ///< [m] strict: arrived when distance < threshold
  ArriveMode arrive_mode = ArriveMode::kPosition;
  bool is_static = false;     ///< never integrated (flag, or passive with infinite mass)
  bool unobstructed = false;  ///< ignored by the collisions and rays of others
  /// Same pose and shape in every world and episode: kept once in the spec instead of in every
  /// world. Decided by the environment (a task may scatter a static object); objects with sensors
  /// are never fixed.
  bool fixed = false;
};

/// Constant description of a scenario's world, shared by all its worlds. Call Finalize once after
/// filling the public fields.
struct WorldSpec {
  std::string name;
  double step_time = 0.1;  ///< [s]
  CollisionMode collision_mode = CollisionMode::kStop;
  Aabb bounds{0.0, 0.0, 10.0, 10.0};  ///< [m] offset and size; motion is not bounded by it
  std::vector<ObjectSpec> objects;

  /// Derives everything below. REQUIRES: ids equal positions; shapes of fixed objects are not
  /// random.
  void Finalize();

  int num_objects() const { return static_cast<int>(objects.size()); }
  int num_free() const { return static_cast<int>(free_objects.size()); }

  // Derived by Finalize.
  std::vector<int> free_objects;   ///< ids of the objects that each world keeps, ascending
  std::vector<int> free_index;     ///< (objects) position in free_objects, -1 for fixed objects
  std::vector<int> fixed_index;    ///< (objects) position in fixed_states, -1 for free objects
  std::vector<int> fixed_objects;  ///< ids of the fixed objects, ascending
  std::vector<ObjectState> fixed_states;  ///< placed once; spans point into fixed_vertices
  std::vector<Aabb> fixed_boxes;          ///< (fixed) boxes of fixed_states, packed for the scan
  std::vector<Vec2> fixed_vertices;
  RayScene fixed_scene;  ///< echoing geometry of the fixed objects that are not unobstructed
  std::vector<std::size_t> goal_offset;    ///< (free + 1) first goal slot of each free object
  std::vector<std::size_t> vertex_offset;  ///< (free + 1) first vertex slot of each free object
};

/// Goal slots that an object needs in every world: its queue, and at least 2 for the loop between
/// goal and start.
std::size_t GoalCapacity(const ObjectSpec& object);

}  // namespace planarium
