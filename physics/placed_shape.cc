#include "physics/placed_shape.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <limits>

#include "physics/math.h"
#include "physics/segment.h"

namespace planarium {
namespace {

// Edges of a ring or chain; a polyline of one vertex and a circle have none.
std::size_t EdgeCount(const PlacedShape& shape) {
  const std::size_t n = shape.vertices.size();
  return shape.kind == ShapeKind::kPolygon || n == 0 ? n : n - 1;
}

Segment EdgeOf(const PlacedShape& shape, std::size_t i) {
  const std::size_t next = i + 1 == shape.vertices.size() ? 0 : i + 1;
  return {shape.vertices[i], shape.vertices[next]};
}

// Square of the distance from p to the nearest edge; infinity without edges.
double SquareDistanceToEdges(const PlacedShape& shape, Vec2 p) {
  double nearest = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < EdgeCount(shape); ++i) {
    nearest = std::min(nearest, SquareDistance(p, EdgeOf(shape, i)));
  }
  return nearest;
}

// Crossing number of the ray from p along +x. Points on the boundary may fall either way: callers
// test the edges as well.
bool IsInside(const PlacedShape& shape, Vec2 p) {
  if (shape.kind != ShapeKind::kPolygon) return false;
  bool inside = false;
  for (std::size_t i = 0; i < EdgeCount(shape); ++i) {
    const Segment edge = EdgeOf(shape, i);
    if ((edge.a.y > p.y) == (edge.b.y > p.y)) continue;
    const double turn = Turn(edge.a, edge.b, p);
    if ((turn > 0.0) == (edge.b.y > edge.a.y)) inside = !inside;
  }
  return inside;
}

bool AnyEdgesMeet(const PlacedShape& a, const PlacedShape& b) {
  for (std::size_t i = 0; i < EdgeCount(a); ++i) {
    for (std::size_t j = 0; j < EdgeCount(b); ++j) {
      if (SegmentsMeet(EdgeOf(a, i), EdgeOf(b, j))) return true;
    }
  }
  return false;
}

double SquareDistanceBetweenEdges(const PlacedShape& a, const PlacedShape& b) {
  double nearest = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < EdgeCount(a); ++i) {
    for (std::size_t j = 0; j < EdgeCount(b); ++j) {
      nearest = std::min(nearest, SquareDistance(EdgeOf(a, i), EdgeOf(b, j)));
    }
  }
  return nearest;
}

bool CirclesMeet(const PlacedShape& a, const PlacedShape& b) {
  const Vec2 offset = b.center - a.center;
  const double reach = a.radius + b.radius;
  return Dot(offset, offset) <= reach * reach;
}

// Whether some edge comes within `radius` of p.
bool AnyEdgeNear(const PlacedShape& shape, Vec2 p, double radius) {
  const double reach = 1.000001 * radius;  // wider than any rounding, it spares most divisions
  for (std::size_t i = 0; i < EdgeCount(shape); ++i) {
    const Segment edge = EdgeOf(shape, i);
    if (std::min(edge.a.x, edge.b.x) > p.x + reach || std::max(edge.a.x, edge.b.x) < p.x - reach ||
        std::min(edge.a.y, edge.b.y) > p.y + reach || std::max(edge.a.y, edge.b.y) < p.y - reach) {
      continue;
    }
    if (SquareDistance(p, edge) <= radius * radius) return true;
  }
  return false;
}

bool CircleMeets(const PlacedShape& circle, const PlacedShape& other) {
  return IsInside(other, circle.center) || AnyEdgeNear(other, circle.center, circle.radius);
}

}  // namespace

PlacedShape Place(const ShapeView& shape, const Pose2& pose, std::span<Vec2> storage) {
  assert(storage.size() >= shape.vertices.size());
  PlacedShape placed;
  const SinCosPair turn = placed.heading = SinCos(pose.theta);
  const auto to_world = [&](Vec2 p) {
    return Vec2{turn.cos * p.x - turn.sin * p.y + pose.x, turn.sin * p.x + turn.cos * p.y + pose.y};
  };
  placed.kind = shape.kind;
  placed.centroid = to_world(shape.centroid);
  if (shape.kind == ShapeKind::kCircle) {
    placed.center = to_world(shape.center);
    placed.radius = shape.radius;
    placed.box.Include({placed.center.x - shape.radius, placed.center.y - shape.radius});
    placed.box.Include({placed.center.x + shape.radius, placed.center.y + shape.radius});
    return placed;
  }
  for (std::size_t i = 0; i < shape.vertices.size(); ++i) {
    storage[i] = to_world(shape.vertices[i]);
    placed.box.Include(storage[i]);
  }
  placed.vertices = storage.first(shape.vertices.size());
  return placed;
}

bool Intersects(const PlacedShape& a, const PlacedShape& b) {
  const bool a_round = a.kind == ShapeKind::kCircle;
  const bool b_round = b.kind == ShapeKind::kCircle;
  if (a_round && b_round) return CirclesMeet(a, b);
  if (a_round) return CircleMeets(a, b);
  if (b_round) return CircleMeets(b, a);
  // Without a common boundary point one shape holds all of the other or nothing of it.
  return AnyEdgesMeet(a, b) || IsInside(a, b.vertices[0]) || IsInside(b, a.vertices[0]);
}

double Distance(const PlacedShape& a, const PlacedShape& b) {
  if (Intersects(a, b)) return 0.0;
  const bool a_round = a.kind == ShapeKind::kCircle;
  const bool b_round = b.kind == ShapeKind::kCircle;
  double centers = 0.0;
  if (a_round && b_round) {
    centers = Hypot(b.center.x - a.center.x, b.center.y - a.center.y);
  } else if (a_round) {
    centers = std::sqrt(SquareDistanceToEdges(b, a.center));
  } else if (b_round) {
    centers = std::sqrt(SquareDistanceToEdges(a, b.center));
  } else {
    centers = std::sqrt(SquareDistanceBetweenEdges(a, b));
  }
  return std::max(0.0, centers - (a.radius + b.radius));  // radius 0 where there is no circle
}

bool IsNear(const PlacedShape& shape, Vec2 p, double margin) {
  if (shape.kind == ShapeKind::kCircle) {
    const Vec2 offset = p - shape.center;
    const double reach = shape.radius + margin;
    return Dot(offset, offset) <= reach * reach;
  }
  return IsInside(shape, p) || AnyEdgeNear(shape, p, margin);
}

double PointSegmentDistance(Vec2 p, Vec2 a, Vec2 b) {
  return std::sqrt(SquareDistance(p, Segment{a, b}));
}

}  // namespace planarium
