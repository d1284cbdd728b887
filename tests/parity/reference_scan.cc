#include "tests/parity/reference_scan.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "physics/world_step.h"

namespace planarium {
namespace {

constexpr double kNone = std::numeric_limits<double>::infinity();
// Hits nearer than this belong to the scanner's own place. [m]
constexpr double kOrigin = 1e-9;

// Distance at which a ray runs into a segment that lies along it.
double AlongSegment(Vec2 origin, Vec2 direction, Vec2 a, Vec2 b, double range_max) {
  if (std::fabs(Cross(b - a, origin - a)) > kOrigin) return kNone;
  const double ta = Dot(a - origin, direction);
  const double tb = Dot(b - origin, direction);
  const double low = std::min(ta, tb);
  const double high = std::max(ta, tb);
  if (high <= kOrigin || low > range_max) return kNone;
  return low > kOrigin ? low : std::min(high, range_max);
}

double ToSegment(Vec2 origin, Vec2 direction, Vec2 a, Vec2 b, double range_max) {
  const Vec2 along = b - a;
  const double denominator = Cross(direction, along);
  if (denominator == 0.0) return AlongSegment(origin, direction, a, b, range_max);
  const double t = Cross(a - origin, along) / denominator;
  const double u = Cross(a - origin, direction) / denominator;
  return u >= 0.0 && u <= 1.0 && t > kOrigin && t <= range_max ? t : kNone;
}

double ToCircle(Vec2 origin, Vec2 direction, Vec2 center, double radius, double range_max) {
  const Vec2 offset = center - origin;
  const double along = Dot(direction, offset);
  const double across = std::fabs(Cross(direction, offset));
  if (across > radius) return kNone;
  const double half = std::sqrt((radius - across) * (radius + across));
  const double t = along - half > kOrigin ? along - half : along + half;
  return t > kOrigin && t <= range_max ? t : kNone;
}

struct Hit {
  double range = kNone;
  std::int32_t owner = -1;

  void Take(double t, std::int32_t who) {
    if (t >= range) return;
    range = t;
    owner = who;
  }
};

void CastIntoScene(const RayScene& scene, Vec2 origin, Vec2 direction, double range_max, Hit& hit) {
  for (std::size_t k = 0; k < scene.segments(); ++k) {
    const Vec2 a{scene.ax()[k], scene.ay()[k]};
    const Vec2 b{scene.bx()[k], scene.by()[k]};
    hit.Take(ToSegment(origin, direction, a, b, range_max), scene.segment_owner()[k]);
  }
  for (std::size_t k = 0; k < scene.circles(); ++k) {
    const Vec2 center{scene.cx()[k], scene.cy()[k]};
    hit.Take(ToCircle(origin, direction, center, scene.radius()[k], range_max),
             scene.circle_owner()[k]);
  }
}

}  // namespace

ReferenceScan CastReference(const WorldView& world, int object, const Lidar2d& lidar) {
  RayScene free_scene;
  const SceneCapacity capacity = FreeSceneCapacity(world.spec());
  free_scene.Reserve(capacity.segments, capacity.circles);
  GatherFreeScene(world, object, free_scene);
  const std::array<const RayScene*, 2> scenes{&world.spec().fixed_scene, &free_scene};

  const Pose2 pose = lidar.SensorPose(world.object(object).pose());
  const Vec2 origin{pose.x, pose.y};
  const Lidar2dOptions& options = lidar.options();
  ReferenceScan scan;
  for (const double angle : lidar.beams().angles()) {
    const Vec2 direction{std::cos(pose.theta + angle), std::sin(pose.theta + angle)};
    Hit hit;
    for (const RayScene* scene : scenes)
      CastIntoScene(*scene, origin, direction, options.range_max, hit);
    scan.ranges.push_back(std::min(std::max(hit.range, options.range_min), options.range_max));
    scan.owner.push_back(hit.owner);
  }
  return scan;
}

}  // namespace planarium
