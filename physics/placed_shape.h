#pragma once

#include <span>

#include "physics/math.h"
#include "physics/shape.h"
#include "physics/types.h"

namespace planarium {

/// A shape in world coordinates at one pose: what narrow phase and ray casting read.
struct PlacedShape {
  ShapeKind kind = ShapeKind::kCircle;
  Vec2 center;                     ///< [m] circle centre
  double radius = 0.0;             ///< [m] circle radius
  Vec2 centroid;                   ///< [m] centroid
  std::span<const Vec2> vertices;  ///< [m] (n) world vertices; empty for a circle
  Aabb box;                        ///< tight bounding box
  SinCosPair heading;              ///< of the pose, for all who turn by it
};

/// p_world = R(theta) p_body + (x, y). REQUIRES: storage.size() >= shape.vertices.size(); storage
/// outlives the result.
PlacedShape Place(const ShapeView& shape, const Pose2& pose, std::span<Vec2> storage);

/// True when the two shapes share a point: touching counts, polygons are solid (containment
/// counts), polylines are bare lines. (spec irsim-sensors-contact 3.1, with exact circles)
bool Intersects(const PlacedShape& a, const PlacedShape& b);

/// Distance between the two shapes; 0 when they share a point. [m]
double Distance(const PlacedShape& a, const PlacedShape& b);

/// True when point p lies in the shape or within `margin` of it. [m]
bool IsNear(const PlacedShape& shape, Vec2 p, double margin);

/// Distance from p to segment ab. [m]
double PointSegmentDistance(Vec2 p, Vec2 a, Vec2 b);

}  // namespace planarium
