#include "physics/world_step.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include "physics/math.h"

namespace planarium {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// A scenario under construction, then one world of it.
class Scenario {
 public:
  // Adds a disc of radius 0.5 at (x, y); returns its description for more.
  ObjectSpec& Disc(double x, double y, Role role = Role::kObstacle) {
    ObjectSpec object;
    object.id = spec.num_objects();
    object.role = role;
    object.shape = MakeCircle({}, 0.5);
    object.initial_state = {x, y, 0.0, 0.0};
    object.kinematics.acceleration = {kInfinity, kInfinity, kInfinity};
    spec.objects.push_back(object);
    return spec.objects.back();
  }
  ObjectSpec& Robot(double x, double y, Drive drive = Drive::kDiff) {
    ObjectSpec& object = Disc(x, y, Role::kRobot);
    object.kinematics.drive = drive;
    return object;
  }
  WorldView Start(std::uint64_t seed = 1) {
    spec.Finalize();
    batch = std::make_unique<WorldBatch>(std::vector<const WorldSpec*>{&spec});
    ResetWorld(batch->world(0), seed);
    return batch->world(0);
  }

  WorldSpec spec;
  std::unique_ptr<WorldBatch> batch;
};

TEST(ResetWorld, PutsEveryObjectToItsStart) {
  Scenario scenario;
  ObjectSpec& robot = scenario.Robot(1.0, 2.0);
  robot.initial_state[2] = 7.0;  // as typed, not wrapped
  robot.initial_velocity = {0.5, 0.25, 0.0};
  robot.goals = {{3, 3, 0, 0}};
  const WorldView world = scenario.Start(42);
  ObjectState& state = world.free_object(0);
  state.collision = state.stop = state.arrive = true;
  state.partner = 3;
  state.state = {9, 9, 9, 9};
  world.clock().step = 17;

  ResetWorld(world, 43);
  EXPECT_EQ(world.clock().step, 0U);
  EXPECT_EQ(world.clock().episode_seed, 43U);
  EXPECT_EQ(state.state, (BodyState{1.0, 2.0, 7.0, 0.0}));
  EXPECT_EQ(state.velocity, (Command{0.5, 0.25, 0.0}));
  EXPECT_EQ(state.placed.center, (Vec2{1.0, 2.0}));
  EXPECT_FALSE(state.collision || state.stop || state.arrive);
  EXPECT_EQ(state.partner, -1);
  EXPECT_EQ(world.goal(0)->at(0), 3.0);
}

TEST(ResetWorld, DrawsRandomShapesFromTheEpisodeSeedAlone) {
  Scenario scenario;
  scenario.Disc(0, 0).shape = RandomCircle{0.1, 1.0, {}};
  scenario.Disc(5, 5).shape = RandomPolygon{};
  const WorldView world = scenario.Start(7);
  const double radius = world.object(0).placed.radius;
  const Vec2 corner = world.object(1).placed.vertices[0];
  ResetWorld(world, 8);
  EXPECT_NE(world.object(0).placed.radius, radius);
  ResetWorld(world, 7);
  EXPECT_EQ(world.object(0).placed.radius, radius);
  EXPECT_EQ(world.object(1).placed.vertices[0], corner);
}

TEST(MoveObject, ClipsIntegratesAndPlaces) {
  Scenario scenario;
  scenario.Robot(1.0, 2.0);
  const WorldView world = scenario.Start();
  MoveObject(world, 0, {5.0, 0.5, 0.0});
  EXPECT_EQ(world.object(0).velocity, (Command{1.0, 0.5, 0.0}));
  EXPECT_NEAR(world.object(0).state[0], 1.1, 1e-15);
  EXPECT_NEAR(world.object(0).state[2], 0.05, 1e-15);
  EXPECT_NEAR(world.object(0).placed.center.x, 1.1, 1e-15);
}

TEST(IntegrateObject, TakesTheCommandAsItIs) {
  Scenario scenario;
  scenario.Disc(1.0, 2.0);
  const WorldView world = scenario.Start();
  IntegrateObject(world, 0, {5.0, -2.0, 0.0});
  EXPECT_NEAR(world.object(0).state[0], 1.5, 1e-15);
  EXPECT_NEAR(world.object(0).state[1], 1.8, 1e-15);
}

TEST(MoveObject, NoiseMovesTheBodyButNotTheStoredVelocity) {
  Scenario scenario;
  ObjectSpec& robot = scenario.Robot(0.0, 0.0, Drive::kOmni);
  robot.kinematics.noise = true;
  robot.kinematics.alpha = {0.04, 0.01, 0.0, 0.0};
  const WorldView world = scenario.Start();
  double sum = 0.0;
  double sum2 = 0.0;
  constexpr int kSteps = 20000;
  for (int i = 0; i < kSteps; ++i) {
    world.clock().step = static_cast<std::uint64_t>(i) + 1;
    const double before = world.object(0).state[0];
    MoveObject(world, 0, {0.5, 0.0, 0.0});
    EXPECT_EQ(world.object(0).velocity, (Command{0.5, 0.0, 0.0}));
    const double noise = (world.object(0).state[0] - before) / 0.1 - 0.5;
    sum += noise;
    sum2 += noise * noise;
  }
  // sigma 0.2: the mean of 20000 draws is known to 0.0014, the deviation to 0.001
  EXPECT_NEAR(sum / kSteps, 0.0, 0.006);
  EXPECT_NEAR(std::sqrt(sum2 / kSteps), 0.2, 0.004);
}

TEST(MoveObject, NoiseIsAFunctionOfSeedObjectAndStep) {
  Scenario scenario;
  for (int i = 0; i < 2; ++i) {
    ObjectSpec& robot = scenario.Robot(0.0, 0.0, Drive::kOmni);
    robot.kinematics.noise = true;
    robot.kinematics.alpha = {0.04, 0.01, 0.0, 0.0};
  }
  const WorldView world = scenario.Start(5);
  const auto move = [&](std::uint64_t seed, int id, std::uint64_t step) {
    ResetWorld(world, seed);
    world.clock().step = step;
    MoveObject(world, id, {});
    return world.object(id).state[0];
  };
  const double first = move(5, 0, 1);
  EXPECT_NE(first, move(6, 0, 1));
  EXPECT_NE(first, move(5, 1, 1));
  EXPECT_NE(first, move(5, 0, 2));
  EXPECT_EQ(first, move(5, 0, 1));
}

TEST(HoldObject, ZeroesTheVelocityAndKeepsThePose) {
  Scenario scenario;
  scenario.Robot(1.0, 2.0).initial_velocity = {1.0, 1.0, 0.0};
  const WorldView world = scenario.Start();
  HoldObject(world, 0);
  EXPECT_EQ(world.object(0).velocity, Command{});
  EXPECT_EQ(world.object(0).state[0], 1.0);
}

TEST(UpdateStatus, TouchingBodiesCollideAndTheLowestPartnerIsKept) {
  Scenario scenario;
  scenario.Robot(0.0, 0.0);
  scenario.Disc(5.0, 0.0);
  scenario.Disc(1.0, 0.0);  // touches the robot
  scenario.Disc(0.5, 0.5);  // overlaps both
  const WorldView world = scenario.Start();
  UpdateStatus(world);
  EXPECT_TRUE(world.object(0).collision);
  EXPECT_EQ(world.object(0).partner, 2);
  EXPECT_FALSE(world.object(1).collision);
  EXPECT_EQ(world.object(1).partner, -1);
  EXPECT_EQ(world.object(2).partner, 0);
  EXPECT_EQ(world.object(3).partner, 0);
}

TEST(UpdateStatus, FlagsFollowTheBodiesAgainWhenTheyPart) {
  Scenario scenario;
  scenario.Robot(0.0, 0.0);
  scenario.Disc(0.9, 0.0);
  const WorldView world = scenario.Start();
  UpdateStatus(world);
  EXPECT_TRUE(world.object(0).stop);
  world.free_object(1).state[0] = 1.001;
  PlaceObject(world, 1);
  UpdateStatus(world);
  EXPECT_FALSE(world.object(0).collision || world.object(0).stop || world.object(1).stop);
  EXPECT_EQ(world.object(0).partner, -1);
}

TEST(UpdateStatus, FixedObjectsAreSeenAndKeepTheIdOrder) {
  Scenario scenario;
  scenario.Robot(0.0, 0.0);
  scenario.Disc(0.5, 0.0).fixed = true;
  scenario.Disc(0.4, 0.0);
  scenario.Disc(0.3, 0.0).fixed = true;
  const WorldView world = scenario.Start();
  UpdateStatus(world);
  EXPECT_EQ(world.object(0).partner, 1);
  EXPECT_EQ(world.object(2).partner, 0);
  scenario.spec.objects[1].unobstructed = true;
  UpdateStatus(world);
  EXPECT_EQ(world.object(0).partner, 2);
}

TEST(UpdateStatus, UnobstructedBodiesAreIgnoredButNoticeOthers) {
  Scenario scenario;
  scenario.Robot(0.0, 0.0);
  scenario.Disc(0.5, 0.0).unobstructed = true;
  scenario.Disc(0.8, 0.0).unobstructed = true;
  const WorldView world = scenario.Start();
  UpdateStatus(world);
  EXPECT_FALSE(world.object(0).collision);
  EXPECT_FALSE(world.object(0).stop);
  EXPECT_EQ(world.object(1).partner, 0);
  EXPECT_TRUE(world.object(1).stop);
  EXPECT_EQ(world.object(2).partner, 0);
}

TEST(UpdateStatus, StopsByMode) {
  struct Case {
    CollisionMode mode;
    bool robot_stops;
    bool obstacle_stops;
  };
  const Case cases[] = {{CollisionMode::kStop, true, true},
                        {CollisionMode::kReactive, false, false},
                        {CollisionMode::kUnobstructed, false, false},
                        {CollisionMode::kUnobstructedObstacles, true, false}};
  for (const Case& expected : cases) {
    Scenario scenario;
    scenario.spec.collision_mode = expected.mode;
    scenario.Robot(0.0, 0.0);
    scenario.Disc(0.5, 0.0);
    const WorldView world = scenario.Start();
    UpdateStatus(world);
    EXPECT_TRUE(world.object(0).collision && world.object(1).collision);
    EXPECT_EQ(world.object(0).stop, expected.robot_stops) << static_cast<int>(expected.mode);
    EXPECT_EQ(world.object(1).stop, expected.obstacle_stops) << static_cast<int>(expected.mode);
  }
}

TEST(UpdateStatus, ArrivalIsStrictAndNotLatched) {
  Scenario scenario;
  ObjectSpec& robot = scenario.Robot(0.0, 0.0);
  robot.goals = {{0.25, 0.0, 0.0, 0.0}};
  robot.goal_threshold = 0.25;
  const WorldView world = scenario.Start();
  UpdateStatus(world);
  EXPECT_FALSE(world.object(0).arrive) << "at the threshold itself";
  world.free_object(0).state[0] = 0.001;
  UpdateStatus(world);
  EXPECT_TRUE(world.object(0).arrive);
  world.free_object(0).state[0] = -1.0;
  UpdateStatus(world);
  EXPECT_FALSE(world.object(0).arrive);
}

TEST(UpdateStatus, QueueIsPoppedAndOnlyTheLastGoalArrives) {
  Scenario scenario;
  scenario.Robot(0.0, 0.0).goals = {{0, 0, 0, 0}, {0, 0, 0, 0}};
  const WorldView world = scenario.Start();
  UpdateStatus(world);
  EXPECT_FALSE(world.object(0).arrive);
  EXPECT_EQ(world.object(0).goal_index, 1U);
  UpdateStatus(world);
  EXPECT_TRUE(world.object(0).arrive);
  EXPECT_EQ(world.object(0).goal_index, 1U);
}

TEST(UpdateStatus, StateModeCountsTheWrappedHeading) {
  Scenario scenario;
  ObjectSpec& robot = scenario.Robot(0.0, 0.0);
  robot.arrive_mode = ArriveMode::kState;
  robot.goal_threshold = 0.1;
  robot.initial_state[2] = 3.1;
  robot.goals = {{0.03, 0.0, -3.1, 0.0}};  // 0.083 rad across the back
  const WorldView world = scenario.Start();
  UpdateStatus(world);
  EXPECT_TRUE(world.object(0).arrive);
  world.free_object(0).state[2] = 3.0;
  UpdateStatus(world);
  EXPECT_FALSE(world.object(0).arrive);
  // a goal without a heading asks for the position alone
  const BodyState goal{0.03, 0.0, std::nan(""), 0.0};
  world.SetGoals(0, {&goal, 1});
  UpdateStatus(world);
  EXPECT_TRUE(world.object(0).arrive);
}

TEST(UpdateStatus, WithoutAGoalNothingArrives) {
  Scenario scenario;
  scenario.Robot(0.0, 0.0);
  const WorldView world = scenario.Start();
  UpdateStatus(world);
  EXPECT_FALSE(world.object(0).arrive);
}

TEST(UpdateStatus, NonFiniteBodiesDisturbNobody) {
  Scenario scenario;
  scenario.Robot(0.0, 0.0);
  scenario.Disc(0.5, 0.0);
  const WorldView world = scenario.Start();
  world.free_object(1).state[0] = std::nan("");
  PlaceObject(world, 1);
  UpdateStatus(world);
  EXPECT_FALSE(world.object(0).collision);
}

TEST(OverlapsAny, AsksOnlyWhatIsConsidered) {
  Scenario scenario;
  scenario.Robot(0.0, 0.0);
  scenario.Disc(0.5, 0.0);
  const WorldView world = scenario.Start();
  EXPECT_TRUE(OverlapsAny(world, 0, [](int) { return true; }));
  EXPECT_FALSE(OverlapsAny(world, 0, [](int other) { return other != 1; }));
}

TEST(TwistOf, TurnsTheCommandIntoTheWorldFrame) {
  Scenario scenario;
  ObjectSpec& robot = scenario.Robot(0.0, 0.0);
  robot.initial_state[2] = kPi / 2;
  robot.initial_velocity = {0.75, 0.5, 0.0};
  scenario.Disc(3.0, 0.0).fixed = true;
  const WorldView world = scenario.Start();
  EXPECT_NEAR(TwistOf(world, 0).vx, 0.0, 1e-15);
  EXPECT_NEAR(TwistOf(world, 0).vy, 0.75, 1e-15);
  EXPECT_EQ(TwistOf(world, 0).omega, 0.5);
  EXPECT_EQ(TwistOf(world, 1).vx, 0.0);
}

TEST(GatherFreeScene, LeavesOutTheCarrierTheUnobstructedAndTheFixed) {
  Scenario scenario;
  scenario.Robot(0.0, 0.0);
  scenario.Disc(1.0, 0.0);
  scenario.Disc(2.0, 0.0).unobstructed = true;
  scenario.Disc(3.0, 0.0).fixed = true;
  scenario.Disc(4.0, 0.0).shape = MakeRectangle(1.0, 1.0);
  scenario.Disc(5.0, 0.0).shape = MakePolyline({{0, 0}, {1, 0}, {1, 1}});
  const WorldView world = scenario.Start();
  RayScene scene;
  GatherFreeScene(world, 0, scene);
  EXPECT_EQ(scene.circles(), 1U);
  EXPECT_EQ(scene.circle_owner()[0], 1);
  EXPECT_EQ(scene.segments(), 6U);
  EXPECT_EQ(scene.segment_owner()[4], 5);
  const SceneCapacity capacity = FreeSceneCapacity(world.spec());
  EXPECT_GE(capacity.segments, 6U);
  EXPECT_EQ(capacity.circles, 2U);
}

}  // namespace
}  // namespace planarium
