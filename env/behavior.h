#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "physics/world_batch.h"
#include "sensors/params.h"

namespace planarium {

/// Per-worker scratch of behaviors; sized once for the largest scenario.
struct BehaviorWorkspace {
  struct Cone {
    Vec2 apex, left, right;
  };
  /// A neighbour as a moving disc.
  struct Disc {
    Vec2 position, velocity;
    double radius;
    double gap;  ///< [m] length of the tangent from the steered object to the grown disc
  };
  /// A wall piece and where the steered object stands towards it.
  struct Segment {
    Vec2 a, b;
    Vec2 unit, normal;  ///< along a -> b; towards the steered object
    double length;      ///< [m]
    double distance;    ///< [m] from its line, >= 0
    double along;       ///< [m] of the steered object's foot point from a
  };
  std::vector<Disc> discs;
  std::vector<Segment> segments;
  std::vector<Cone> cones;

  void Reserve(const WorldSpec& spec);
};

/// Who is to be steered, and where.
struct BehaviorContext {
  const WorldView& world;
  int object;
  BehaviorWorkspace& workspace;
};

/// A built-in steering rule with its parameters: stateless, shared by all worlds. The result is
/// clipped by MoveObject.
class Behavior {
 public:
  virtual ~Behavior() = default;
  /// Command of the object in its command frame. Never allocates.
  virtual Command Steer(const BehaviorContext& context) const = 0;
};

}  // namespace planarium
