#include "physics/shape.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <utility>

#include "physics/math.h"
#include "physics/segment.h"

namespace planarium {
namespace {

// Twice the signed area of a ring, relative to its first vertex for accuracy far from the origin.
double TwiceSignedArea(std::span<const Vec2> ring) {
  double area = 0.0;
  for (std::size_t i = 1; i + 1 < ring.size(); ++i) area += Turn(ring[0], ring[i], ring[i + 1]);
  return area;
}

// IsSimpleRing for vertices of which no two successive ones are equal. An edge that runs back over
// the one before meets the one before or after that as well, so neighbours need no test.
bool IsSimpleDistinctRing(std::span<const Vec2> ring) {
  const std::size_t n = ring.size();
  if (n < 3 || TwiceSignedArea(ring) == 0.0) return false;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = i + 2; j < n; ++j) {
      const bool neighbours = i == 0 && j == n - 1;
      if (!neighbours && SegmentsMeet({ring[i], ring[i + 1]}, {ring[j], ring[(j + 1) % n]})) {
        return false;
      }
    }
  }
  return true;
}

// Drops vertices equal to the one before, and a last one equal to the first; returns what remains.
std::span<Vec2> KeepDistinct(std::span<Vec2> ring) {
  const auto end = std::unique(ring.begin(), ring.end());
  std::size_t count = static_cast<std::size_t>(end - ring.begin());
  while (count > 1 && ring[count - 1] == ring[0]) --count;
  return ring.first(count);
}

std::array<Vec2, 4> BoxCorners(std::span<const Vec2> points) {
  Aabb box;
  for (const Vec2 p : points) box.Include(p);
  return {Vec2{box.min_x, box.min_y}, Vec2{box.max_x, box.min_y}, Vec2{box.max_x, box.max_y},
          Vec2{box.min_x, box.max_y}};
}

// Area centroid; the mean of the vertices where there is no area.
Vec2 RingCentroid(std::span<const Vec2> ring) {
  const Vec2 origin = ring[0];
  Vec2 moment;
  Vec2 sum;
  for (std::size_t i = 0; i < ring.size(); ++i) {
    const Vec2 a = ring[i] - origin;
    const Vec2 b = ring[(i + 1) % ring.size()] - origin;
    moment = moment + Cross(a, b) * (a + b);
    sum = sum + a;
  }
  const double area = TwiceSignedArea(ring);
  if (area == 0.0) return origin + 1.0 / static_cast<double>(ring.size()) * sum;
  return origin + 1.0 / (3.0 * area) * moment;
}

// Length-weighted centroid; the first vertex where there is no length.
Vec2 ChainCentroid(std::span<const Vec2> chain) {
  Vec2 moment;
  double length = 0.0;
  for (std::size_t i = 0; i + 1 < chain.size(); ++i) {
    const double edge = Hypot(chain[i + 1].x - chain[i].x, chain[i + 1].y - chain[i].y);
    moment = moment + 0.5 * edge * (chain[i] + chain[i + 1]);
    length += edge;
  }
  return length > 0.0 ? 1.0 / length * moment : chain[0];
}

struct Disc {
  Vec2 center;
  double square_radius = 0.0;
};

// Points on the rim count as inside in spite of rounding; 1e-12 is some thousand ulps.
bool Contains(const Disc& disc, Vec2 p) {
  constexpr double kRimTolerance = 1e-12;
  const Vec2 offset = p - disc.center;
  return Dot(offset, offset) <= disc.square_radius * (1.0 + kRimTolerance);
}

Disc DiscThrough(Vec2 a, Vec2 b) {
  const Vec2 half = 0.5 * (b - a);
  return {a + half, Dot(half, half)};
}

// Circumscribed circle. Points on one line have none; the widest pair then holds the third.
Disc DiscThrough(Vec2 a, Vec2 b, Vec2 c) {
  const Vec2 ab = b - a;
  const Vec2 ac = c - a;
  const double twice_cross = 2.0 * Cross(ab, ac);
  if (twice_cross == 0.0) {
    const std::array<Disc, 3> pairs{DiscThrough(a, b), DiscThrough(a, c), DiscThrough(b, c)};
    return *std::max_element(pairs.begin(), pairs.end(), [](const Disc& p, const Disc& q) {
      return p.square_radius < q.square_radius;
    });
  }
  const double ab_square = Dot(ab, ab);
  const double ac_square = Dot(ac, ac);
  const Vec2 offset{(ac.y * ab_square - ab.y * ac_square) / twice_cross,
                    (ab.x * ac_square - ac.x * ab_square) / twice_cross};
  return {a + offset, Dot(offset, offset)};
}

// Smallest disc of `points` with p and q on its rim.
Disc SmallestDiscWith(std::span<const Vec2> points, Vec2 p, Vec2 q) {
  Disc disc = DiscThrough(p, q);
  for (const Vec2 r : points) {
    if (!Contains(disc, r)) disc = DiscThrough(p, q, r);
  }
  return disc;
}

// Smallest disc of `points` with p on its rim.
Disc SmallestDiscWith(std::span<const Vec2> points, Vec2 p) {
  Disc disc{p, 0.0};
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (!Contains(disc, points[i])) disc = SmallestDiscWith(points.first(i), p, points[i]);
  }
  return disc;
}

