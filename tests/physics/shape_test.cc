#include "physics/shape.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "physics/math.h"

namespace planarium {
namespace {

RandomSequence ShapeDraws(std::uint64_t seed) { return {seed, Stream::kShape, 0, 0}; }

void ExpectPoint(Vec2 actual, Vec2 expected, double tolerance = 1e-12) {
  EXPECT_NEAR(actual.x, expected.x, tolerance);
  EXPECT_NEAR(actual.y, expected.y, tolerance);
}

double SignedArea(std::span<const Vec2> ring) {
  double area = 0.0;
  for (std::size_t i = 0; i < ring.size(); ++i) {
    area += 0.5 * Cross(ring[i], ring[(i + 1) % ring.size()]);
  }
  return area;
}

TEST(Shape, CircleKeepsItsCenterAndRadius) {
  const Shape shape = MakeCircle({0.3, -0.1}, 0.5);
  EXPECT_EQ(shape.kind, ShapeKind::kCircle);
  EXPECT_EQ(shape.radius, 0.5);
  EXPECT_EQ(shape.bounding_radius, 0.5);
  ExpectPoint(shape.centroid, {0.3, -0.1});
  EXPECT_TRUE(shape.vertices.empty());
}

TEST(Shape, RectangleStartsAtTheLowerLeftAndRunsCounterClockwise) {
  const Shape shape = MakeRectangle(2.0, 1.0);
  const std::vector<Vec2> expected{{-1.0, -0.5}, {1.0, -0.5}, {1.0, 0.5}, {-1.0, 0.5}};
  EXPECT_EQ(shape.vertices, expected);
  EXPECT_GT(SignedArea(shape.vertices), 0.0);
  EXPECT_DOUBLE_EQ(shape.bounding_radius, std::sqrt(1.25));
  ExpectPoint(shape.centroid, {0.0, 0.0});
}

TEST(Shape, RectangleWithWheelbaseStartsBehindTheAxle) {
  const Shape shape = MakeRectangle(4.6, 1.6, 3.0);
  EXPECT_DOUBLE_EQ(shape.vertices[0].x, -0.8);
  EXPECT_DOUBLE_EQ(shape.vertices[1].x, 3.8);
  EXPECT_DOUBLE_EQ(shape.vertices[2].y, 0.8);
  ExpectPoint(shape.centroid, {1.5, 0.0});
  EXPECT_DOUBLE_EQ(shape.bounding_radius, 0.5 * std::hypot(4.6, 1.6));
}

TEST(Shape, CentroidOfATriangleIsTheMeanOfItsCorners) {
  ExpectPoint(MakePolygon({{0.0, 0.0}, {3.0, 0.0}, {0.0, 6.0}}).centroid, {1.0, 2.0});
}

TEST(Shape, CentroidOfAnLIsThatOfItsTwoBoxes) {
  const Shape shape = MakePolygon({{0, 0}, {3, 0}, {3, 1}, {1, 1}, {1, 3}, {0, 3}});
  // areas 3 at (1.5, 0.5) and 2 at (0.5, 2)
  ExpectPoint(shape.centroid, {5.5 / 5.0, 5.5 / 5.0});
}

TEST(Shape, CentroidDoesNotDependOnTheDirectionOfTheRing) {
  std::vector<Vec2> ring{{0, 0}, {3, 0}, {3, 1}, {1, 1}, {1, 3}, {0, 3}};
  std::reverse(ring.begin(), ring.end());
  ExpectPoint(MakePolygon(ring).centroid, {1.1, 1.1});
}

TEST(Shape, CentroidIsAccurateFarFromTheOrigin) {
  const double far = 1e8;
  const Shape shape = MakePolygon({{far, far}, {far + 1, far}, {far + 1, far + 1}, {far, far + 1}});
  ExpectPoint(shape.centroid, {far + 0.5, far + 0.5}, 1e-7);
}

TEST(Shape, CentroidOfAPolylineIsWeightedByLength) {
  const Shape shape = MakePolyline({{0.0, 0.0}, {4.0, 0.0}, {4.0, 2.0}});
  ExpectPoint(shape.centroid, {16.0 / 6.0, 2.0 / 6.0});
  EXPECT_EQ(shape.kind, ShapeKind::kPolyline);
}

TEST(Shape, PolygonDropsRepeatedVertices) {
  const Shape shape = MakePolygon({{0, 0}, {1, 0}, {1, 0}, {1, 1}, {0, 1}, {0, 0}});
  EXPECT_EQ(shape.vertices, (std::vector<Vec2>{{0, 0}, {1, 0}, {1, 1}, {0, 1}}));
}

TEST(Shape, ClosedPolylineKeepsItsRepeatedVertex) {
  EXPECT_EQ(MakePolyline({{0, 0}, {1, 0}, {1, 1}, {0, 0}}).vertices.size(), 4u);
}

TEST(Shape, ViewShowsTheOwnedVertices) {
  const Shape shape = MakeRectangle(1.0, 1.0);
  const ShapeView view = shape.view();
  EXPECT_EQ(view.vertices.data(), shape.vertices.data());
  EXPECT_EQ(view.bounding_radius, shape.bounding_radius);
  EXPECT_EQ(view.kind, ShapeKind::kPolygon);
}

TEST(Shape, SimpleRingsOfBothDirectionsAreAccepted) {
  EXPECT_TRUE(IsSimpleRing(std::vector<Vec2>{{0, 0}, {1, 0}, {0, 1}}));
  EXPECT_TRUE(IsSimpleRing(std::vector<Vec2>{{0, 0}, {0, 1}, {1, 0}}));
  EXPECT_TRUE(IsSimpleRing(std::vector<Vec2>{{0, 0}, {3, 0}, {3, 1}, {1, 1}, {1, 3}, {0, 3}}));
}

TEST(Shape, VertexOnAStraightEdgeIsNoFault) {
  EXPECT_TRUE(IsSimpleRing(std::vector<Vec2>{{0, 0}, {1, 0}, {2, 0}, {2, 2}, {0, 2}}));
}

TEST(Shape, RepeatedVerticesAreNoFault) {
  EXPECT_TRUE(IsSimpleRing(std::vector<Vec2>{{0, 0}, {1, 0}, {1, 0}, {1, 1}, {0, 0}}));
}

TEST(Shape, CrossingTouchingAndFlatRingsAreNotSimple) {
  // a bow tie
  EXPECT_FALSE(IsSimpleRing(std::vector<Vec2>{{0, 0}, {1, 1}, {1, 0}, {0, 1}}));
  // a bow tie with unequal wings
  EXPECT_FALSE(IsSimpleRing(std::vector<Vec2>{{0, 0}, {4, 4}, {4, 0}, {0, 1}}));
  // a ring that touches itself at a corner
  EXPECT_FALSE(IsSimpleRing(std::vector<Vec2>{{0, 0}, {2, 0}, {2, 2}, {1, 0}, {0, 2}}));
  // a spike that runs back on itself
  EXPECT_FALSE(IsSimpleRing(std::vector<Vec2>{{0, 0}, {2, 0}, {2, 3}, {2, 1}, {0, 1}}));
  // spikes of rings with four and five vertices, at every place
  std::vector<Vec2> spike{{0, 0}, {2, 0}, {5, 0}, {3, 0}, {1, 2}};
  for (std::size_t i = 0; i < spike.size(); ++i) {
    EXPECT_FALSE(IsSimpleRing(spike));
    std::rotate(spike.begin(), spike.begin() + 1, spike.end());
  }
  EXPECT_FALSE(IsSimpleRing(std::vector<Vec2>{{0, 0}, {5, 0}, {-2, 0}, {1, 2}}));
  // no area
  EXPECT_FALSE(IsSimpleRing(std::vector<Vec2>{{0, 0}, {1, 0}, {2, 0}}));
  EXPECT_FALSE(IsSimpleRing(std::vector<Vec2>{{0, 0}, {1, 0}}));
  EXPECT_FALSE(IsSimpleRing(std::vector<Vec2>{{0, 0}, {0, 0}, {0, 0}, {0, 0}}));
}

TEST(Shape, BoundingBoxReplacesABrokenRing) {
  const std::vector<Vec2> box =
      BoundingBoxRing(std::vector<Vec2>{{0, 0}, {1, 1}, {1, -2}, {-3, 1}});
  EXPECT_EQ(box, (std::vector<Vec2>{{-3, -2}, {1, -2}, {1, 1}, {-3, 1}}));
  EXPECT_GT(SignedArea(box), 0.0);
}

// Radius of the smallest of all circles through two or three points that holds every point.
double BruteBoundingRadius(const std::vector<Vec2>& points) {
  double best = std::numeric_limits<double>::infinity();
  const auto attempt = [&](Vec2 center, Vec2 rim) {
    const double radius = std::hypot(rim.x - center.x, rim.y - center.y);
    const bool holds = std::all_of(points.begin(), points.end(), [&](Vec2 p) {
      return std::hypot(p.x - center.x, p.y - center.y) <= radius * (1.0 + 1e-9);
    });
    if (holds) best = std::min(best, radius);
  };
  const auto attempt_three = [&](Vec2 a, Vec2 b, Vec2 c) {
    const double d = 2.0 * Cross(b - a, c - a);
    if (std::fabs(d) < 1e-12) return;
    const double bb = Dot(b - a, b - a);
    const double cc = Dot(c - a, c - a);
    attempt(
        {a.x + ((c - a).y * bb - (b - a).y * cc) / d, a.y + ((b - a).x * cc - (c - a).x * bb) / d},
        a);
  };
  for (std::size_t i = 0; i < points.size(); ++i) {
    for (std::size_t j = i + 1; j < points.size(); ++j) {
      attempt(0.5 * (points[i] + points[j]), points[i]);
      for (std::size_t k = j + 1; k < points.size(); ++k) {
        attempt_three(points[i], points[j], points[k]);
      }
    }
  }
  return best;
}

TEST(MinimumBoundingRadius, EqualsTheBestOfAllCandidateCircles) {
  RandomSequence random = ShapeDraws(11);
  for (int round = 0; round < 300; ++round) {
    std::vector<Vec2> points(static_cast<std::size_t>(random.Integer(2, 13)));
    for (Vec2& p : points) p = {random.Uniform(-5.0, 5.0), random.Uniform(-1.0, 1.0)};
    EXPECT_NEAR(MinimumBoundingRadius(points), BruteBoundingRadius(points), 1e-9) << round;
  }
}

TEST(MinimumBoundingRadius, CopesWithLinesAndRepeatedPoints) {
  EXPECT_EQ(MinimumBoundingRadius({}), 0.0);
  EXPECT_EQ(MinimumBoundingRadius(std::vector<Vec2>{{3, 4}}), 0.0);
  EXPECT_EQ(MinimumBoundingRadius(std::vector<Vec2>{{3, 4}, {3, 4}, {3, 4}}), 0.0);
  EXPECT_DOUBLE_EQ(MinimumBoundingRadius(std::vector<Vec2>{{0, 0}, {1, 0}, {4, 0}, {2, 0}}), 2.0);
  EXPECT_DOUBLE_EQ(MinimumBoundingRadius(std::vector<Vec2>{{0, 0}, {1, 1}, {0, 0}, {4, 4}}),
                   std::sqrt(8.0));
}

TEST(MinimumBoundingRadius, OfAnObtuseTriangleIsHalfItsLongestSide) {
  EXPECT_DOUBLE_EQ(MinimumBoundingRadius(std::vector<Vec2>{{0, 0}, {10, 0}, {4, 1}}), 5.0);
}

TEST(MinimumBoundingRadius, OfARegularPolygonIsItsCircumradius) {
  std::vector<Vec2> points;
  for (int i = 0; i < 64; ++i) {
    points.push_back({1.0 + 0.4 * std::cos(i * kPi / 32.0), 0.4 * std::sin(i * kPi / 32.0)});
  }
  EXPECT_NEAR(MinimumBoundingRadius(points), 0.4, 1e-12);
}

TEST(DrawShape, FixedShapeIsSeenInPlace) {
  const ShapeSpec spec = MakeRectangle(2.0, 1.0);
  RandomSequence random = ShapeDraws(1);
  const ShapeView view = DrawShape(spec, random, {});
  EXPECT_EQ(view.vertices.data(), std::get<Shape>(spec).vertices.data());
  EXPECT_EQ(MaxVertices(spec), 4u);
  EXPECT_EQ(random.Uniform(), ShapeDraws(1).Uniform());  // nothing was drawn
}

TEST(DrawShape, RandomCircleTakesOneUniformDraw) {
  const ShapeSpec spec = RandomCircle{0.2, 0.8, {1.0, 2.0}};
  RandomSequence random = ShapeDraws(5);
  const ShapeView view = DrawShape(spec, random, {});
  EXPECT_EQ(view.radius, ShapeDraws(5).Uniform(0.2, 0.8));
  EXPECT_EQ(view.bounding_radius, view.radius);
  ExpectPoint(view.center, {1.0, 2.0});
  EXPECT_EQ(MaxVertices(spec), 0u);
}

TEST(DrawShape, RegularPolygonAppearsWithoutIrregularityAndSpikes) {
  RandomPolygon spec;
  spec.center_range = {1.0, 2.0, 1.0, 2.0};
  spec.avg_radius_range = {0.5, 0.5};
  spec.irregularity_range = {0.0, 0.0};
  spec.spikeyness_range = {0.0, 0.0};
  spec.num_vertices_range = {5, 6};
  std::vector<Vec2> storage(MaxVertices(spec));
  RandomSequence random = ShapeDraws(9);
  const ShapeView view = DrawShape(spec, random, storage);
  ASSERT_EQ(view.vertices.size(), 5u);
  for (std::size_t i = 0; i < 5; ++i) {
    const Vec2 side = view.vertices[(i + 1) % 5] - view.vertices[i];
    EXPECT_NEAR(std::hypot(side.x, side.y), std::sin(kPi / 5.0), 1e-12);
  }
  ExpectPoint(view.centroid, {1.0, 2.0});
  EXPECT_NEAR(view.bounding_radius, 0.5, 1e-12);
  EXPECT_GT(SignedArea(view.vertices), 0.0);
}

TEST(DrawShape, WithoutSpikesAllVerticesLieOnOneCircle) {
  RandomPolygon spec;
  spec.spikeyness_range = {0.0, 0.0};
  std::vector<Vec2> storage(MaxVertices(spec));
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    RandomSequence random = ShapeDraws(seed);
    const ShapeView view = DrawShape(spec, random, storage);
    const double radius = std::hypot(view.vertices[0].x, view.vertices[0].y);
    for (const Vec2 p : view.vertices) EXPECT_NEAR(std::hypot(p.x, p.y), radius, 1e-12);
    EXPECT_GE(radius, 0.1);
    EXPECT_LT(radius, 1.0);
  }
}

TEST(DrawShape, VertexCountsFollowTheirRange) {
  RandomPolygon spec;
  spec.irregularity_range = {0.0, 0.5};
  spec.spikeyness_range = {0.0, 0.1};
  spec.num_vertices_range = {4, 7};
  std::vector<Vec2> storage(MaxVertices(spec));
  EXPECT_EQ(storage.size(), 6u);
  std::vector<int> counts(8, 0);
  for (std::uint64_t seed = 0; seed < 600; ++seed) {
    RandomSequence random = ShapeDraws(seed);
    ++counts[DrawShape(spec, random, storage).vertices.size()];
  }
  for (const std::size_t count : {4, 5, 6}) EXPECT_GT(counts[count], 150) << count;
  EXPECT_EQ(counts[7], 0);
}

TEST(DrawShape, SpikyPolygonsAreSimpleRingsOrBoxes) {
  RandomPolygon spec;
  spec.spikeyness_range = {0.8, 1.0};
  std::vector<Vec2> storage(MaxVertices(spec));
  int boxes = 0;
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    RandomSequence random = ShapeDraws(seed);
    const ShapeView view = DrawShape(spec, random, storage);
    EXPECT_TRUE(IsSimpleRing(view.vertices)) << seed;
    const std::vector<Vec2> box = BoundingBoxRing(view.vertices);
    boxes += std::equal(box.begin(), box.end(), view.vertices.begin(), view.vertices.end());
    EXPECT_NEAR(view.bounding_radius, MinimumBoundingRadius(view.vertices), 1e-12);
  }
  EXPECT_GT(boxes, 0);
  EXPECT_LT(boxes, 400);
}

