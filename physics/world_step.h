#pragma once

#include "physics/world_batch.h"

/// The parts of one world step that belong to bodies. The environment drives the loop over objects
/// in id order (object k sees 0..k-1 already moved), then calls UpdateStatus once.
namespace planarium {

/// Puts every free object to its initial state, velocity and goals with all flags clear, draws
/// random shapes from the episode seed and places the geometry; the clock restarts. No status
/// check: an episode begins as a freshly made IR-SIM world does.
void ResetWorld(WorldView world, std::uint64_t episode_seed);

/// Refreshes a free object's placed geometry from its state.
void PlaceObject(WorldView world, int id);

/// One motion step of a driven or passive object: clips, adds motion noise, integrates, places.
/// `command` is in the command frame.
void MoveObject(WorldView world, int id, const Command& command);

/// MoveObject without the clipping: coasting, and the zero of an object that nobody commands (spec
/// irsim-world 5.3).
void IntegrateObject(WorldView world, int id, const Command& command);

/// Zero velocity, pose kept: a static or stopped object.
void HoldObject(WorldView world, int id);

/// Collision flags and partners of all free objects, then arrival (popping goal queues), then stop
/// flags (spec irsim-world 6.3, 6.4, 7.2).
void UpdateStatus(WorldView world);

/// True when free object `id`, placed as it is now, shares a point with any other object for which
/// `consider(other)` holds.
template <typename Consider>
bool OverlapsAny(WorldView world, int id, Consider consider) {
  const PlacedShape& self = world.object(id).placed;
  for (int other = 0; other < world.spec().num_objects(); ++other) {
    if (other == id || !consider(other)) continue;
    const PlacedShape& shape = world.object(other).placed;
    if (Overlaps(self.box, shape.box) && Intersects(self, shape)) return true;
  }
  return false;
}

/// World-frame velocity of an object.
Twist2 TwistOf(const WorldView& world, int id);

/// Adds the echoing geometry of a placed shape to `scene`.
void AddToScene(const PlacedShape& shape, std::int32_t owner, RayScene& scene);

/// Collects the free objects that return echoes (not `except`, not unobstructed) into `scene`.
/// Never allocates within its capacity.
void GatherFreeScene(const WorldView& world, int except, RayScene& scene);

/// Segments and circles that GatherFreeScene can produce for `spec`: sizes the scratch scene.
struct SceneCapacity {
  std::size_t segments = 0;
  std::size_t circles = 0;
};
SceneCapacity FreeSceneCapacity(const WorldSpec& spec);

}  // namespace planarium
