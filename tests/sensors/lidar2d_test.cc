#include "sensors/lidar2d.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <vector>

#include "physics/world_step.h"

namespace planarium {
namespace {

// A small world with one carrier (object 0) and a scanner on it.
class Bench {
 public:
  explicit Bench(const Pose2& carrier = {}) {
    ObjectSpec& robot = Add(MakeCircle({}, 0.2), carrier);
    robot.role = Role::kRobot;
    robot.kinematics.drive = Drive::kDiff;
    robot.kinematics.acceleration = {HUGE_VAL, HUGE_VAL, HUGE_VAL};
  }

  ObjectSpec& Add(ShapeSpec shape, const Pose2& pose = {}) {
    ObjectSpec object;
    object.id = spec.num_objects();
    object.shape = std::move(shape);
    object.initial_state = {pose.x, pose.y, pose.theta, 0.0};
    spec.objects.push_back(object);
    return spec.objects.back();
  }
  ObjectSpec& AddWall(Vec2 a, Vec2 b) { return Add(MakePolyline({a, b})); }

  WorldView Start(const Lidar2dOptions& options, std::uint64_t seed = 1) {
    spec.Finalize();
    batch_ = std::make_unique<WorldBatch>(std::vector<const WorldSpec*>{&spec});
    ResetWorld(world(), seed);
    lidar = std::make_unique<Lidar2d>(options);
    state_.assign(lidar->StateBytes() / 8, 0);
    lidar->Reserve(spec, workspace_);
    return world();
  }
  WorldView world() const { return batch_->world(0); }

  LidarScan Scan(int sensor = 0) {
    const auto state = std::as_writable_bytes(std::span(state_));
    const WorldView view = world();
    lidar->Measure({view, 0, sensor}, workspace_, state);
    return lidar->scan(state);
  }
  // The scan of step `step`.
  LidarScan ScanAt(std::uint64_t step, int sensor = 0) {
    world().clock().step = step;
    return Scan(sensor);
  }

  WorldSpec spec;
  std::unique_ptr<Lidar2d> lidar;

