#include "server/scene.h"

#include <array>
#include <cmath>
#include <cstdio>

#include "sensors/lidar2d.h"

namespace planarium {
namespace {

Look LookOf(const ObjectSpec& object) {
  if (object.role == Role::kRobot) return Look::kRobot;
  const bool moves = !object.is_static && object.kinematics.drive != Drive::kPassive;
  return moves ? Look::kMovingObstacle : Look::kObstacle;
}

SceneBody MakeBody(const ObjectSpec& object, const ObjectState& state) {
  const PlacedShape& placed = state.placed;
  SceneBody body;
  body.look = LookOf(object);
  body.kind = placed.kind;
  body.outline.assign(placed.vertices.begin(), placed.vertices.end());
  body.center = placed.kind == ShapeKind::kCircle ? placed.center : placed.centroid;
  body.radius = placed.kind == ShapeKind::kCircle ? placed.radius : state.shape.bounding_radius;
  body.pose = state.pose();
  body.collided = state.collision;
  return body;
}

void AddBeams(const WorldView& world, int id, const VectorEnv::ScanAccess& access, Scene* scene) {
  const Pose2 sensor = access.lidar->SensorPose(world.object(id).pose());
  const auto angles = access.lidar->beams().angles();
  for (std::size_t i = 0; i < angles.size(); ++i) {
    const double angle = sensor.theta + angles[i];
    const double range = access.scan.ranges[i];
    scene->beams.push_back(
        {{sensor.x, sensor.y},
         {sensor.x + range * std::cos(angle), sensor.y + range * std::sin(angle)},
         access.scan.valid[i] != 0});
  }
}

std::string TitleOf(const VectorEnv& env, std::size_t slot) {
  const WorldView world = env.world(slot);
  std::array<char, 96> numbers{};
  std::snprintf(numbers.data(), numbers.size(), "   slot %zu   step %llu   t = %.2f s", slot,
                static_cast<unsigned long long>(world.clock().step), world.time());
  return env.scenario(slot).name + numbers.data();
}

}  // namespace

Scene MakeScene(const VectorEnv& env, std::size_t slot, LidarBeams lidar) {
  const WorldView world = env.world(slot);
  Scene scene;
  scene.title = TitleOf(env, slot);
  scene.bounds = world.spec().bounds;
  for (const ObjectSpec& object : world.spec().objects) {
    scene.bodies.push_back(MakeBody(object, world.object(object.id)));
    if (object.role != Role::kRobot) continue;
    if (const BodyState* goal = world.goal(object.id)) {
      scene.goals.push_back({{(*goal)[0], (*goal)[1]}, object.goal_threshold});
    }
    if (lidar == LidarBeams::kHide) continue;
    const auto& sensors = env.scenario(slot).plans[static_cast<std::size_t>(object.id)].sensors;
    for (int sensor = 0; sensor < static_cast<int>(sensors.size()); ++sensor) {
      const VectorEnv::ScanAccess access = env.scan(slot, object.id, sensor);
      if (access.lidar != nullptr) AddBeams(world, object.id, access, &scene);
    }
  }
  return scene;
}

}  // namespace planarium
