#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "physics/random.h"
#include "physics/types.h"

namespace planarium {

enum class ShapeKind : std::uint8_t {
  kCircle,    ///< exact circle (IR-SIM: inscribed 64-gon)
  kPolygon,   ///< filled ring, possibly non-convex
  kPolyline,  ///< open chain of segments ("linestring"); closed only if the first vertex is
              ///< repeated
};

/// Body-frame geometry seen through spans: what placement, collision, rays and behaviors read.
struct ShapeView {
  ShapeKind kind = ShapeKind::kCircle;
  Vec2 center;          ///< [m] circle: centre in the body frame; else (0, 0)
  double radius = 0.0;  ///< [m] circle: radius; else 0
  double bounding_radius =
      0.0;  ///< [m] radius of the minimum bounding circle (free-floating, not about the origin)
  Vec2 centroid;  ///< [m] area centroid (polyline: length-weighted) in the body frame
  std::span<const Vec2> vertices;  ///< [m] (n) polygon ring without a repeated first vertex, or
                                   ///< polyline; empty for a circle
};

/// A shape that owns its vertices.
struct Shape {
  ShapeKind kind = ShapeKind::kCircle;
  Vec2 center;
  double radius = 0.2;
  double bounding_radius = 0.2;
  Vec2 centroid;
  std::vector<Vec2> vertices;

  ShapeView view() const { return {kind, center, radius, bounding_radius, centroid, vertices}; }
};

/// A circle whose radius is one uniform draw. [m]
struct RandomCircle {
  double radius_min = 0.1;
  double radius_max = 1.0;
  Vec2 center;
};

/// IR-SIM's random polygon (spec section 4.1). All ranges are [low, high).
struct RandomPolygon {
  ShapeKind kind =
      ShapeKind::kPolygon;  ///< kPolygon or kPolyline (an open chain of the drawn vertices)
  std::array<double, 4> center_range{0.0, 0.0, 0.0, 0.0};  ///< [m] min x, min y, max x, max y
  std::array<double, 2> avg_radius_range{0.1, 1.0};        ///< [m]
  std::array<double, 2> irregularity_range{0.0, 1.0};      ///< [-] within [0, 1]
  std::array<double, 2> spikeyness_range{0.0, 1.0};        ///< [-] within [0, 1]
  std::array<int, 2> num_vertices_range{4, 10};            ///< upper bound excluded
};

/// How an object gets its shape: given once, or drawn anew for each episode.
using ShapeSpec = std::variant<Shape, RandomCircle, RandomPolygon>;

/// Makers derive bounding radius and centroid. REQUIRES: finite input; radius > 0; polygon >= 3 and
/// polyline >= 2 vertices.
Shape MakeCircle(Vec2 center, double radius);
Shape MakePolygon(std::vector<Vec2> ring);
Shape MakePolyline(std::vector<Vec2> chain);
/// Rectangle with its origin in the middle, or, with wheelbase L > 0, at the rear axle: x from
/// -(length - L)/2.
Shape MakeRectangle(double length, double width, double wheelbase = 0.0);

/// True when no two non-adjacent edges of the ring meet and its area is positive.
bool IsSimpleRing(std::span<const Vec2> ring);
/// IR-SIM's repair of an invalid ring: its bounding box as a rectangle polygon (counter-clockwise).
std::vector<Vec2> BoundingBoxRing(std::span<const Vec2> ring);

/// Largest number of vertices that `spec` can have; 0 for circles. Sizes the batch memory.
std::size_t MaxVertices(const ShapeSpec& spec);

/// Shape of one episode. Fixed shapes return a view of `spec`; random ones draw from `random` and
/// put vertices into `storage`. REQUIRES: storage.size() >= MaxVertices(spec) for random shapes;
/// `storage` outlives the view. Never allocates.
ShapeView DrawShape(const ShapeSpec& spec, RandomSequence& random, std::span<Vec2> storage);

/// Minimum bounding circle radius of points (Welzl). [m]
double MinimumBoundingRadius(std::span<const Vec2> points);

}  // namespace planarium