 private:
  std::unique_ptr<WorldBatch> batch_;
  std::vector<std::uint64_t> state_;
  SensorWorkspace workspace_;
};

Lidar2dOptions Beams(int number, double fan, double range_max) {
  Lidar2dOptions options;
  options.number = number;
  options.angle_range = fan;
  options.range_max = range_max;
  return options;
}

std::vector<Vec2> Rectangle(double x0, double y0, double x1, double y1) {
  return {{x0, y0}, {x1, y0}, {x1, y1}, {x0, y1}};
}

int ValidBeams(const LidarScan& scan) {
  return static_cast<int>(std::count(scan.valid.begin(), scan.valid.end(), 1));
}

// Acceptance cases L1 and L2 of the specification.
TEST(Lidar2d, SingleBeamReadsTheBoxAhead) {
  Bench bench;
  bench.Add(MakePolygon(Rectangle(2, -1, 2.5, 1)));
  bench.Start(Beams(1, 0, 5));
  const LidarScan scan = bench.Scan();
  EXPECT_EQ(scan.ranges[0], 2.0F);
  EXPECT_EQ(scan.owner[0], 1);
  EXPECT_EQ(ValidBeams(scan), 1);

  Bench two;
  two.Add(MakeRectangle(0.5, 1.0), {2, 0, 0});
  two.Add(MakeRectangle(0.5, 1.0), {4, 0, 0});
  two.Start(Beams(1, 0, 10));
  EXPECT_NEAR(two.Scan().ranges[0], 1.75, 1e-6);
}

// L3
TEST(Lidar2d, WallAlongTheBeamReadsItsNearEnd) {
  Bench bench;
  bench.AddWall({2, 0}, {4, 0});
  bench.Start(Beams(1, 0, 10));
  EXPECT_EQ(bench.Scan().ranges[0], 2.0F);
}

// L4: a hit just inside range_max is a hit, and carries the velocity of what it hit.
TEST(Lidar2d, HitNearRangeMaxCarriesItsVelocity) {
  Bench bench;
  bench.AddWall({4.99, -1}, {4.99, 1}).initial_velocity = {0.7, -0.2, 0.0};
  const WorldView world = bench.Start(Beams(1, 0, 5));
  const LidarScan scan = bench.Scan();
  std::vector<float> velocity(2);
  FillScanVelocity(world, scan, velocity);
  EXPECT_NEAR(scan.ranges[0], 4.99, 1e-5);
  EXPECT_EQ(scan.valid[0], 1);
  EXPECT_EQ(velocity[0], 0.7F);
  EXPECT_EQ(velocity[1], -0.2F);
}

// L5
TEST(Lidar2d, OnlyBeamsOnTheMovingCircleCarryItsVelocity) {
  Bench bench;
  bench.Add(MakeCircle({}, 0.7), {2, 0, 0}).initial_velocity = {0.4, -0.2, 0.0};
  const WorldView world = bench.Start(Beams(91, 3.14, 5));
  const LidarScan scan = bench.Scan();
  std::vector<float> velocity(2 * 91);
  FillScanVelocity(world, scan, velocity);
  int hits = 0;
  for (std::size_t i = 0; i < 91; ++i) {
    const bool hit = std::abs(bench.lidar->beams().angles()[i]) < std::asin(0.35);
    hits += hit ? 1 : 0;
    EXPECT_EQ(velocity[i], hit ? 0.4F : 0.0F) << "beam " << i;
    EXPECT_EQ(velocity[91 + i], hit ? -0.2F : 0.0F) << "beam " << i;
  }
  EXPECT_GT(hits, 15);
}

// L6: of two equal walls the first owns the hit, wherever the vectors of the kernel end.
TEST(Lidar2d, FirstOfEqualWallsOwnsTheHit) {
  Bench bench;
  for (int i = 0; i < 63; ++i) bench.AddWall({50, 50.0 + i}, {51, 50.0 + i});
  bench.AddWall({1, -1}, {1, 1});
  bench.AddWall({1, -1}, {1, 1});
  bench.Start(Beams(1, 0, 10));
  EXPECT_EQ(bench.Scan().owner[0], 64);  // object 0 is the carrier
}

// L7 and L8
TEST(Lidar2d, OnlyHitsAreValid) {
  Bench bench;
  bench.AddWall({2, 0.001}, {2, 50});
  bench.Start(Beams(10, 1.0, 5));
  const LidarScan scan = bench.Scan();
  EXPECT_EQ(ValidBeams(scan), 5);
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(scan.ranges[i], 5.0F);
    EXPECT_EQ(scan.owner[i], -1);
  }
}

// Issue B10: a miss can be told from a wall at range_max.
TEST(Lidar2d, EmptyWorldIsAllMisses) {
  Bench bench;
  bench.Start(Beams(32, kTwoPi, 6.5));
  const LidarScan scan = bench.Scan();
  EXPECT_EQ(ValidBeams(scan), 0);
  for (const float range : scan.ranges) EXPECT_EQ(range, 6.5F);
}

// L9 and L10 with true circles.
TEST(Lidar2d, ReadsTheMixedScene) {
  Bench bench;
  bench.Add(MakeCircle({}, 1.0), {3, 0, 0.3});
  bench.Add(MakeRectangle(1.0, 1.0), {0, 3, 0});
  bench.AddWall({-5, -2}, {5, -2});
  bench.Start(Beams(9, kPi, 10));
  const double expected[] = {2.0, 2.164784401, 2.828427125, 5.226251860, 2.0, 10, 10, 10, 2.5};
  const LidarScan scan = bench.Scan();
  for (std::size_t i = 0; i < 9; ++i) {
    EXPECT_NEAR(scan.ranges[i], expected[i], 2e-5 * expected[i]) << "beam " << i;
  }
  const double degrees[] = {5, 10, 15, 19, 19.4};
  const double flank[] = {2.023371740, 2.100832729, 2.267607409, 2.621966838, 2.745877508};
  for (std::size_t i = 0; i < 5; ++i) {
    bench.world().free_object(0).state[2] = degrees[i] * kPi / 180.0;
    PlaceObject(bench.world(), 0);
    EXPECT_NEAR(bench.Scan().ranges[4], flank[i], 2e-5 * flank[i]) << degrees[i];
  }
}

// L11
TEST(Lidar2d, SensorPoseTurnsTheMountWithTheBody) {
  Lidar2dOptions options;
  options.offset = {0.1, 0.1, 0.5};
  const Pose2 pose = Lidar2d(options).SensorPose({1.0, 1.0, 0.5});
  EXPECT_NEAR(pose.x, 1.039815702, 1e-9);
  EXPECT_NEAR(pose.y, 1.135700810, 1e-9);
  EXPECT_NEAR(pose.theta, 1.0, 1e-15);
  EXPECT_NEAR(Lidar2d(options).SensorPose({0, 0, 3.0}).theta, 3.5 - kTwoPi, 1e-12);
}

// Issue B08: beams start at the mount, not at the body's origin, and turn with it.
TEST(Lidar2d, BeamsStartAtTheMount) {
  Lidar2dOptions options = Beams(3, 1.0, 10);
  options.offset = {1.0, 0.0, 0.0};
  Bench ahead;
  ahead.AddWall({5, -20}, {5, 20});
  ahead.Start(options);
  EXPECT_NEAR(ahead.Scan().ranges[1], 4.0, 1e-6);

  Bench left({0, 0, kPi / 2});
  left.AddWall({-20, 5}, {20, 5});
  left.Start(options);
  EXPECT_NEAR(left.Scan().ranges[1], 4.0, 1e-6);

  options.offset = {1.0, 0.0, 0.5};
  ahead.Start(options);
  const LidarScan scan = ahead.Scan();
  EXPECT_NEAR(scan.ranges[0], 4.0, 1e-6) << "the beam at -0.5 now looks ahead";
  EXPECT_NEAR(scan.ranges[1], 4.0 / std::cos(0.5), 1e-4);
}

// Issue B01: everything from a full turn up is a full turn.
TEST(Lidar2d, FanIsClippedToAFullTurn) {
  for (const double fan : {3.14, 6.28, 6.283185, 6.283185307179586, 6.2832, 7.0}) {
    Bench bench;
    bench.Add(MakePolyline({{-3, -3}, {3, -3}, {3, 3}, {-3, 3}, {-3, -3}}));
    bench.Start(Beams(5, fan, 10));
    const BeamTable& beams = bench.lidar->beams();
    const double expected = std::min(fan, kTwoPi);
    EXPECT_EQ(beams.angles().front(), -0.5 * expected) << fan;
    EXPECT_EQ(beams.angles().back(), 0.5 * expected) << fan;
    const LidarScan scan = bench.Scan();
    EXPECT_EQ(scan.ranges[2], 3.0F);
    EXPECT_NEAR(scan.ranges[1], 3.0 / std::max(std::sin(expected / 4), std::cos(expected / 4)),
                1e-4)
        << fan;
    EXPECT_EQ(ValidBeams(scan), 5);
  }
}

TEST(Lidar2d, MeaninglessFanLooksAhead) {
  for (const double fan : {-1.0, std::nan(""), HUGE_VAL, -HUGE_VAL}) {
    const Lidar2d lidar(Beams(4, fan, 10));
    EXPECT_EQ(lidar.options().angle_range, 0.0) << fan;
    for (const double angle : lidar.beams().angles()) EXPECT_EQ(angle, 0.0);
  }
}

// Issue B07: the reported increment is that of the beams.
TEST(Lidar2d, IncrementMatchesTheBeams) {
  const Lidar2d lidar(Beams(180, 3.14, 10));
  EXPECT_NEAR(lidar.beams().increment(), 0.017542, 1e-6);
  const auto angles = lidar.beams().angles();
  for (std::size_t i = 1; i < angles.size(); ++i) {
    EXPECT_NEAR(angles[i] - angles[i - 1], lidar.beams().increment(), 1e-12);
  }
}

// Issue B02: inside an obstacle the scan shows the way out, and keeps changing.
TEST(Lidar2d, SensorInsideAnObstacleSeesItsWallsFromInside) {
  Bench bench({2, 2, 0});
  bench.Add(MakeCircle({}, 1.5), {2.5, 2, 0}).fixed = true;
  bench.Start(Beams(5, kTwoPi, 10));
  const LidarScan first = bench.Scan();
  EXPECT_NEAR(first.ranges[2], 2.0, 1e-5);
  EXPECT_NEAR(first.ranges[0], 1.0, 1e-5);
  EXPECT_EQ(ValidBeams(first), 5);
  float last = first.ranges[2];
  for (int step = 0; step < 10; ++step) {
    MoveObject(bench.world(), 0, {1.0, 0.0, 0.0});
    const LidarScan scan = bench.Scan();
    EXPECT_NEAR(scan.ranges[2], last - 0.1F, 1e-5);
    last = scan.ranges[2];
  }
}

// Issue B05: the scan belongs to the step in which it is taken.
TEST(Lidar2d, MovingObstacleIsSeenWhereItIsNow) {
  Bench bench;
  bench.AddWall({5, -1}, {5, 1});
  bench.Start(Beams(1, 0, 10));
  for (int step = 1; step <= 20; ++step) {
    IntegrateObject(bench.world(), 1, {-1.0, 0.0, 0.0});
    EXPECT_NEAR(bench.Scan().ranges[0], 5.0 - 0.1 * step, 1e-5) << "step " << step;
  }
}

TEST(Lidar2d, CarrierAndUnobstructedBodiesAreNotSeen) {
  Bench bench;
  bench.Add(MakeCircle({}, 0.5), {2, 0, 0}).unobstructed = true;
  bench.Add(MakeCircle({}, 0.5), {3, 0, 0}).unobstructed = true;
  bench.spec.objects[2].fixed = true;
  bench.Add(MakeCircle({}, 0.5), {5, 0, 0});
  bench.Start(Beams(1, 0, 10));
  const LidarScan scan = bench.Scan();
  EXPECT_EQ(scan.ranges[0], 4.5F);
  EXPECT_EQ(scan.owner[0], 3);
}

TEST(Lidar2d, FixedAndFreeBodiesAreBothSeen) {
  Bench bench;
  bench.AddWall({4, -9}, {4, 9}).fixed = true;
  bench.Add(MakeCircle({}, 0.5), {0, 3, 0});
  bench.Start(Beams(3, kPi, 10));
  const LidarScan scan = bench.Scan();
  EXPECT_EQ(scan.ranges[1], 4.0F);
  EXPECT_NEAR(scan.ranges[2], 2.5, 1e-6);
  EXPECT_EQ(scan.owner[1], 1);
  EXPECT_EQ(scan.owner[2], 2);
}

TEST(Lidar2d, BlindZoneIsBlockedButNotMeasured) {
  Bench bench;
  bench.AddWall({0.5, -1}, {0.5, 1});
  Lidar2dOptions options = Beams(1, 0, 5);
  options.range_min = 0.6;
  bench.Start(options);
  const LidarScan scan = bench.Scan();
  EXPECT_EQ(scan.ranges[0], 0.6F);
  EXPECT_EQ(scan.valid[0], 0);
  EXPECT_EQ(scan.owner[0], 1);
}

// Issue B65: 10,000 scans of a wall at 3 m.
TEST(Lidar2d, RangeNoiseHasTheGivenDeviation) {
  Bench bench;
  bench.AddWall({3, -1}, {3, 1});
  Lidar2dOptions options = Beams(1, 0, 10);
  options.noise = true;
  options.std = 0.08;
  bench.Start(options);
  double sum = 0.0;
  double sum2 = 0.0;
  for (std::uint64_t step = 1; step <= 10000; ++step) {
    const double error = static_cast<double>(bench.ScanAt(step).ranges[0]) - 3.0;
    sum += error;
    sum2 += error * error;
  }
  EXPECT_NEAR(sum / 10000, 0.0, 0.003);
  EXPECT_NEAR(std::sqrt(sum2 / 10000), 0.08, 0.002);
}

TEST(Lidar2d, NoisyReadingsStayInRangeAndMissesStayMisses) {
  Bench bench;
  bench.AddWall({4.95, -9}, {4.95, 0.1});   // noise may lose it
  bench.AddWall({0.5, 0.15}, {0.5, 0.28});  // noise may blind it
  Lidar2dOptions options = Beams(21, 1.2, 5);
  options.noise = true;
  options.std = 0.2;
  options.range_min = 0.4;
  bench.Start(options);
  int lost = 0;
  int blind = 0;
  for (std::uint64_t step = 1; step <= 500; ++step) {
    const LidarScan scan = bench.ScanAt(step);
    for (std::size_t i = 0; i < 21; ++i) {
      ASSERT_GE(scan.ranges[i], 0.4F);
      ASSERT_LE(scan.ranges[i], 5.0F);
      ASSERT_TRUE(scan.owner[i] >= 0 || (scan.ranges[i] == 5.0F && scan.valid[i] == 0));
      ASSERT_TRUE(scan.valid[i] == 0 || scan.owner[i] >= 0);
    }
    EXPECT_EQ(scan.owner[20], -1) << "a true miss";
    EXPECT_EQ(scan.ranges[20], 5.0F);
    // IR-SIM 2.12 keeps what the beam met (has_velocity reads it), lost or not.
    EXPECT_EQ(scan.owner[10], 1);
    lost += scan.ranges[10] == 5.0F && scan.valid[10] == 0 ? 1 : 0;
    blind += scan.owner[16] == 2 && scan.valid[16] == 0 ? 1 : 0;
  }
  // the middle beam is at 4.95 m: lost with probability 0.40; beam 16 is at 0.53 m: blind with 0.26
  EXPECT_NEAR(lost / 500.0, 0.40, 0.07);
  EXPECT_NEAR(blind / 500.0, 0.26, 0.07);
}

TEST(Lidar2d, AngleNoiseTurnsTheBeamsAndReportsNominalAngles) {
  Bench bench;
  bench.AddWall({1, -200}, {1, 200});
  Lidar2dOptions options = Beams(11, 1.0, 100);
  options.noise = true;
  options.std = 0.0;
  options.angle_std = 0.1;
  bench.Start(options);
  double sum = 0.0;
  double sum2 = 0.0;
  constexpr int kScans = 4000;
  for (std::uint64_t step = 1; step <= kScans; ++step) {
    // beam 10 looks to 0.5 rad, where the range tells the angle
    const double angle = std::acos(1.0 / static_cast<double>(bench.ScanAt(step).ranges[10]));
    sum += angle - 0.5;
    sum2 += (angle - 0.5) * (angle - 0.5);
  }
  EXPECT_NEAR(sum / kScans, 0.0, 0.008);
  EXPECT_NEAR(std::sqrt(sum2 / kScans), 0.1, 0.005);
  EXPECT_EQ(bench.lidar->beams().angles()[10], 0.5);
}

TEST(Lidar2d, WithoutTheSwitchThereIsNoNoise) {
  Bench bench;
  bench.AddWall({3, -10}, {3, 10});
  Lidar2dOptions options = Beams(3, 1.0, 10);
  options.angle_std = 0.1;
  bench.Start(options);
  EXPECT_EQ(bench.ScanAt(1).ranges[1], 3.0F);
  EXPECT_EQ(bench.ScanAt(2).ranges[1], 3.0F);
}

TEST(Lidar2d, NoiseIsAFunctionOfSeedSensorAndStep) {
  Bench bench;
  bench.AddWall({3, -10}, {3, 10});
  Lidar2dOptions options = Beams(5, 1.0, 10);
  options.noise = true;
  options.angle_std = 0.1;
  bench.Start(options, 5);
  const auto read = [&](std::uint64_t seed, std::uint64_t step, int sensor) {
    bench.world().clock().episode_seed = seed;
    return bench.ScanAt(step, sensor).ranges[2];
  };
  const float first = read(5, 1, 0);
  EXPECT_NE(first, read(6, 1, 0));
  EXPECT_NE(first, read(5, 2, 0));
  EXPECT_NE(first, read(5, 1, 1));
  EXPECT_EQ(first, read(5, 1, 0));
}

TEST(Lidar2d, StateIsWholeWords) {
  for (const int number : {1, 7, 100, 181}) {
    const Lidar2d lidar(Beams(number, kPi, 10));
    EXPECT_EQ(lidar.StateBytes() % 8, 0U);
    EXPECT_GE(lidar.StateBytes(), static_cast<std::size_t>(9 * number));
  }
}

}  // namespace
}  // namespace planarium