TEST(DrawShape, SpikesEndAtTheCenterAndAtTwiceTheMeanRadius) {
  RandomPolygon spec;
  spec.kind = ShapeKind::kPolyline;
  spec.avg_radius_range = {0.5, 0.5};
  spec.spikeyness_range = {1.0, 1.0};
  std::vector<Vec2> storage(MaxVertices(spec));
  int at_center = 0;
  int at_limit = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    RandomSequence random = ShapeDraws(seed);
    for (const Vec2 p : DrawShape(spec, random, storage).vertices) {
      const double distance = std::hypot(p.x, p.y);
      EXPECT_LE(distance, 1.0 + 1e-12);
      at_center += distance == 0.0;
      at_limit += distance > 1.0 - 1e-12;
    }
  }
  // about one normal number in six lies beyond one sigma on either side
  EXPECT_GT(at_center, 100);
  EXPECT_GT(at_limit, 100);
}

TEST(DrawShape, TriangleThatBreaksStillFindsRoomForItsBox) {
  RandomPolygon spec;
  spec.num_vertices_range = {3, 4};
  EXPECT_EQ(MaxVertices(spec), 4u);
}

TEST(DrawShape, RandomPolylineKeepsItsVerticesAsAnOpenChain) {
  RandomPolygon spec;
  spec.kind = ShapeKind::kPolyline;
  spec.spikeyness_range = {0.8, 1.0};
  std::vector<Vec2> storage(MaxVertices(spec));
  RandomSequence random = ShapeDraws(2);
  const ShapeView view = DrawShape(spec, random, storage);
  EXPECT_EQ(view.kind, ShapeKind::kPolyline);
  EXPECT_GE(view.vertices.size(), 4u);
  const Shape twin = MakePolyline({view.vertices.begin(), view.vertices.end()});
  ExpectPoint(view.centroid, twin.centroid);
  EXPECT_EQ(view.bounding_radius, twin.bounding_radius);
}

TEST(DrawShape, SameSeedDrawsTheSameShapeAndAnotherSeedAnother) {
  const ShapeSpec spec = RandomPolygon{};
  const auto draw = [&](std::uint64_t seed) {
    std::vector<Vec2> storage(MaxVertices(spec));
    RandomSequence random = ShapeDraws(seed);
    storage.resize(DrawShape(spec, random, storage).vertices.size());
    return storage;
  };
  EXPECT_EQ(draw(3), draw(3));
  EXPECT_NE(draw(3), draw(4));
}

}  // namespace
}  // namespace planarium
