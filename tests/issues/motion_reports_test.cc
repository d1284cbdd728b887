#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/testing/batch.h"
#include "tests/testing/scenes.h"

namespace planarium {
namespace {

using testing::Contains;
using testing::Each;
using testing::ElementsAre;

// hanruihua/ir-sim#74: a car circles round its goal for ever; the user's way-points were nested one
// level too few, so that only the first row counts.
TEST(MotionReports, ACarThatCirclesRoundItsGoalIsTruncated) {
  const auto scenario = scenes::Load(
      "world: {height: 50, width: 50, step_time: 0.1}\n"
      "robot:\n"
      "  - kinematics: {name: acker}\n"
      "    shape: {name: rectangle, length: 4.6, width: 1.6, wheelbase: 3}\n"
      "    state:\n"
      "      - [25, 25, 0, 0]\n"
      "    goal:\n"
      "      - [25, 28, 0]\n"
      "      - [15, 25, 0]\n"
      "    vel_max:\n"
      "      - [4, 0.5]\n"
      "    behavior: {name: dash}\n");
  VectorEnvOptions options;
  options.max_episode_steps = 200;
  Batch batch({{scenario, 1}}, DefaultTask(), options);
  ASSERT_EQ(batch.Reset(), std::nullopt);
  for (int step = 0; step < 199; ++step) {
    ASSERT_EQ(batch.StepPolicy("dash"), std::nullopt);
    ASSERT_EQ(batch.terminated[0] + batch.truncated[0], 0) << step;
  }
  ASSERT_EQ(batch.StepPolicy("dash"), std::nullopt);
  EXPECT_THAT(batch.terminated, ElementsAre(0));
  EXPECT_THAT(batch.truncated, ElementsAre(1));
}

TEST(MotionReports, TheGoalThresholdOfAFileDecidesTheArrival) {
  const auto steps = [](const std::string& threshold) {
    Batch batch(scenes::Load("world: {step_time: 0.1}\n"
                             "robot: {kinematics: {name: diff}, state: [1, 5, 0], goal: [3, 5, 0], "
                             "goal_threshold: " +
                             threshold + "}\n"),
                1, DefaultTask());
    EXPECT_EQ(batch.Reset(), std::nullopt);
    int count = 0;
    while (count < 100 && batch.terminated[0] == 0) {
      EXPECT_EQ(batch.Step({1, 0}), std::nullopt);
      ++count;
    }
    return count;
  };
  EXPECT_EQ(steps("0.15"), 19);
  EXPECT_EQ(steps("0.95"), 11);
}

// hanruihua/rl_rvo_nav#29: the turn rate was clipped on its positive side only, and a policy
// learned to exploit it.
TEST(MotionReports, VelocitiesAreClippedOnBothSides) {
  Task task = EndlessTask();
  task.action.range = {{-1.0, 1.0}, {-9.0, 9.0}};
  Batch batch(
      scenes::Load("robot: {kinematics: {name: diff}, vel_min: [-1, -1.5], vel_max: [1, 1.5],"
                   " goal: [9, 9, 0]}"),
      2, task);
  ASSERT_EQ(batch.Reset(), std::nullopt);
  ASSERT_EQ(batch.Step({0, 1, 0, -1}), std::nullopt);
  EXPECT_EQ(batch.object(0, 0).velocity, (Command{0.0, 1.5, 0.0}));
  EXPECT_EQ(batch.object(1, 0).velocity, (Command{0.0, -1.5, 0.0}));
  EXPECT_EQ(batch.object(0, 0).state[2], -batch.object(1, 0).state[2]);
}

// hanruihua/ir-sim PR #127: the scan of a moving obstacle was one step old.
TEST(MotionReports, AScanShowsWhatMovedInTheSameStep) {
  Batch batch(
      scenes::Load("world: {step_time: 0.1}\n"
                   "robot: {kinematics: {name: diff}, state: [1, 5, 0], goal: [9, 9, 0],"
                   " sensors: [{type: lidar2d, number: 3}]}\n"
                   "obstacle: {kinematics: {name: diff}, shape: {name: rectangle, length: 1,"
                   " width: 4}, state: [6, 5, 3.141592653589793], goal: [0, 5, 0],"
                   " behavior: {name: dash}}\n"),
      1, EndlessTask());
  ASSERT_EQ(batch.Reset(), std::nullopt);
  for (int step = 1; step <= 20; ++step) {
    ASSERT_EQ(batch.Step({0, 0}), std::nullopt);
    EXPECT_NEAR(batch.env.scan(0, 0, 0).scan.ranges[1], 4.5 - 0.1 * step, 1e-5) << step;
  }
}

// hanruihua/ir-sim#248, PR #284: the initial velocity of a file was lost at a reset.
TEST(MotionReports, AResetBringsBackTheInitialVelocityAndTheClock) {
  Batch batch(
      scenes::Load("robot: {kinematics: {name: diff}, velocity: [0.5, 0], goal: [9, 9, 0]}"), 1,
      EndlessTask());
  for (int round = 0; round < 2; ++round) {
    ASSERT_EQ(batch.Reset(), std::nullopt);
    EXPECT_EQ(batch.object(0, 0).velocity, (Command{0.5, 0.0, 0.0})) << round;
    EXPECT_EQ(batch.env.world(0).clock().step, 0U) << round;
    ASSERT_EQ(batch.Step({0, 1}), std::nullopt);
    EXPECT_NE(batch.object(0, 0).velocity, (Command{0.5, 0.0, 0.0})) << round;
  }
}

}  // namespace
}  // namespace planarium
