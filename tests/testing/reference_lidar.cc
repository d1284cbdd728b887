#include "tests/testing/reference_lidar.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace planarium::testing {
namespace {

constexpr double kNone = std::numeric_limits<double>::infinity();
// Hits at this distance or nearer are the surface that the scanner sits on.
constexpr double kOriginEpsilon = 1e-9;

struct Ray {
  Vec2 origin;
  Vec2 direction;
};

// Hit of a ray that runs along the segment: its nearest point ahead.
double AlongHit(const Ray& ray, Vec2 a, Vec2 b) {
  const double ta = Dot(a - ray.origin, ray.direction);
  const double tb = Dot(b - ray.origin, ray.direction);
  const double low = std::min(ta, tb);
  const double high = std::max(ta, tb);
  if (low > kOriginEpsilon) return low;
  return high > kOriginEpsilon ? high : kNone;
}

// t of the hit o + t d = a + u (b - a), 0 <= u <= 1. IR-SIM calls a ray collinear when d x (b - a)
// is exactly 0, which at a general heading is chance; here it is when both ends lie within 1 nm.
double SegmentHit(const Ray& ray, Vec2 a, Vec2 b) {
  const Vec2 to_a = a - ray.origin;
  const Vec2 to_b = b - ray.origin;
  const Vec2 d = ray.direction;
  if (std::abs(Cross(to_a, d)) <= 1e-9 && std::abs(Cross(to_b, d)) <= 1e-9) {
    return AlongHit(ray, a, b);
  }
  const Vec2 v = b - a;
  const double den = Cross(d, v);
  if (den == 0.0) return kNone;
  const double t = Cross(to_a, v) / den;
  const double u = Cross(to_a, d) / den;
  return t > kOriginEpsilon && u >= 0.0 && u <= 1.0 ? t : kNone;
}

// Smaller root of |o + t d - c| = R that lies ahead.
double CircleHit(const Ray& ray, Vec2 center, double radius) {
  const Vec2 c = center - ray.origin;
  const double along = Dot(c, ray.direction);
  const double lateral = Cross(c, ray.direction);
  if (std::abs(lateral) > radius) return kNone;
  const double root = std::sqrt((radius - lateral) * (radius + lateral));
  if (along - root > kOriginEpsilon) return along - root;
  return along + root > kOriginEpsilon ? along + root : kNone;
}

double PolygonHit(const Ray& ray, Vec2 center, double radius) {
  constexpr int kCorners = 64;
  const auto corner = [&](int k) {
    const double angle = -2.0 * std::numbers::pi * k / kCorners;
    return center + radius * Vec2{std::cos(angle), std::sin(angle)};
  };
  double nearest = kNone;
  for (int k = 0; k < kCorners; ++k) {
    nearest = std::min(nearest, SegmentHit(ray, corner(k), corner((k + 1) % kCorners)));
  }
  return nearest;
}

// Offers the distance of one primitive; the first of equals stays.
void Offer(const ReferenceScanner& scanner, double distance, std::int32_t owner,
           ReferenceHit& best) {
  if (scanner.only_owner.has_value() && *scanner.only_owner != owner) return;
  const bool nearer = best.owner < 0 ? distance <= scanner.range_max : distance < best.range;
  if (nearer) best = {distance, owner};
}

void CastScene(const ReferenceScanner& scanner, const Ray& ray, const RayScene& scene,
               ReferenceHit& best) {
  for (std::size_t k = 0; k < scene.segments(); ++k) {
    const Vec2 a{scene.ax()[k], scene.ay()[k]};
    const Vec2 b{scene.bx()[k], scene.by()[k]};
    Offer(scanner, SegmentHit(ray, a, b), scene.segment_owner()[k], best);
  }
  for (std::size_t k = 0; k < scene.circles(); ++k) {
    const Vec2 center{scene.cx()[k], scene.cy()[k]};
    const double distance = scanner.circles == CircleModel::kExact
                                ? CircleHit(ray, center, scene.radius()[k])
                                : PolygonHit(ray, center, scene.radius()[k]);
    Offer(scanner, distance, scene.circle_owner()[k], best);
  }
}

}  // namespace

ReferenceHit ReferenceCast(const ReferenceScanner& scanner, double angle,
                           std::span<const RayScene* const> scenes) {
  const double heading = scanner.pose.theta + angle;
  const Ray ray{{scanner.pose.x, scanner.pose.y}, {std::cos(heading), std::sin(heading)}};
  ReferenceHit best{scanner.range_max, -1};
  for (const RayScene* scene : scenes) CastScene(scanner, ray, *scene, best);
  return best;
}

std::vector<ReferenceHit> ReferenceScan(const ReferenceScanner& scanner,
                                        std::span<const double> angles,
                                        std::span<const RayScene* const> scenes) {
  std::vector<ReferenceHit> hits;
  hits.reserve(angles.size());
  for (const double angle : angles) hits.push_back(ReferenceCast(scanner, angle, scenes));
  return hits;
}

}  // namespace planarium::testing
