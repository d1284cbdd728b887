#include "physics/placed_shape.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "physics/math.h"

namespace planarium {
namespace {

// A shape placed in the world together with the memory it needs.
struct Body {
  Body(Shape body_shape, const Pose2& pose)
      : shape(std::move(body_shape)),
        storage(shape.vertices.size()),
        placed(Place(shape.view(), pose, storage)) {}
  Body(const Body&) = delete;
  Body& operator=(const Body&) = delete;

  Shape shape;
  std::vector<Vec2> storage;
  PlacedShape placed;
};

Shape Square(double side) { return MakeRectangle(side, side); }

// A U open to +y: outer 3 x 3 with a notch 1 wide and 2 deep, lower left corner at the origin.
Shape NotchedSquare() {
  return MakePolygon({{0, 0}, {3, 0}, {3, 3}, {2, 3}, {2, 1}, {1, 1}, {1, 3}, {0, 3}});
}

bool Meet(const Body& a, const Body& b) {
  EXPECT_EQ(Intersects(a.placed, b.placed), Intersects(b.placed, a.placed));
  EXPECT_EQ(Distance(a.placed, b.placed), Distance(b.placed, a.placed));
  EXPECT_EQ(Intersects(a.placed, b.placed), Distance(a.placed, b.placed) == 0.0);
  return Intersects(a.placed, b.placed);
}

TEST(Place, RotatesAboutTheBodyOriginThenMoves) {
  const Body body(MakeRectangle(4.0, 2.0, 2.0), {10.0, 20.0, kPi / 2.0});
  // rear left corner (-1, 1) goes to (-1, -1) about the axle
  EXPECT_NEAR(body.placed.vertices[3].x, 9.0, 1e-12);
  EXPECT_NEAR(body.placed.vertices[3].y, 19.0, 1e-12);
  EXPECT_NEAR(body.placed.centroid.x, 10.0, 1e-12);
  EXPECT_NEAR(body.placed.centroid.y, 21.0, 1e-12);
}

TEST(Place, MovesTheOffsetCenterOfACircle) {
  const Body body(MakeCircle({1.0, 0.0}, 0.5), {2.0, 3.0, kPi});
  EXPECT_NEAR(body.placed.center.x, 1.0, 1e-12);
  EXPECT_NEAR(body.placed.center.y, 3.0, 1e-12);
  EXPECT_EQ(body.placed.radius, 0.5);
  EXPECT_TRUE(body.placed.vertices.empty());
}

TEST(Place, BoxesAreTight) {
  const Body square(Square(2.0), {1.0, 1.0, kPi / 4.0});
  EXPECT_NEAR(square.placed.box.min_x, 1.0 - std::sqrt(2.0), 1e-12);
  EXPECT_NEAR(square.placed.box.max_y, 1.0 + std::sqrt(2.0), 1e-12);
  const Body circle(MakeCircle({}, 0.25), {1.0, 2.0, 1.0});
  EXPECT_EQ(circle.placed.box.min_x, 0.75);
  EXPECT_EQ(circle.placed.box.max_x, 1.25);
  EXPECT_EQ(circle.placed.box.min_y, 1.75);
  EXPECT_EQ(circle.placed.box.max_y, 2.25);
}

TEST(Intersects, TouchingCirclesMeet) {
  const Body a(MakeCircle({}, 1.0), {0.0, 0.0, 0.0});
  EXPECT_TRUE(Meet(a, Body(MakeCircle({}, 0.5), {1.5, 0.0, 0.0})));
  EXPECT_FALSE(Meet(a, Body(MakeCircle({}, 0.5), {1.5 + 1e-9, 0.0, 0.0})));
  EXPECT_TRUE(Meet(a, Body(MakeCircle({}, 0.1), {0.2, 0.1, 0.0})));
}

TEST(Intersects, CirclesAreRoundAndNot64Gons) {
  // between two corners of the inscribed 64-gon the rim lies 0.0012 further out
  const double angle = kPi / 64.0;
  const Body a(MakeCircle({}, 1.0), {});
  const Body b(MakeCircle({}, 0.001), {1.0005 * std::cos(angle), 1.0005 * std::sin(angle), 0.0});
  EXPECT_TRUE(Meet(a, b));
}

TEST(Intersects, TouchingSquaresMeetAtEdgesAndCorners) {
  const Body a(Square(2.0), {});
  EXPECT_TRUE(Meet(a, Body(Square(2.0), {2.0, 0.0, 0.0})));
  EXPECT_TRUE(Meet(a, Body(Square(2.0), {2.0, 2.0, 0.0})));
  EXPECT_FALSE(Meet(a, Body(Square(2.0), {2.0, 2.0 + 1e-9, 0.0})));
  EXPECT_TRUE(Meet(a, Body(Square(1.0), {0.2, 0.1, 0.3})));  // containment
  EXPECT_TRUE(Meet(a, Body(Square(2.0), {})));               // the very same square
}

TEST(Intersects, CrossingBarsMeetWithoutACornerInsideTheOther) {
  EXPECT_TRUE(Meet(Body(MakeRectangle(4.0, 0.2), {}), Body(MakeRectangle(0.2, 4.0), {})));
}

TEST(Intersects, CircleTouchesEdgeAndCornerOfASquare) {
  const Body square(Square(2.0), {});
  EXPECT_TRUE(Meet(square, Body(MakeCircle({}, 0.5), {1.5, 0.3, 0.0})));
  EXPECT_FALSE(Meet(square, Body(MakeCircle({}, 0.5), {1.5 + 1e-9, 0.3, 0.0})));
  EXPECT_TRUE(Meet(square, Body(MakeCircle({}, 0.5), {1.3, 1.4, 0.0})));
  EXPECT_FALSE(Meet(square, Body(MakeCircle({}, 0.5), {1.4, 1.4, 0.0})));
}

TEST(Intersects, ContainmentOfCirclesAndPolygonsCounts) {
  EXPECT_TRUE(Meet(Body(Square(4.0), {}), Body(MakeCircle({}, 0.1), {1.0, -1.0, 0.0})));
  EXPECT_TRUE(Meet(Body(Square(0.1), {0.5, 0.0, 0.0}), Body(MakeCircle({}, 2.0), {})));
}

TEST(Intersects, NotchOfANonConvexPolygonIsEmpty) {
  const Body notched(NotchedSquare(), {});
  EXPECT_FALSE(Meet(notched, Body(MakeCircle({}, 0.4), {1.5, 2.0, 0.0})));
  EXPECT_TRUE(Meet(notched, Body(MakeCircle({}, 0.5), {1.5, 2.0, 0.0})));
  EXPECT_FALSE(Meet(notched, Body(Square(0.8), {1.5, 2.0, 0.0})));
  EXPECT_TRUE(Meet(notched, Body(Square(0.8), {1.5, 1.2, 0.0})));
  EXPECT_FALSE(Meet(notched, Body(MakePolyline({{1.5, 1.1}, {1.5, 9.0}}), {})));
  EXPECT_TRUE(Meet(notched, Body(MakeCircle({}, 0.1), {0.5, 2.0, 0.0})));  // inside an arm
}

TEST(Intersects, PolylinesAreBareLines) {
  const Body ring(MakePolyline({{0, 0}, {4, 0}, {4, 4}, {0, 4}, {0, 0}}), {});
  EXPECT_FALSE(Meet(ring, Body(MakeCircle({}, 0.5), {2.0, 2.0, 0.0})));
  EXPECT_FALSE(Meet(ring, Body(Square(1.0), {2.0, 2.0, 0.0})));
  EXPECT_TRUE(Meet(ring, Body(Square(9.0), {2.0, 2.0, 0.0})));  // lies inside the solid square
  EXPECT_TRUE(Meet(ring, Body(MakeCircle({}, 2.0), {2.0, 2.0, 0.0})));
}

TEST(Intersects, OpenPolylineHasNoClosingEdge) {
  const Body open(MakePolyline({{0, 0}, {4, 0}, {4, 4}, {0, 4}}), {});
  EXPECT_FALSE(Meet(open, Body(MakeCircle({}, 0.5), {0.0, 2.0, 0.0})));
  const Body closed(MakePolygon({{0, 0}, {4, 0}, {4, 4}, {0, 4}}), {});
  EXPECT_TRUE(Meet(closed, Body(MakeCircle({}, 0.5), {0.0, 2.0, 0.0})));
}

TEST(Intersects, PolylinesMeetWhereTheyCrossTouchOrOverlap) {
  const Body line(MakePolyline({{0, 0}, {4, 0}}), {});
  EXPECT_TRUE(Meet(line, Body(MakePolyline({{1, -1}, {1, 1}}), {})));
  EXPECT_TRUE(Meet(line, Body(MakePolyline({{1, 0}, {1, 1}}), {})));
  EXPECT_TRUE(Meet(line, Body(MakePolyline({{3, 0}, {9, 0}}), {})));
  EXPECT_TRUE(Meet(line, Body(MakePolyline({{4, 0}, {9, 5}}), {})));
  EXPECT_FALSE(Meet(line, Body(MakePolyline({{4.5, 0}, {9, 0}}), {})));
  EXPECT_FALSE(Meet(line, Body(MakePolyline({{1, 1e-9}, {1, 1}}), {})));
}

TEST(Intersects, UprightSegmentsMeetEndToEndAndAtTheirSides) {
  const Body upright(MakePolyline({{0, 0}, {0, 4}}), {});
  EXPECT_TRUE(Meet(upright, Body(MakePolyline({{0, 4}, {0, 9}}), {})));
  EXPECT_TRUE(Meet(upright, Body(MakePolyline({{0, -3}, {0, 1}}), {})));
  EXPECT_TRUE(Meet(upright, Body(MakePolyline({{-1, 2}, {0, 2}}), {})));
  EXPECT_TRUE(Meet(upright, Body(MakePolyline({{0, 2}, {1, 2}}), {})));
  EXPECT_FALSE(Meet(upright, Body(MakePolyline({{0, 4.5}, {0, 9}}), {})));
}

TEST(Distance, ClosedFormsHold) {
  const Body circle(MakeCircle({}, 1.0), {});
  EXPECT_DOUBLE_EQ(Distance(circle.placed, Body(MakeCircle({}, 0.5), {3.0, 4.0, 0.0}).placed), 3.5);
  const Body square(Square(2.0), {});
  EXPECT_DOUBLE_EQ(Distance(square.placed, Body(MakeCircle({}, 0.5), {4.0, 5.0, 0.0}).placed), 4.5);
  EXPECT_DOUBLE_EQ(Distance(square.placed, Body(Square(2.0), {5.0, 6.0, 0.0}).placed), 5.0);
  const Body line(MakePolyline({{3, -5}, {3, 5}}), {});
  EXPECT_DOUBLE_EQ(Distance(square.placed, line.placed), 2.0);
}

TEST(Distance, PointToSegmentHasThreeCases) {
  EXPECT_EQ(PointSegmentDistance({1.0, 2.0}, {0.0, 0.0}, {4.0, 0.0}), 2.0);
  EXPECT_EQ(PointSegmentDistance({-3.0, 4.0}, {0.0, 0.0}, {4.0, 0.0}), 5.0);
  EXPECT_EQ(PointSegmentDistance({7.0, -4.0}, {0.0, 0.0}, {4.0, 0.0}), 5.0);
  EXPECT_EQ(PointSegmentDistance({3.0, 4.0}, {0.0, 0.0}, {0.0, 0.0}), 5.0);
  EXPECT_EQ(PointSegmentDistance({2.0, 0.0}, {0.0, 0.0}, {4.0, 0.0}), 0.0);
}

TEST(IsNear, MarginIsClosedAndInsideIsNear) {
  const Body square(Square(2.0), {});
  EXPECT_TRUE(IsNear(square.placed, {0.2, 0.3}, 0.0));
  EXPECT_TRUE(IsNear(square.placed, {1.5, 0.0}, 0.5));
  EXPECT_FALSE(IsNear(square.placed, {1.5 + 1e-9, 0.0}, 0.5));
  const Body circle(MakeCircle({}, 1.0), {});
  EXPECT_TRUE(IsNear(circle.placed, {1.5, 0.0}, 0.5));
  EXPECT_FALSE(IsNear(circle.placed, {1.5 + 1e-9, 0.0}, 0.5));
  const Body ring(MakePolyline({{0, 0}, {4, 0}, {4, 4}, {0, 4}, {0, 0}}), {});
  EXPECT_FALSE(IsNear(ring.placed, {2.0, 2.0}, 1.0));
}

// Random shapes for the oracles: every kind, convex or not.
Shape RandomShape(RandomSequence& random) {
  const std::int64_t kind = random.Integer(0, 4);
  if (kind == 0) return MakeCircle({random.Uniform(-0.3, 0.3), 0.0}, random.Uniform(0.1, 1.0));
  if (kind == 1) return MakeRectangle(random.Uniform(0.1, 3.0), random.Uniform(0.1, 2.0));
  RandomPolygon spec;
  spec.kind = kind == 2 ? ShapeKind::kPolygon : ShapeKind::kPolyline;
  std::vector<Vec2> storage(MaxVertices(spec));
  const ShapeView view = DrawShape(spec, random, storage);
  std::vector<Vec2> vertices(view.vertices.begin(), view.vertices.end());
  return kind == 2 ? MakePolygon(std::move(vertices)) : MakePolyline(std::move(vertices));
}

Pose2 RandomPose(RandomSequence& random) {
  return {random.Uniform(-1.5, 1.5), random.Uniform(-1.5, 1.5), random.Uniform(-4.0, 4.0)};
}

// Sum of the angles under which the edges appear from p: a whole turn from inside. Slow and
// different from the crossing number of the code under test.
bool IsInsideByWinding(const PlacedShape& shape, Vec2 p) {
  if (shape.kind == ShapeKind::kPolyline) return false;
  if (shape.kind == ShapeKind::kCircle) {
    return std::hypot(p.x - shape.center.x, p.y - shape.center.y) <= shape.radius;
  }
  double turn = 0.0;
  for (std::size_t i = 0; i < shape.vertices.size(); ++i) {
    const Vec2 a = shape.vertices[i] - p;
    const Vec2 b = shape.vertices[(i + 1) % shape.vertices.size()] - p;
    turn += std::atan2(Cross(a, b), Dot(a, b));
  }
  return std::fabs(turn) > kPi;
}

// Points spread over the boundary, and over the inside by a grid.
std::vector<Vec2> SamplePoints(const PlacedShape& shape) {
  constexpr int kPerEdge = 40;
  std::vector<Vec2> points;
  const std::size_t count = shape.vertices.size();
  const std::size_t edges = shape.kind == ShapeKind::kPolyline ? count - 1 : count;
  for (std::size_t i = 0; i < edges; ++i) {
    for (int k = 0; k <= kPerEdge; ++k) {
      const Vec2 edge = shape.vertices[(i + 1) % count] - shape.vertices[i];
      points.push_back(shape.vertices[i] + static_cast<double>(k) / kPerEdge * edge);
    }
  }
  for (int k = 0; shape.kind == ShapeKind::kCircle && k < 8 * kPerEdge; ++k) {
    const double angle = kTwoPi * k / (8.0 * kPerEdge);
    points.push_back(shape.center + shape.radius * Vec2{std::cos(angle), std::sin(angle)});
  }
  constexpr int kGrid = 15;
  for (int k = 0; k < kGrid * kGrid; ++k) {
    const double fx = (k % kGrid + 0.5) / kGrid;
    const double fy = (k / kGrid + 0.5) / kGrid;
    const Vec2 p{shape.box.min_x + fx * (shape.box.max_x - shape.box.min_x),
                 shape.box.min_y + fy * (shape.box.max_y - shape.box.min_y)};
    if (IsInsideByWinding(shape, p)) points.push_back(p);
  }
  return points;
}

// Smallest distance of two point sets; 0 when a point of one lies inside the other shape.
double SampledDistance(const PlacedShape& a, const PlacedShape& b) {
  const std::vector<Vec2> a_points = SamplePoints(a);
  const std::vector<Vec2> b_points = SamplePoints(b);
  const auto within = [](const PlacedShape& shape) {
    return [&shape](Vec2 p) { return IsInsideByWinding(shape, p); };
  };
  if (std::any_of(a_points.begin(), a_points.end(), within(b))) return 0.0;
  if (std::any_of(b_points.begin(), b_points.end(), within(a))) return 0.0;
  double nearest = std::numeric_limits<double>::infinity();
  for (const Vec2 p : a_points) {
    for (const Vec2 q : b_points) nearest = std::min(nearest, Dot(p - q, p - q));
  }
  return std::sqrt(nearest);
}

TEST(Oracle, DistanceAgreesWithDenselySampledShapes) {
  RandomSequence random(1, Stream::kShape, 0, 0);
  int apart = 0;
  int together = 0;
  for (int round = 0; round < 400; ++round) {
    const Body a(RandomShape(random), RandomPose(random));
    const Body b(RandomShape(random), RandomPose(random));
    const double sampled = SampledDistance(a.placed, b.placed);
    const double distance = Distance(a.placed, b.placed);
    // Points between the samples can only be nearer, by less than two halves of a spacing.
    constexpr double kSpacing = 0.1;
    EXPECT_LE(distance, sampled + 1e-9) << round;
    EXPECT_GE(distance, sampled - kSpacing) << round;
    if (sampled == 0.0) {
      EXPECT_TRUE(Intersects(a.placed, b.placed)) << round;
    }
    if (sampled > kSpacing) {
      EXPECT_FALSE(Intersects(a.placed, b.placed)) << round;
    }
    ++(Meet(a, b) ? together : apart);
  }
  EXPECT_GT(apart, 80);
  EXPECT_GT(together, 80);
}

TEST(Oracle, IsNearAgreesWithWindingAndDistanceToSamples) {
  RandomSequence random(2, Stream::kShape, 0, 0);
  for (int round = 0; round < 400; ++round) {
    const Body body(RandomShape(random), RandomPose(random));
    const Vec2 p{random.Uniform(-3.0, 3.0), random.Uniform(-3.0, 3.0)};
    const double margin = random.Uniform(0.0, 1.0);
    double nearest = IsInsideByWinding(body.placed, p) ? 0.0 : 1e9;
    for (const Vec2 q : SamplePoints(body.placed)) {
      nearest = std::min(nearest, std::hypot(p.x - q.x, p.y - q.y));
    }
    constexpr double kSpacing = 0.05;
    if (nearest <= margin) {
      EXPECT_TRUE(IsNear(body.placed, p, margin)) << round;
    }
    if (nearest > margin + kSpacing) {
      EXPECT_FALSE(IsNear(body.placed, p, margin)) << round;
    }
  }
}

TEST(Property, ShapesMovedByLessThanTheirDistanceStayApart) {
  RandomSequence random(3, Stream::kShape, 0, 0);
  for (int round = 0; round < 2000; ++round) {
    const Shape shape = RandomShape(random);
    const Body a(RandomShape(random), RandomPose(random));
    const Pose2 pose = RandomPose(random);
    const double distance = Distance(a.placed, Body(shape, pose).placed);
    if (distance == 0.0) continue;
    const double angle = random.Uniform(0.0, kTwoPi);
    const double reach = 0.999 * distance;
    const Pose2 moved{pose.x + reach * std::cos(angle), pose.y + reach * std::sin(angle),
                      pose.theta};
    EXPECT_FALSE(Meet(a, Body(shape, moved))) << round;
  }
}

TEST(Property, ShapesWhoseBoxesAreApartNeverMeet) {
  RandomSequence random(4, Stream::kShape, 0, 0);
  for (int round = 0; round < 2000; ++round) {
    const Body a(RandomShape(random), RandomPose(random));
    const Body b(RandomShape(random), RandomPose(random));
    if (!Overlaps(a.placed.box, b.placed.box)) {
      EXPECT_FALSE(Meet(a, b)) << round;
    }
  }
}

TEST(Property, DirectionOfARingDoesNotMatter) {
  RandomSequence random(5, Stream::kShape, 0, 0);
  for (int round = 0; round < 500; ++round) {
    RandomPolygon spec;
    std::vector<Vec2> storage(MaxVertices(spec));
    const ShapeView view = DrawShape(spec, random, storage);
    const std::vector<Vec2> ring(view.vertices.begin(), view.vertices.end());
    const std::vector<Vec2> reversed(ring.rbegin(), ring.rend());
    const Pose2 pose = RandomPose(random);
    const Body other(RandomShape(random), RandomPose(random));
    EXPECT_EQ(Meet(Body(MakePolygon(ring), pose), other),
              Meet(Body(MakePolygon(reversed), pose), other))
        << round;
  }
}

}  // namespace
}  // namespace planarium
