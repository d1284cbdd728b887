#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

/// Basic value types. Units everywhere: metres, radians, seconds, kilograms; double precision.
/// Frames follow ROS REP-103: x forward, y left, angles counter-clockwise.
namespace planarium {

/// A point or vector in the plane. [m]
struct Vec2 {
  double x = 0.0;
  double y = 0.0;

  friend constexpr Vec2 operator+(Vec2 a, Vec2 b) { return {a.x + b.x, a.y + b.y}; }
  friend constexpr Vec2 operator-(Vec2 a, Vec2 b) { return {a.x - b.x, a.y - b.y}; }
  friend constexpr Vec2 operator*(double s, Vec2 a) { return {s * a.x, s * a.y}; }
  friend constexpr bool operator==(Vec2 a, Vec2 b) = default;
};

/// Scalar product. [m^2]
constexpr double Dot(Vec2 a, Vec2 b) { return a.x * b.x + a.y * b.y; }
/// z component of the cross product a x b.
constexpr double Cross(Vec2 a, Vec2 b) { return a.x * b.y - a.y * b.x; }

/// Pose of a body in the world frame. [m, m, rad]
struct Pose2 {
  double x = 0.0;
  double y = 0.0;
  double theta = 0.0;
};

/// World-frame velocity of a body. [m/s, m/s, rad/s]
struct Twist2 {
  double vx = 0.0;
  double vy = 0.0;
  double omega = 0.0;
};

/// Axis-aligned box, closed on all sides. The default box is empty. [m]
struct Aabb {
  double min_x = std::numeric_limits<double>::infinity();
  double min_y = std::numeric_limits<double>::infinity();
  double max_x = -std::numeric_limits<double>::infinity();
  double max_y = -std::numeric_limits<double>::infinity();

  constexpr void Include(Vec2 p) {
    min_x = std::min(min_x, p.x);
    min_y = std::min(min_y, p.y);
    max_x = std::max(max_x, p.x);
    max_y = std::max(max_y, p.y);
  }
};

/// True when the boxes share at least one point (touching counts).
constexpr bool Overlaps(const Aabb& a, const Aabb& b) {
  return a.min_x <= b.max_x && b.min_x <= a.max_x && a.min_y <= b.max_y && b.min_y <= a.max_y;
}

}  // namespace planarium
