#pragma once

#include <algorithm>

#include "physics/types.h"

namespace planarium {

/// A closed line segment; may be a point. [m]
struct Segment {
  Vec2 a;
  Vec2 b;
};

/// Positive when the corner abc turns left, zero when the three points lie on a line. [m^2]
constexpr double Turn(Vec2 a, Vec2 b, Vec2 c) { return Cross(b - a, c - a); }

/// True when r, known to lie on the line through the segment, lies on the segment.
constexpr bool IsBetween(Segment s, Vec2 r) {
  return std::min(s.a.x, s.b.x) <= r.x && r.x <= std::max(s.a.x, s.b.x) &&
         std::min(s.a.y, s.b.y) <= r.y && r.y <= std::max(s.a.y, s.b.y);
}

/// True when two segments share a point: crossing, touching or lying over each other.
constexpr bool SegmentsMeet(Segment s, Segment t) {
  const double ta_side = Turn(s.a, s.b, t.a);
  const double tb_side = Turn(s.a, s.b, t.b);
  const double sa_side = Turn(t.a, t.b, s.a);
  const double sb_side = Turn(t.a, t.b, s.b);
  const bool t_crosses = (ta_side > 0.0 && tb_side < 0.0) || (ta_side < 0.0 && tb_side > 0.0);
  const bool s_crosses = (sa_side > 0.0 && sb_side < 0.0) || (sa_side < 0.0 && sb_side > 0.0);
  if (t_crosses && s_crosses) return true;
  return (ta_side == 0.0 && IsBetween(s, t.a)) || (tb_side == 0.0 && IsBetween(s, t.b)) ||
         (sa_side == 0.0 && IsBetween(t, s.a)) || (sb_side == 0.0 && IsBetween(t, s.b));
}

/// Square of the distance from p to the nearest point of the segment. [m^2]
constexpr double SquareDistance(Vec2 p, Segment s) {
  const Vec2 along = s.b - s.a;
  const Vec2 offset = p - s.a;
  const double square = Dot(along, along);
  if (square == 0.0) return Dot(offset, offset);
  const double t = std::clamp(Dot(offset, along) / square, 0.0, 1.0);
  const Vec2 rest = offset - t * along;
  return Dot(rest, rest);
}

/// Square of the distance between two segments that do not meet: one of them is nearest at an end.
/// [m^2]
constexpr double SquareDistance(Segment s, Segment t) {
  return std::min(std::min(SquareDistance(s.a, t), SquareDistance(s.b, t)),
                  std::min(SquareDistance(t.a, s), SquareDistance(t.b, s)));
}

}  // namespace planarium
