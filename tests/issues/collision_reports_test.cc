#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <string>

#include "tests/testing/batch.h"
#include "tests/testing/scenes.h"

namespace planarium {
namespace {

using testing::ElementsAre;

/// A robot at x = 0.03 that drives along x through a disc of radius 0.3 at x = 1.
std::string ThroughADisc(const std::string& mode) {
  return "world: {step_time: 0.1, collision_mode: " + mode +
         "}\n"
         "robot: {kinematics: {name: omni}, shape: {name: circle, radius: 0.2}, state: [0.03, 5, "
         "0],"
         " goal: [9, 9, 0]}\n"
         "obstacle: {shape: {name: circle, radius: 0.3}, state: [1, 5, 0]}\n";
}

// hanruihua/ir-sim#55: after an upgrade, mode reactive no longer flagged collisions.
TEST(CollisionReports, EveryModeFlagsWhileTheBodiesOverlap) {
  for (const char* mode : {"stop", "reactive", "unobstructed", "unobstructed_obstacles"}) {
    Batch batch(scenes::Load(ThroughADisc(mode)), 1, EndlessTask());
    ASSERT_EQ(batch.Reset(), std::nullopt);
    for (int step = 0; step < 20; ++step) {
      ASSERT_EQ(batch.Step({1, 0}), std::nullopt);
      const ObjectState& robot = batch.object(0, 0);
      EXPECT_EQ(robot.collision, std::abs(robot.state[0] - 1.0) < 0.5)
          << mode << ", step " << step << ", x " << robot.state[0];
    }
  }
}

TEST(CollisionReports, OnlyTheModesThatSaySoFreezeTheRobot) {
  const auto end = [](const char* mode) {
    Batch batch(scenes::Load(ThroughADisc(mode)), 1, EndlessTask());
    EXPECT_EQ(batch.Reset(), std::nullopt);
    for (int step = 0; step < 20; ++step) EXPECT_EQ(batch.Step({1, 0}), std::nullopt);
    return batch.object(0, 0).state[0];
  };
  EXPECT_NEAR(end("stop"), 0.53, 1e-12) << "the first pose that overlaps";
  EXPECT_EQ(end("unobstructed_obstacles"), end("stop"));
  EXPECT_NEAR(end("reactive"), 2.03, 1e-12);
  EXPECT_EQ(end("unobstructed"), end("reactive"));
}

TEST(CollisionReports, TheEpisodeEndsWhetherOrNotTheModeFreezes) {
  for (const char* mode : {"stop", "reactive", "unobstructed", "unobstructed_obstacles"}) {
    Batch batch(scenes::Load(ThroughADisc(mode)), 1, DefaultTask());
    ASSERT_EQ(batch.Reset(), std::nullopt);
    int steps = 0;
    while (steps < 20 && batch.terminated[0] == 0) {
      ASSERT_EQ(batch.Step({1, 0}), std::nullopt);
      ++steps;
    }
    EXPECT_THAT(batch.terminated, ElementsAre(1)) << mode;
    EXPECT_NEAR(batch.object(0, 0).state[0], 0.53, 1e-12) << mode;
    EXPECT_THAT(batch.env.results().ends.reasons,
                ElementsAre(static_cast<std::uint8_t>(EndReason::kCollision)))
        << mode;
  }
}

// eclipse-sumo#9402: a coarse step jumps over a thin wall. The flags are of the ends of steps, as
// in the reference; this holds the documented behavior still.
TEST(CollisionReports, ABodyThatJumpsOverAWallWithinOneStepDoesNotCollide) {
  Batch batch(
      scenes::Load(
          "world: {step_time: 1.0}\n"
          "robot: {kinematics: {name: diff}, shape: {name: circle, radius: 0.2}, state: [0.5, 5, "
          "3.141592653589793], goal: [9, 9, 0]}\n"
          "obstacle: {shape: {name: linestring, vertices: [[0, 0], [0, 10]]}, state: [0, 0, 0]}\n"),
      1, EndlessTask());
  ASSERT_EQ(batch.Reset(), std::nullopt);
  ASSERT_EQ(batch.Step({1, 0}), std::nullopt);
  EXPECT_NEAR(batch.object(0, 0).state[0], -0.5, 1e-12);
  EXPECT_FALSE(batch.object(0, 0).collision);
}

// hanruihua/ir-sim PR #344: circles shifted by a wheelbase were drawn, avoided and collided at
// three different places.
TEST(CollisionReports, ACircleWithAWheelbaseHasOneCentre) {
  const auto scenario = [](double wall) {
    return scenes::Load(
        "robot: {kinematics: {name: acker}, shape: {name: circle, radius: 0.2, wheelbase: 0.34},"
        " state: [2, 5, 0, 0], goal: [9, 9, 0], sensors: [{type: lidar2d, number: 3}]}\n"
        "obstacle: {shape: {name: linestring, vertices: [[0, 0], [0, 10]]}, state: [" +
        std::to_string(wall) + ", 0, 0]}\n");
  };
  // The centre stands half a wheelbase ahead of the state: the hull ends at 2.37.
  for (const auto& [wall, touches] : {std::pair{2.36, true}, std::pair{2.38, false}}) {
    Batch batch(scenario(wall), 1, EndlessTask());
    ASSERT_EQ(batch.Reset(), std::nullopt);
    ASSERT_EQ(batch.Step({0, 0}), std::nullopt);
    EXPECT_EQ(batch.object(0, 0).collision, touches) << wall;
    EXPECT_NEAR(batch.object(0, 0).placed.center.x, 2.17, 1e-12);
    EXPECT_NEAR(batch.env.scan(0, 0, 0).scan.ranges[1], wall - 2.0, 1e-6)
        << "beams start at the state, not at the centre";
  }
}

// hanruihua/ir-sim#70: two bodies touch and only one of them is flagged.
TEST(CollisionReports, BothBodiesAreFlaggedAndNameEachOther) {
  for (const char* shape :
       {"{name: circle, radius: 0.2}", "{name: rectangle, length: 0.4, width: 0.4}",
        "{name: polygon, vertices: [[-0.2, -0.2], [0.2, -0.2], [0.2, 0.2]]}"}) {
    Batch batch(
        scenes::Load(std::string("world: {collision_mode: reactive}\n"
                                 "robot:\n"
                                 "  - {kinematics: {name: diff}, state: [5, 5, 0], goal: [9, 9, "
                                 "0], shape: ") +
                     shape +
                     "}\n  - {kinematics: {name: diff}, state: [5.39, 5, 0], goal: [9, 9, 0], "
                     "shape: " +
                     shape + "}\n"),
        1, EndlessTask());
    ASSERT_EQ(batch.Reset(), std::nullopt);
    ASSERT_EQ(batch.Step({0, 0}), std::nullopt);
    EXPECT_TRUE(batch.object(0, 0).collision) << shape;
    EXPECT_TRUE(batch.object(0, 1).collision) << shape;
    EXPECT_EQ(batch.object(0, 0).partner, 1) << shape;
    EXPECT_EQ(batch.object(0, 1).partner, 0) << shape;
  }
}

// A user's note on done(): it is true for a crash and for a success alike.
TEST(CollisionReports, CrashSuccessAndTimeOutAreThreeThings) {
  VectorEnvOptions options;
  options.max_episode_steps = 12;
  Batch batch(scenes::Load(scenes::Lane()), 3, DefaultTask(), options);
  ASSERT_EQ(batch.Reset(), std::nullopt);
  struct Outcome {
    int reason = 0, success = 0, terminated = 0, truncated = 0;
    bool operator==(const Outcome&) const = default;
  };
  std::array<Outcome, 3> outcomes{};
  // Slot 0 drives to its goal in 10 steps, slot 1 back into the disc in 6, slot 2 stands still.
  for (int step = 0; step < 12; ++step) {
    ASSERT_EQ(batch.Step({1, 0, -1, 0, 0, 0}), std::nullopt) << step;
    const EpisodeEnds ends = batch.env.results().ends;
    for (std::size_t k = 0; k < ends.slots.size(); ++k) {
      const auto slot = static_cast<std::size_t>(ends.slots[k]);
      outcomes[slot] = {ends.reasons[k], ends.success[k], batch.terminated[slot],
                        batch.truncated[slot]};
    }
  }
  EXPECT_EQ(outcomes[0], (Outcome{static_cast<int>(EndReason::kSuccess), 1, 1, 0}));
  EXPECT_EQ(outcomes[1], (Outcome{static_cast<int>(EndReason::kCollision), 0, 1, 0}));
  EXPECT_EQ(outcomes[2], (Outcome{static_cast<int>(EndReason::kTimeLimit), 0, 0, 1}));
}

}  // namespace
}  // namespace planarium
