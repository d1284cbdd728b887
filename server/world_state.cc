#include "server/world_state.h"

#include <cmath>
#include <span>
#include <string>
#include <vector>

#include "sensors/lidar2d.h"

namespace planarium {
namespace {

template <typename T>
std::string Pack(std::span<const T> values) {
  return {reinterpret_cast<const char*>(values.data()), values.size_bytes()};
}

const char* ShapeName(ShapeKind kind) {
  switch (kind) {
    case ShapeKind::kCircle:
      return "circle";
    case ShapeKind::kPolygon:
      return "polygon";
    case ShapeKind::kPolyline:
      return "linestring";
  }
  return "";
}

// IR-SIM's status line: all robots arrived, else any robot in collision, else running.
const char* StatusOf(const WorldView& world) {
  int robots = 0;
  int arrived = 0;
  bool collided = false;
  for (const ObjectSpec& object : world.spec().objects) {
    if (object.role != Role::kRobot) continue;
    const ObjectState& state = world.object(object.id);
    ++robots;
    arrived += state.arrive ? 1 : 0;
    collided = collided || state.collision;
  }
  if (robots > 0 && arrived == robots) return "Arrived";
  return collided ? "Collision" : "Running";
}

v1::LaserScan DescribeScan(const WorldView& world, const VectorEnv::ScanAccess& access) {
  const Lidar2dOptions& options = access.lidar->options();
  const BeamTable& beams = access.lidar->beams();
  v1::LaserScan scan;
  scan.set_angle_min(beams.angles().front());
  scan.set_angle_max(beams.angles().back());
  scan.set_angle_increment(beams.increment());
  scan.set_scan_time(options.scan_time);
  scan.set_range_min(options.range_min);
  scan.set_range_max(options.range_max);
  scan.set_ranges(Pack<float>(access.scan.ranges));
  scan.set_valid(Pack<std::uint8_t>(access.scan.valid));
  scan.set_hit_ids(Pack<std::int32_t>(access.scan.owner));
  if (options.has_velocity) {
    std::vector<float> velocity(2 * access.scan.ranges.size());
    FillScanVelocity(world, access.scan, velocity);
    scan.set_velocity(Pack<float>(velocity));
  }
  return scan;
}

// Name of a sensor's frame: "robot_0/laser", "robot_0/laser_1" for the second of its type.
std::string FrameName(const ObjectSpec& object, const ObjectPlan& plan, std::size_t sensor) {
  const SensorSpec& spec = plan.sensor_specs[sensor];
  const std::string name = spec.name.empty() ? "laser" : spec.name;
  const std::string suffix = sensor == 0 || !spec.name.empty() ? "" : "_" + std::to_string(sensor);
  return object.name + "/" + name + suffix;
}

void AddScans(const VectorEnv& env, std::size_t slot, int id, v1::ObjectState* out) {
  const ObjectPlan& plan = env.scenario(slot).plans[static_cast<std::size_t>(id)];
  const WorldView world = env.world(slot);
  for (std::size_t sensor = 0; sensor < plan.sensors.size(); ++sensor) {
    const VectorEnv::ScanAccess access = env.scan(slot, id, static_cast<int>(sensor));
    if (access.lidar == nullptr) continue;
    *out->add_scans() = DescribeScan(world, access);
    const ObjectSpec& object = world.spec().objects[static_cast<std::size_t>(id)];
    out->mutable_scans(out->scans_size() - 1)->set_frame_id(FrameName(object, plan, sensor));
  }
}

void DescribePose(const ObjectSpec& object, const ObjectState& state, v1::ObjectState* out) {
  const auto state_dim = static_cast<std::size_t>(StateDim(object.kinematics.drive));
  const auto action_dim = static_cast<std::size_t>(ActionDim(object.kinematics.drive));
  for (std::size_t i = 0; i < state_dim; ++i) out->add_state(state.state[i]);
  for (std::size_t i = 0; i < action_dim; ++i) out->add_velocity(state.velocity[i]);
  const Twist2 twist =
      WorldTwist(object.kinematics, state.state, state.placed.heading, state.velocity);
  for (const double value : {twist.vx, twist.vy, twist.omega}) out->add_twist(value);
}

void DescribeShape(const ObjectState& state, v1::ObjectState* out) {
  out->set_shape(ShapeName(state.shape.kind));
  if (state.shape.kind == ShapeKind::kCircle) {
    out->set_radius(state.placed.radius);
    out->add_center(state.placed.center.x);
    out->add_center(state.placed.center.y);
    return;
  }
  out->set_radius(state.shape.bounding_radius);
  out->set_vertices(Pack(state.placed.vertices));
}

void DescribeObject(const WorldView& world, const ObjectSpec& object, v1::ObjectState* out) {
  const ObjectState& state = world.object(object.id);
  out->set_id(object.id);
  out->set_name(object.name);
  out->set_role(object.role == Role::kRobot ? "robot" : "obstacle");
  out->set_kinematics(DriveName(object.kinematics.drive));
  DescribePose(object, state, out);
  DescribeShape(state, out);
  if (const BodyState* goal = world.goal(object.id)) {
    for (std::size_t i = 0; i < 3; ++i) out->add_goal((*goal)[i]);
  }
  out->set_is_static(object.is_static);
  out->set_arrive(state.arrive);
  out->set_collision(state.collision);
  out->set_stop(state.stop);
}

}  // namespace

v1::WorldState DescribeWorld(const VectorEnv& env, std::size_t slot) {
  const WorldView world = env.world(slot);
  v1::WorldState out;
  out.set_step(world.clock().step);
  out.set_time(world.time());
  out.set_stamp(std::round(world.time() * 100.0) / 100.0);
  out.set_name(env.scenario(slot).name);
  out.set_status(StatusOf(world));
  out.set_step_time(world.spec().step_time);
  out.set_episode_seed(world.clock().episode_seed);
  out.set_episode(env.episode(slot));
  const Aabb& bounds = world.spec().bounds;
  for (const double value : {bounds.min_x, bounds.min_y, bounds.max_x, bounds.max_y}) {
    out.add_bounds(value);
  }
  for (const ObjectSpec& object : world.spec().objects) {
    v1::ObjectState* state = out.add_objects();
    DescribeObject(world, object, state);
    AddScans(env, slot, object.id, state);
  }
  return out;
}

}  // namespace planarium
