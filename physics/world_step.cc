#include "physics/world_step.h"

#include <algorithm>
#include <cmath>

#include "physics/angle.h"
#include "physics/math.h"
#include "physics/random.h"

namespace planarium {
namespace {

const ObjectSpec& SpecOf(const WorldView& world, int id) {
  return world.spec().objects[static_cast<std::size_t>(id)];
}

// Notes that free object `state` touches object `other`; the lowest partner is kept.
void AddPartner(ObjectState& state, int other) {
  state.collision = true;
  if (state.partner < 0 || other < state.partner) state.partner = other;
}

// True when learning about a contact with `other` would change the flags of `state`.
bool WouldChange(const ObjectState& state, int other) {
  return state.partner < 0 || other < state.partner;
}

// Contacts of one free object with the fixed ones. Ids ascend, so the first contact is the lowest.
void CollideWithFixed(const WorldSpec& spec, ObjectState& state) {
  for (std::size_t k = 0; k < spec.fixed_boxes.size(); ++k) {
    if (!Overlaps(state.placed.box, spec.fixed_boxes[k])) continue;
    const int other = spec.fixed_objects[k];
    if (spec.objects[static_cast<std::size_t>(other)].unobstructed) continue;
    if (!Intersects(state.placed, spec.fixed_states[k].placed)) continue;
    AddPartner(state, other);
    return;
  }
}

// Contact of two free objects: tested once, told to both sides; an unobstructed partner is ignored.
void CollidePair(const WorldSpec& spec, std::span<ObjectState> free, std::size_t i, std::size_t j) {
  ObjectState& a = free[i];
  ObjectState& b = free[j];
  if (!Overlaps(a.placed.box, b.placed.box)) return;
  const ObjectSpec& spec_a = spec.objects[static_cast<std::size_t>(spec.free_objects[i])];
  const ObjectSpec& spec_b = spec.objects[static_cast<std::size_t>(spec.free_objects[j])];
  const bool tell_a = !spec_b.unobstructed && WouldChange(a, spec_b.id);
  const bool tell_b = !spec_a.unobstructed && WouldChange(b, spec_a.id);
  if (!tell_a && !tell_b) return;
  if (!Intersects(a.placed, b.placed)) return;
  if (tell_a) AddPartner(a, spec_b.id);
  if (tell_b) AddPartner(b, spec_a.id);
}

void UpdateCollisions(WorldView world) {
  const WorldSpec& spec = world.spec();
  const std::span<ObjectState> free = world.free_objects();
  for (ObjectState& state : free) {
    state.collision = false;
    state.partner = -1;
  }
  for (std::size_t i = 0; i < free.size(); ++i) {
    CollideWithFixed(spec, free[i]);
    for (std::size_t j = i + 1; j < free.size(); ++j) CollidePair(spec, free, i, j);
  }
}

// Distance that arrival compares with the threshold. A goal without a heading has a non-finite
// one, which WrapToPi turns into no heading error.
double GoalDistance(const ObjectSpec& spec, const BodyState& state, const BodyState& goal) {
  const double dx = state[0] - goal[0];
  const double dy = state[1] - goal[1];
  if (spec.arrive_mode == ArriveMode::kPosition) return Hypot(dx, dy);
  const double turn = WrapToPi(state[2] - goal[2]);
  return std::sqrt(dx * dx + dy * dy + turn * turn);
}

// Clearly out of reach, whatever the last bit of the distance: spares most steps an exact root.
bool IsFar(const ObjectSpec& spec, const BodyState& state, const BodyState& goal) {
  const Vec2 offset{state[0] - goal[0], state[1] - goal[1]};
  return Dot(offset, offset) > 1.0001 * spec.goal_threshold * spec.goal_threshold;
}

// A reached goal is dropped while others follow it; only the last one sets the flag.
void UpdateArrival(WorldView world, int id, ObjectState& state) {
  state.arrive = false;
  const BodyState* goal = world.goal(id);
  if (goal == nullptr) return;
  const ObjectSpec& spec = SpecOf(world, id);
  if (IsFar(spec, state.state, *goal)) return;
  if (!(GoalDistance(spec, state.state, *goal) < spec.goal_threshold)) return;
  if (state.goal_count - state.goal_index == 1) {
    state.arrive = true;
  } else {
    ++state.goal_index;
  }
}

// Whether a collision stops an object of this role.
bool CollisionStops(CollisionMode mode, Role role) {
  if (mode == CollisionMode::kStop) return true;
  return mode == CollisionMode::kUnobstructedObstacles && role == Role::kRobot;
}

}  // namespace

void ResetWorld(WorldView world, std::uint64_t episode_seed) {
  world.clock() = {0, episode_seed};
  for (const int id : world.spec().free_objects) {
    const ObjectSpec& spec = SpecOf(world, id);
    ObjectState& state = world.free_object(id);
    state = ObjectState{};
    state.state = spec.initial_state;
    state.velocity = spec.initial_velocity;
    RandomSequence random(episode_seed, Stream::kShape, static_cast<std::uint32_t>(id), 0);
    state.shape = DrawShape(spec.shape, random, world.body_vertices(id));
    world.SetGoals(id, spec.goals);
    PlaceObject(world, id);
  }
}

void PlaceObject(WorldView world, int id) {
  ObjectState& state = world.free_object(id);
  state.placed = Place(state.shape, state.pose(), world.world_vertices(id));
}

void MoveObject(WorldView world, int id, const Command& command) {
  const ObjectState& state = world.free_object(id);
  const KinematicsSpec& kinematics = SpecOf(world, id).kinematics;
  IntegrateObject(world, id,
                  ClipCommand(kinematics, command, state.velocity, world.spec().step_time));
}

void IntegrateObject(WorldView world, int id, const Command& command) {
  ObjectState& state = world.free_object(id);
  const KinematicsSpec& kinematics = SpecOf(world, id).kinematics;
  // The noise moves the body only: the velocity that others see is the command.
  Command noisy = command;
  if (kinematics.noise) {
    // The clock still counts the steps before this one.
    const WorldClock& clock = world.clock();
    RandomSequence random(clock.episode_seed, Stream::kMotionNoise, static_cast<std::uint32_t>(id),
                          static_cast<std::uint32_t>(clock.step) + 1);
    const Command sigma = NoiseSigma(kinematics, command);
    const int rows = ActionDim(kinematics.drive);
    for (std::size_t row = 0; row < static_cast<std::size_t>(rows); ++row) {
      noisy[row] += sigma[row] * random.Normal();
    }
  }
  state.velocity = command;
  state.state =
      Integrate(kinematics, state.state, state.placed.heading, noisy, world.spec().step_time);
  PlaceObject(world, id);
}

void HoldObject(WorldView world, int id) { world.free_object(id).velocity = Command{}; }

void UpdateStatus(WorldView world) {
  UpdateCollisions(world);
  const WorldSpec& spec = world.spec();
  const std::span<ObjectState> free = world.free_objects();
  for (std::size_t k = 0; k < free.size(); ++k) UpdateArrival(world, spec.free_objects[k], free[k]);
  for (std::size_t k = 0; k < free.size(); ++k) {
    const Role role = spec.objects[static_cast<std::size_t>(spec.free_objects[k])].role;
    free[k].stop = free[k].collision && CollisionStops(spec.collision_mode, role);
  }
}

Twist2 TwistOf(const WorldView& world, int id) {
  const ObjectState& state = world.object(id);
  return WorldTwist(SpecOf(world, id).kinematics, state.state, state.placed.heading,
                    state.velocity);
}

void AddToScene(const PlacedShape& shape, std::int32_t owner, RayScene& scene) {
  if (shape.kind == ShapeKind::kCircle) {
    scene.AddCircle(shape.center, shape.radius, owner);
    return;
  }
  // A ring closes itself; a polyline stays open.
  scene.AddChain(shape.vertices, shape.kind == ShapeKind::kPolygon, owner);
}

void GatherFreeScene(const WorldView& world, int except, RayScene& scene) {
  scene.Clear();
  const WorldSpec& spec = world.spec();
  const std::span<const ObjectState> free = world.free_objects();
  for (std::size_t k = 0; k < free.size(); ++k) {
    const int id = spec.free_objects[k];
    if (id == except || spec.objects[static_cast<std::size_t>(id)].unobstructed) continue;
    AddToScene(free[k].placed, id, scene);
  }
}

SceneCapacity FreeSceneCapacity(const WorldSpec& spec) {
  SceneCapacity capacity;
  for (const int id : spec.free_objects) {
    const ObjectSpec& object = spec.objects[static_cast<std::size_t>(id)];
    if (object.unobstructed) continue;
    const std::size_t vertices = MaxVertices(object.shape);
    capacity.segments += vertices;
    if (vertices == 0) ++capacity.circles;
  }
  return capacity;
}

}  // namespace planarium