// Draws the vertices of a random polygon in IR-SIM's order (2.12 behaviour): centre, mean radius,
// irregularity, spikeyness, count, angle steps, start angle, radii.
std::span<Vec2> DrawVertices(const RandomPolygon& spec, RandomSequence& random,
                             std::span<Vec2> storage) {
  const double center_x = random.Uniform(spec.center_range[0], spec.center_range[2]);
  const double center_y = random.Uniform(spec.center_range[1], spec.center_range[3]);
  const double radius = random.Uniform(spec.avg_radius_range[0], spec.avg_radius_range[1]);
  const double irregularity =
      random.Uniform(spec.irregularity_range[0], spec.irregularity_range[1]);
  const double spikeyness = random.Uniform(spec.spikeyness_range[0], spec.spikeyness_range[1]);
  const std::int64_t count = random.Integer(spec.num_vertices_range[0], spec.num_vertices_range[1]);
  const std::span<Vec2> ring = storage.first(static_cast<std::size_t>(count));

  // Angle steps wait in x until their vertex is made.
  const double mean_step = kTwoPi / static_cast<double>(count);
  const double spread = irregularity * mean_step;
  double sum = 0.0;
  for (Vec2& vertex : ring) {
    vertex.x = random.Uniform(mean_step - spread, mean_step + spread);
    sum += vertex.x;
  }
  const double scale = kTwoPi / sum;  // the steps shall close the turn
  double angle = random.Uniform(0.0, kTwoPi);
  for (Vec2& vertex : ring) {
    const double step = scale * vertex.x;
    const double wish = radius + spikeyness * radius * random.Normal();
    const double distance = std::min(2.0 * radius, std::max(0.0, wish));
    const SinCosPair direction = SinCos(angle);
    vertex = {center_x + distance * direction.cos, center_y + distance * direction.sin};
    angle += step;
  }
  return ring;
}

ShapeView Draw(const Shape& shape, RandomSequence&, std::span<Vec2>) { return shape.view(); }

ShapeView Draw(const RandomCircle& spec, RandomSequence& random, std::span<Vec2>) {
  const double radius = random.Uniform(spec.radius_min, spec.radius_max);
  return {ShapeKind::kCircle, spec.center, radius, radius, spec.center, {}};
}

ShapeView Draw(const RandomPolygon& spec, RandomSequence& random, std::span<Vec2> storage) {
  std::span<Vec2> vertices = DrawVertices(spec, random, storage);
  Vec2 centroid;
  if (spec.kind == ShapeKind::kPolygon) {
    vertices = KeepDistinct(vertices);
    // Spikes may cross: then the bounding box takes the place of the ring, as for given polygons.
    if (!IsSimpleDistinctRing(vertices)) {
      const std::array<Vec2, 4> corners = BoxCorners(vertices);
      vertices = storage.first(corners.size());
      std::copy(corners.begin(), corners.end(), vertices.begin());
    }
    centroid = RingCentroid(vertices);
  } else {
    centroid = ChainCentroid(vertices);
  }
  return {spec.kind, {}, 0.0, MinimumBoundingRadius(vertices), centroid, vertices};
}

}  // namespace

Shape MakeCircle(Vec2 center, double radius) {
  assert(radius > 0.0);
  return {ShapeKind::kCircle, center, radius, radius, center, {}};
}

Shape MakePolygon(std::vector<Vec2> ring) {
  ring.resize(KeepDistinct(ring).size());
  assert(ring.size() >= 3);
  const double radius = MinimumBoundingRadius(ring);
  const Vec2 centroid = RingCentroid(ring);
  return {ShapeKind::kPolygon, {}, 0.0, radius, centroid, std::move(ring)};
}

Shape MakePolyline(std::vector<Vec2> chain) {
  assert(chain.size() >= 2);
  const double radius = MinimumBoundingRadius(chain);
  const Vec2 centroid = ChainCentroid(chain);
  return {ShapeKind::kPolyline, {}, 0.0, radius, centroid, std::move(chain)};
}

Shape MakeRectangle(double length, double width, double wheelbase) {
  const double min_x = wheelbase > 0.0 ? -0.5 * (length - wheelbase) : -0.5 * length;
  const double max_x = min_x + length;
  const double half_width = 0.5 * width;
  return MakePolygon(
      {{min_x, -half_width}, {max_x, -half_width}, {max_x, half_width}, {min_x, half_width}});
}

bool IsSimpleRing(std::span<const Vec2> ring) {
  std::vector<Vec2> copy(ring.begin(), ring.end());
  return IsSimpleDistinctRing(KeepDistinct(copy));
}

std::vector<Vec2> BoundingBoxRing(std::span<const Vec2> ring) {
  const std::array<Vec2, 4> corners = BoxCorners(ring);
  return {corners.begin(), corners.end()};
}

std::size_t MaxVertices(const ShapeSpec& spec) {
  if (const Shape* shape = std::get_if<Shape>(&spec)) return shape->vertices.size();
  const RandomPolygon* polygon = std::get_if<RandomPolygon>(&spec);
  if (polygon == nullptr) return 0;
  // A ring that crosses itself becomes a box of four corners.
  constexpr std::size_t kBoxCorners = 4;
  return std::max(static_cast<std::size_t>(polygon->num_vertices_range[1] - 1), kBoxCorners);
}

ShapeView DrawShape(const ShapeSpec& spec, RandomSequence& random, std::span<Vec2> storage) {
  return std::visit([&](const auto& kind) { return Draw(kind, random, storage); }, spec);
}

double MinimumBoundingRadius(std::span<const Vec2> points) {
  if (points.empty()) return 0.0;
  // Welzl's incremental construction (1991) without the shuffle: the shapes have few vertices.
  Disc disc{points[0], 0.0};
  for (std::size_t i = 1; i < points.size(); ++i) {
    if (!Contains(disc, points[i])) disc = SmallestDiscWith(points.first(i), points[i]);
  }
  return std::sqrt(disc.square_radius);
}

}  // namespace planarium
