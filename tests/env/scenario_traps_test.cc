// Traps of world files in the wild: each is taken from a file that somebody uses.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "physics/math.h"
#include "tests/env/scenario_testing.h"

namespace planarium {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

const std::string kRobot = "robot: {kinematics: {name: diff}, shape: {name: circle}";

// T1
TEST(LoaderTraps, TheLastOfTwoEqualSectionsWins) {
  const Scenario scenario = Load("obstacle:\nworld: {}\nobstacle:\n- {number: 11}\n");
  EXPECT_THAT(scenario.world.objects, SizeIs(11));
  EXPECT_THAT(Shown(scenario.diagnostics),
              ElementsAre("world.yaml:3:1 obstacle: duplicate key (lines 1 and 3): the last one "
                          "wins, as in PyYAML (warning)"));
}

// T2
TEST(LoaderTraps, TheLastOfTwoEqualScalarsWins) {
  const std::string text =
      "robot:\n  kinematics: {name: diff}\n  goal_threshold: 0.1\n  goal_threshold: 1.0\n";
  EXPECT_EQ(Load(text).world.objects[0].goal_threshold, 1.0);
  EXPECT_THAT(Remarks(text), Says({"world.yaml:4:3 robot.goal_threshold", "lines 3 and 4"}));
}

// T3
TEST(LoaderTraps, StatesAreCutOrPaddedToTheDrive) {
  const Scenario scenario = Load(
      "robot:\n- {kinematics: {name: diff}, state: [2, 3, 1, 9], goal: [4, 5]}\n"
      "- {kinematics: {name: acker}, state: [2, 3, 1]}\n"
      "obstacle: {state: [6, 7]}\n");
  EXPECT_EQ(scenario.world.objects[0].initial_state, (BodyState{2, 3, 1, 0}));
  EXPECT_THAT(scenario.world.objects[0].goals, ElementsAre(BodyState{4, 5, 0, 0}));
  EXPECT_EQ(scenario.world.objects[1].initial_state, (BodyState{2, 3, 1, 0}));
  EXPECT_EQ(scenario.world.objects[2].initial_state, (BodyState{6, 7, 0, 0}));
  EXPECT_THAT(
      Shown(scenario.diagnostics),
      ElementsAre("world.yaml:2:37 robot[0].state: the state of a diff robot has 3 numbers, "
                  "got 4: the rest is not used (warning)",
                  "world.yaml:3:38 robot[1].state: the state of a acker robot has 4 numbers, "
                  "got 3: padded with zeros (warning)"));
}

// T4
TEST(LoaderTraps, ListsLongerThanTheNumberAreCutAndShorterOnesRepeat) {
  const Scenario scenario = Load(
      "obstacle:\n  number: 2\n  state: [[1, 1, 0], [2, 2, 0], [3, 3, 0]]\n"
      "  shape: [{name: rectangle}]\n  color: [a, b, c]\n");
  EXPECT_THAT(scenario.world.objects, SizeIs(2));
  EXPECT_EQ(scenario.world.objects[1].initial_state[0], 2.0);
  EXPECT_EQ(std::get<Shape>(scenario.world.objects[1].shape).vertices.size(), 4u);
  EXPECT_THAT(Shown(scenario.diagnostics),
              Says({"obstacle.state: one state per object: 3 given for 2 objects, the rest"}));
  EXPECT_THAT(Shown(scenario.diagnostics),
              Says({"1 given for 2 objects, the last one is repeated"}));
}

// T5
TEST(LoaderTraps, NestingDecidesBetweenGoalsOfObjectsAndWayPoints) {
  const std::string two = "  number: 2\n  kinematics: {name: diff}\n  goal: ";
  const auto goals = [](const std::string& text, std::size_t object) {
    return Load(text).world.objects.at(object).goals;
  };
  EXPECT_THAT(goals("robot:\n" + two + "[5, 6, 0]", 1), ElementsAre(BodyState{5, 6, 0, 0}));
  EXPECT_THAT(goals("robot:\n" + two + "[[5, 6, 0], [7, 8, 0]]", 1),
              ElementsAre(BodyState{7, 8, 0, 0}));
  EXPECT_THAT(goals("robot:\n" + two + "[[[5, 6, 0], [7, 8, 0]]]", 1),
              ElementsAre(BodyState{5, 6, 0, 0}, BodyState{7, 8, 0, 0}));
}

TEST(LoaderTraps, WayPointsNestedOnceTooFewAreReadAsGoalsOfObjects) {
  const std::string text = "robot: {kinematics: {name: diff}, goal: [[5, 5, 0], [9, 9, 0]]}\n";
  EXPECT_THAT(Load(text).world.objects[0].goals, ElementsAre(BodyState{5, 5, 0, 0}));
  EXPECT_THAT(Remarks(text), Says({"robot.goal: one goal per object: 2 given for 1 object",
                                   "way-points of one object are nested once more", "(warning)"}));
}

// T6
TEST(LoaderTraps, MissingStateGoalAndShapeGetIrSimsDefaults) {
  const Scenario scenario = Load("obstacle: [{}, {shape: null, state: null, goal: null}]\n");
  for (const ObjectSpec& object : scenario.world.objects) {
    EXPECT_EQ(object.initial_state, (BodyState{1, 1, 0, 0}));
    EXPECT_THAT(object.goals, ElementsAre(BodyState{1, 9, 0, 0}));
    EXPECT_EQ(std::get<Shape>(object.shape).radius, 1.0);
  }
}

TEST(LoaderTraps, ANullAmongGoalsIsNoGoal) {
  const Scenario scenario = Load("obstacle: {number: 2, goal: [[1, 2, 0], null]}\n");
  EXPECT_THAT(scenario.world.objects[0].goals, SizeIs(1));
  EXPECT_THAT(scenario.world.objects[1].goals, IsEmpty());
}

// T7
TEST(LoaderTraps, DistributionsIgnoreStateAndGoal) {
  const std::string text =
      "robot: {number: 2, kinematics: {name: diff}, distribution: {name: circle, radius: 3},\n"
      "  state: [[0, 0, 0]], goal: [1, 1, 1]}\n";
  EXPECT_EQ(Load(text).world.objects[0].initial_state[0], 8.0);
  EXPECT_THAT(Remarks(text), Says({"robot.state: not used: the circle distribution gives it"}));
  EXPECT_THAT(Remarks(text), Says({"robot.goal: not used"}));
}

// T8
TEST(LoaderTraps, UnknownKeysOfDistributionPolygonBehaviorAndSensorAreWarnings) {
  const auto remarks = Remarks(
      "robot:\n  kinematics: {name: diff}\n  distribution: {name: random, range_lo: [0, 0, 0]}\n"
      "  shape: {name: polygon, vertices: [[0, 0], [1, 0], [0, 1]], vertexes: 3}\n"
      "  behavior: {name: rvo, accer: 1.0}\n  sensors: [{type: lidar2d, range_mx: 3}]\n");
  EXPECT_THAT(remarks, Says({":3:32 robot.distribution.range_lo", "range_low?", "(warning)"}));
  EXPECT_THAT(remarks, Says({":4:62 robot.shape.vertexes", "vertices?", "(warning)"}));
  EXPECT_THAT(remarks, Says({":5:25 robot.behavior.accer", "acce?", "(warning)"}));
  EXPECT_THAT(remarks, Says({":6:29 robot.sensors[0].range_mx", "range_max?", "(warning)"}));
}

// T9
TEST(LoaderTraps, UnknownTopLevelKeysAreErrors) {
  EXPECT_THAT(
      Refusal("world: {}\nuav: []\n"),
      ElementsAre("world.yaml:2:1 uav: unknown top-level key; valid keys: world, gui, robot, "
                  "obstacle, custom (error)"));
  EXPECT_THAT(Refusal("obstacel: {}\n"), Says({"did you mean obstacle?"}));
  EXPECT_THAT(Load("custom: {uav: 1}").diagnostics, IsEmpty());
}

// T10
TEST(LoaderTraps, UnknownKeysOfObjectsAndWorldAreWarnings) {
  EXPECT_THAT(Remarks(kRobot + ", accl_max: [1, 1]}"), Says({"robot.accl_max", "(warning)"}));
  EXPECT_THAT(Remarks(kRobot + ", goal_treshold: 1}"), Says({"did you mean goal_threshold?"}));
  EXPECT_THAT(Remarks("world: {step_tme: 1}"), Says({"world.step_tme", "did you mean step_time?"}));
}

// T11
TEST(LoaderTraps, ScannersBeyondAFullTurnAreClipped) {
  for (const char* range : {"6.2832", "6.28318530718", "7"}) {
    const std::string text = kRobot + ", sensors: [{type: lidar2d, angle_range: " + range + "}]}";
    const Scenario scenario = Load(text);
    EXPECT_EQ(scenario.plans[0].sensor_specs[0].params.Number("angle_range", 0.0), kTwoPi);
    EXPECT_THAT(Shown(scenario.diagnostics),
                Says({"angle_range: clipped to [0, 2 pi]", "(warning)"}));
  }
  const Scenario below = Load(kRobot + ", sensors: [{type: lidar2d, angle_range: 6.283185}]}");
  EXPECT_EQ(below.plans[0].sensor_specs[0].params.Number("angle_range", 0.0), 6.283185);
  EXPECT_THAT(below.diagnostics, IsEmpty());
}

// T12
TEST(LoaderTraps, UnknownCollisionModesActAsUnobstructed) {
  for (const char* mode : {"react", "null", "Stop", "off"}) {
    const Scenario scenario = Load(std::string("world: {collision_mode: ") + mode + "}");
    EXPECT_EQ(scenario.world.collision_mode, CollisionMode::kUnobstructed) << mode;
    EXPECT_THAT(Shown(scenario.diagnostics), Says({"acts like unobstructed", "(warning)"})) << mode;
  }
}

// T13
TEST(LoaderTraps, ControlModesAreAccepted) {
  for (const char* mode : {"none", "keyboard", "auto", "null"}) {
    EXPECT_THAT(Remarks(std::string("world: {control_mode: ") + mode + "}"),
                ElementsAre(testing::HasSubstr("(note)")));
  }
}

// T14
TEST(LoaderTraps, StartsAndGoalsMayLieOutsideTheWorld) {
  EXPECT_THAT(Load(kRobot + ", state: [-5, 1, 0], goal: [1, 400, 0]}").diagnostics, IsEmpty());
}

// T15
TEST(LoaderTraps, UnusualLayoutsParseAsInPyYaml) {
  EXPECT_THAT(
      Load("world:\r\n  width: 3\r\nrobot:\r\n- shape: {name: circle, radius: 1.}\r\n  sensors:\r\n"
           "  - type: lidar2d\r\n    number: 5\r\n  kinematics: {name: 'diff',}")
          .plans.at(0)
          .sensors,
      SizeIs(1));
  EXPECT_THAT(Load("# 世界\nobstacle: [{shape: {name: rectangle, length: 2.,\n width: 1},},]")
                  .world.objects,
              SizeIs(1));
  EXPECT_THAT(Refusal("world: {step_time: 1e-1}"),
              Says({"world.step_time: expected a number > 0, got the text '1e-1'", "1.0e-3"}));
}

// T16
TEST(LoaderTraps, AnchorsAliasesAndMergeKeysResolve) {
  const Scenario scenario = Load(
      "custom: {box: &box {name: rectangle, length: 2}}\n"
      "obstacle:\n- &first {shape: *box, state: [3, 3, 0]}\n- {<<: *first, state: [4, 4, 0]}\n");
  EXPECT_EQ(std::get<Shape>(scenario.world.objects.at(1).shape).vertices.size(), 4u);
  EXPECT_EQ(scenario.world.objects[1].initial_state[0], 4.0);
}

// T17
TEST(LoaderTraps, ObstacleMapsAreRefusedByName) {
  EXPECT_THAT(Refusal("world:\n  obstacle_map: /home/me/maze.png\n"),
              Says({"world.yaml:2:17 world.obstacle_map: obstacle maps are not built yet",
                    "'/home/me/maze.png'"}));
}

// T18
TEST(LoaderTraps, BehaviorsInPythonLoadAndNeedActions) {
  const Scenario scenario =
      Load(kRobot + ", behavior: {name: pure_pursuit, look_ahead: 2, wander: true}}");
  EXPECT_TRUE(scenario.plans[0].behavior.external);
  EXPECT_EQ(scenario.plans[0].behavior.name, "pure_pursuit");
  EXPECT_TRUE(scenario.plans[0].behavior.wander);
  EXPECT_THAT(Shown(scenario.diagnostics),
              Says({"robot.behavior.name: behavior 'pure_pursuit' is not built in",
                    "must be given actions", "(note)"}));
  EXPECT_THAT(Remarks(kRobot + ", behavior: {name: dahs}}"),
              Says({"did you mean dash?", "(warning)"}));
  EXPECT_TRUE(Load(kRobot + ", behavior: {wander: true}}").plans[0].behavior.external);
}

// T19
TEST(LoaderTraps, SampleTimeNeedNotFitTheStepTime) {
  for (const char* time : {"0", "0.001", "0.25", "null"}) {
    const Scenario scenario = Load(std::string("world: {sample_time: ") + time + "}");
    EXPECT_EQ(scenario.world.step_time, 0.1);
  }
}

// T20
TEST(LoaderTraps, WheelbaseMovesTheShapeOfAnyDriveAndZeroIsAValue) {
  const Scenario scenario = Load(
      "robot:\n"
      "- {kinematics: {name: diff}, shape: {name: rectangle, length: 4, width: 2, wheelbase: 3}}\n"
      "- {kinematics: {name: diff}, shape: {name: rectangle, length: 4, width: 2, wheelbase: 0}}\n"
      "- {kinematics: {name: acker}, shape: {name: rectangle, length: 4, width: 2, wheelbase: 3}}\n"
      "- {kinematics: {name: acker}, shape: {name: circle, wheelbase: 0}}\n");
  const auto left = [&](std::size_t i) {
    return std::get<Shape>(scenario.world.objects.at(i).shape).vertices.at(0).x;
  };
  EXPECT_EQ(left(0), -0.5) << "the rear axle is the origin";
  EXPECT_EQ(left(1), -2.0);
  EXPECT_EQ(scenario.world.objects[2].kinematics.wheelbase, 3.0);
  EXPECT_EQ(scenario.world.objects[3].kinematics.wheelbase, 1.0);
  EXPECT_THAT(Shown(scenario.diagnostics), Not(Says({"wheelbase"})));
}

}  // namespace
}  // namespace planarium
