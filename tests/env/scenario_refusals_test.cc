// What cannot be loaded is refused by name and line, never ignored.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "tests/env/scenario_testing.h"

namespace planarium {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

std::string Robot(const std::string& keys) {
  return "robot:\n- kinematics: {name: diff}\n  " + keys + "\n";
}

std::string Shaped(const std::string& shape) { return "obstacle:\n- shape: " + shape + "\n"; }

std::string Driven(const std::string& kinematics) {
  return "robot:\n- kinematics: " + kinematics + "\n";
}

// A text and parts of the one line that refuses it.
struct Case {
  std::string text;
  std::vector<std::string> says;
};

void ExpectRefused(const std::vector<Case>& cases) {
  for (const Case& refused : cases) {
    EXPECT_THAT(Refusal(refused.text), Says(refused.says)) << refused.text;
  }
}

TEST(LoaderRefuses, WhatThisReleaseDoesNotBuild) {
  ExpectRefused({
      {"world: {collision_mode: contact}", {":1:25 world.collision_mode", "contact is not built"}},
      {"world: {fog_map: true}", {"world.fog_map: fog maps are not built yet"}},
      {"world: {obstacle_map: {name: perlin}}", {"obstacle maps are not built yet, got a mapping"}},
      {"world: {step_mode: External}", {"step_mode external is not built yet"}},
      {Robot("behavior: {name: sfm}"), {":3:14 robot[0].behavior.name", "sfm is not built yet"}},
      {Robot("behavior: {name: rvo, mode: vo}"), {"robot[0].behavior.mode", "rvo mode vo is not"}},
      {Robot("behavior: {name: rvo, mode: hrvo}"), {"rvo mode hrvo is not built yet"}},
      {Robot("group_behavior: {name: orca}"), {"robot[0].group_behavior", "not built yet"}},
      {Robot("sensors: [{type: fmcw_lidar2d}]"), {"robot[0].sensors[0].type", "not built yet"}},
      {Robot("sensors: [{name: contact2d}]"), {"robot[0].sensors[0].name", "not built yet"}},
      {Shaped("{name: compound, parts: []}"), {"obstacle[0].shape.name: compound shapes are not"}},
      {"obstacle:\n- {mass: 2}\n", {":2:10 obstacle[0].mass", "pushed", "not built yet"}},
      {Robot("distribution: {name: uniform}"), {"distribution uniform is not built"}},
      {Robot("distribution: {name: random, 3d: true}"), {"3d distributions are not built"}},
      {Driven("{name: otter_usv}"), {":2:16 robot[0].kinematics.name", "'otter_usv'"}},
  });
}

TEST(LoaderRefuses, PairsOfDriveAndBehaviorThatDoNotExist) {
  ExpectRefused({
      {"robot: {kinematics: {name: acker}, behavior: {name: rvo}}",
       {"there is no behavior rvo for acker kinematics", "rvo exists for diff, omni"}},
      {"robot: {kinematics: {name: omni_angular}, behavior: {name: rvo}}", {"for omni_angular"}},
  });
}

TEST(LoaderRefuses, SyntaxOfIrSimBeforeVersionTwo) {
  ExpectRefused({
      {"world: {}\nrobots: {}\n", {":2:1 robots", "before version 2", "the new key is robot"}},
      {"cars: {}", {"the new key is robot with kinematics: {name: acker}"}},
      {"obstacles: []", {"the new key is obstacle"}},
      {"obs_cirs: {}", {"the new key is obstacle with shape: {name: circle}"}},
      {"obs_lines: {}", {"shape: {name: linestring}"}},
      {"world:\n  world_height: 3\n", {":2:3 world.world_height", "the new key is height"}},
      {"world:\n  world_map: cave.png\n", {"the new key is obstacle_map"}},
  });
}

TEST(LoaderRefuses, FilesThatAreNoWorlds) {
  EXPECT_THAT(Refusal(""),
              ElementsAre("world.yaml <root>: expected a mapping, got null (empty file?) (error)"));
  EXPECT_THAT(Refusal("# only a comment\n"), Says({"got null (empty file?)"}));
  EXPECT_THAT(Refusal("- 1\n"),
              Says({"world.yaml:1:1 <root>: expected a mapping, got a list of 1"}));
  EXPECT_THAT(Refusal("world"), Says({"expected a mapping, got the text 'world'"}));
  EXPECT_THAT(Refusal("world:\n"), Says({"world: expected a mapping, got null"}));
  EXPECT_THAT(Refusal("robot: [null]"), Says({"robot[0]: expected a mapping, got null"}));
  EXPECT_THAT(Refusal("irsim: 3"), Says({"irsim: unknown top-level key"}));
  EXPECT_THAT(Refusal("world: {}\n---\nworld: {}\n"), Says({":2:1", "expected one document"}));
}

TEST(LoaderRefuses, ValuesOutsideTheirMeaning) {
  ExpectRefused({
      {"world: {step_time: 0}", {"world.step_time: expected a number > 0, got 0"}},
      {"world: {step_time: -0.1}", {"expected a number > 0"}},
      {"world: {step_time: .nan}", {"expected a number > 0, got .nan"}},
      {"world: {width: .inf}", {"world.width"}},
      {"world: {width: '10'}", {"got the text '10'", "write it without quotes"}},
      {"world: {offset: [1]}", {"world.offset: expected a list of 2 to 3 numbers"}},
      {"world: {gravity: 0}", {"world.gravity: expected a number > 0, got 0"}},
      {"world: {gravity: fast}", {"world.gravity"}},
      {"world: {restitution: 1.5}", {"expected a number from 0 to 1, got 1.5"}},
      {"world: {name: x}", {"world.name: the world is named after its file"}},
      {"world: {step_mode: 1}", {"world.step_mode: expected text, got 1"}},
      {Robot("goal_threshold: .nan"), {"robot[0].goal_threshold"}},
      {Robot("state: [1, .inf, 0]"), {"robot[0].state[1]: expected a number, got .inf"}},
      {Robot("state: [a, 2, 3]"), {"robot[0].state[0]: expected a list", "the text 'a'"}},
      {Robot("state: 3"), {"robot[0].state: expected a list"}},
      {Robot("goal: [1]"), {"robot[0].goal: expected a list of 2 to 16 numbers, got a list of 1"}},
      {Robot("goal: []"), {"got an empty list"}},
      {Robot("number: 2.5"), {"robot[0].number: expected an integer >= 0, got 2.5"}},
      {Robot("number: -1"), {"expected an integer >= 0, got -1"}},
      {Robot("group: [0, 1]"), {"robot[0].group: expected an integer"}},
      {Robot("arrive_mode: State"), {"expected position or state, got the text 'State'"}},
      {Robot("mass: 0"), {"robot[0].mass: expected a number > 0, got 0"}},
      {Robot("number: 2\n  mass: [1, -1]"), {"robot[0].mass[1]"}},
      {Robot("friction: -1"), {"robot[0].friction"}},
      {Robot("state: [1.0e+300, 0, 0]"), {"state[0]: expected a number <= 1e+09"}},
      {Robot("goal: [0, -1.0e+10, 0]"), {"goal[1]: expected a number >= -1e+09"}},
      {"world: {width: 1.0e+10}", {"expected a number > 0 and <= 1e+09"}},
      {Robot("role: robot"), {"robot[0].role: the section gives the role"}},
      {Robot("state_dim: 2"), {"robot[0].state_dim: expected an integer >= 3, got 2"}},
      {Robot("vel_dim: 3"), {"robot[0].vel_dim"}},
  });
}

TEST(LoaderRefuses, LimitsThatDoNotFitTheDrive) {
  ExpectRefused({
      {Robot("vel_max: [1, 1, 1]"), {":3:12 robot[0].vel_max: expected a list of 2 numbers"}},
      {Robot("vel_min: [-.inf, -1]"), {"robot[0].vel_min[0]"}},
      {Robot("acce: [-1, 1]"), {"robot[0].acce[0]: expected a number >= 0, got -1"}},
      {Robot("acce: [.nan, 1]"), {"robot[0].acce[0]"}},
      {Robot("angle_range: [-3.14, 3.14]"), {"robot[0].angle_range", "exactly 2 pi apart"}},
      {Robot("angle_range: [0]"), {"robot[0].angle_range: expected a list of 2 numbers"}},
  });
  EXPECT_THAT(Remarks(Robot("vel_min: [2, -1]")), Says({"vel_min exceeds vel_max in element 0"}));
  EXPECT_THAT(Load("obstacle: {angle_range: [-3, 3], vel_max: [1, 1]}").diagnostics,
              testing::IsEmpty())
      << "limits of what never moves are not looked at";
}

TEST(LoaderRefuses, Kinematics) {
  ExpectRefused({
      {Driven("diff"),
       {"robot[0].kinematics: expected a mapping", "write kinematics: {name: diff}"}},
      {Driven("{name: Static}"), {"unknown kinematics 'Static'", "did you mean static?"}},
      {Driven("{name: dif}"), {"did you mean diff?"}},
      {Driven("{name: diff, colour: 1}"),
       {":2:28 robot[0].kinematics.colour: unknown key", "(error)"}},
      {Driven("{name: diff, mode: steer}"),
       {"kinematics.mode: only acker kinematics has this key"}},
      {Driven("{name: omni, wheelbase: 1}"), {"kinematics.wheelbase: only acker"}},
      {Driven("{name: acker, mode: crab}"), {"expected steer or angular, got 'crab'"}},
      {Driven("{name: acker, wheelbase: 0}"), {"kinematics.wheelbase: expected a number > 0"}},
      {Driven("{name: diff, noise: true, alpha: [1, 2]}"), {"alpha: expected a list of 4 to 16"}},
      {Driven("{name: omni, alpha: [-1, 2]}"), {"alpha[0]: expected a number >= 0"}},
      {Driven("{name: diff, tau: -1}"), {"kinematics.tau"}},
  });
  EXPECT_THAT(Remarks(Driven("{name: static, mode: x, extra: 1}")), Says({"extra", "(warning)"}));
  EXPECT_THAT(Remarks(Driven("{noise: true}")), Says({"does not drive itself", "(warning)"}));
  EXPECT_THAT(Load(Driven("{name: diff, mode: null, wheelbase: null}")).diagnostics,
              testing::IsEmpty());
}

TEST(LoaderRefuses, Shapes) {
  ExpectRefused({
      {Shaped("circle"), {"expected a mapping", "write shape: {name: circle}"}},
      {Shaped("{name: elipse}"), {"obstacle[0].shape.name: unknown shape 'elipse'"}},
      {Shaped("{name: circel}"), {"did you mean circle?"}},
      {Shaped("{name: circle, radius: 0}"),
       {":2:33 obstacle[0].shape.radius: expected a number > 0"}},
      {Shaped("{name: circle, radius: .nan}"), {"shape.radius"}},
      {Shaped("{name: circle, raduis: 1}"),
       {"shape.raduis: unknown key; did you mean radius? (error)"}},
      {Shaped("{name: rectangle, radius: 1}"), {"shape.radius: unknown key", "(error)"}},
      {Shaped("{name: rectangle, length: -1}"), {"shape.length: expected a number > 0"}},
      {Shaped("{name: rectangle, wheelbase: -1}"), {"shape.wheelbase: expected a number >= 0"}},
      {Shaped("{name: circle, random_shape: true, radius_range: [2, 1]}"), {"lower end exceeds"}},
      {Shaped("{name: polygon, vertices: [[0, 0], [1, 0]]}"), {"at least 3 different vertices"}},
      {Shaped("{name: polygon, vertices: [[0, 0], [1, 0], [2, 0]]}"), {"not on one line"}},
      {Shaped("{name: polygon, vertices: [[0, 0], [1, x], [2, 0]]}"), {"shape.vertices[1][1]"}},
      {Shaped("{name: polygon, vertices: [[0, 0], [1], [2, 0]]}"), {"shape.vertices[1]: expected"}},
      {Shaped("{name: polygon, vertices: [[0, 0], null, [2, 0]]}"), {"expected [x, y], got null"}},
      {Shaped("{name: polygon, vertices: 3}"), {"expected a list of [x, y], got 3"}},
      {Shaped("{name: linestring}"), {"shape.vertices: a linestring needs vertices"}},
      {Shaped("{name: linestring, random_shape: true}"), {"a linestring needs vertices"}},
      {Shaped("{name: linestring, vertices: [[1, 1], [1, 1]]}"), {"at least 2 different vertices"}},
      {Shaped("{name: linestring, vertices: [], random_shape: true, spikeyness_range: [0, 1]}"),
       {"not together with is_convex"}},
      {Shaped("{name: polygon, random_shape: true, irregularity_range: [0, 2]}"), {"from 0 to 1"}},
      {Shaped("{name: polygon, random_shape: true, num_vertices_range: [3, 3]}"), {"low < high"}},
      {Shaped("{name: polygon, random_shape: true, num_vertices_range: [2, 5]}"), {"from 3 to"}},
      {Shaped("{name: polygon, random_shape: true, num_vertices_range: [3.5, 5]}"),
       {"two integers"}},
      {Shaped("{name: polygon, random_shape: true, center_range: [1, 0, 0, 0]}"), {"center_range"}},
  });
}

TEST(LoaderRefuses, Distributions) {
  ExpectRefused({
      {Robot("distribution: random"), {"write distribution: {name: random}"}},
      {Robot("distribution: {}"), {"expected manual, random or circle"}},
      {Robot("distribution: {name: Random}"), {"did you mean random?"}},
      {Robot("distribution: {name: random, range_low: [1, 1]}"), {"a list of 3 to 4 numbers"}},
      {Robot("distribution: {name: random, range_low: [11, 0, 0]}"),
       {"range_low exceeds range_high"}},
      {Robot("distribution: {name: circle, radius: big}"), {"distribution.radius"}},
      {Robot("distribution: {name: circle, center: [1]}"), {"distribution.center"}},
  });
}

TEST(LoaderRefuses, Behaviors) {
  ExpectRefused({
      {Robot("behavior: dash"), {"write behavior: {name: dash}"}},
      {Robot("behavior: {name: rvo, vxmax: fast}"), {"robot[0].behavior.vxmax: expected a number"}},
      {Robot("behavior: {name: rvo, mode: orca}"), {"expected rvo, got 'orca'"}},
      {Robot("behavior: {name: dash, wander: true, range_low: [5, 5, 5]}"), {"exceeds range_high"}},
      {Robot("behavior: {name: dash, range_low: 3}"), {"behavior.range_low: expected a list"}},
  });
}

TEST(LoaderRefuses, Sensors) {
  ExpectRefused({
      {Robot("sensors: {type: lidar2d}"), {"expected a list of sensors", "begin each sensor with"}},
      {Robot("sensors: [{type: lidra2d}]"), {"robot[0].sensors[0].type", "did you mean lidar2d?"}},
      {Robot("sensors: [{type: camera}]"), {"unknown sensor 'camera'", "known: lidar2d"}},
      {Robot("sensors: [{name: front, type: lidar2d}]"), {"`name` goes before `type`"}},
      {Robot("sensors: [{number: 0}]"), {"sensors[0].number: expected an integer from 1 to 4096"}},
      {Robot("sensors: [{number: 5000}]"), {"from 1 to 4096, got 5000"}},
      {Robot("sensors: [{number: 10.0}]"), {"sensors[0].number"}},
      {Robot("sensors: [{range_min: 5, range_max: 5}]"), {"range_min must be less than range_max"}},
      {Robot("sensors: [{range_max: -1}]"), {"sensors[0].range_max"}},
      {Robot("sensors: [{std: -1}]"), {"sensors[0].std"}},
      {Robot("sensors: [{angle_range: wide}]"), {"sensors[0].angle_range"}},
      {Robot("sensors: [{offset: [1, 2]}]"), {"sensors[0].offset"}},
      {Robot("sensors: [3]"), {"robot[0].sensors[0]: expected a list of sensors, got 3"}},
  });
}

TEST(LoaderRefuses, TwoObjectsOfOneName) {
  ExpectRefused({
      {"robot: {number: 2, name: a}", {"objects 0 and 1 are both named 'a'"}},
      {"robot: {name: obstacle_1}\nobstacle: {}\n",
       {":2:11 name: objects 0 and 1", "'obstacle_1'"}},
  });
}

TEST(LoaderRefuses, WorldsBeyondTheirLimits) {
  LoadLimits limits;
  limits.max_objects = 3;
  EXPECT_THAT(Refusal("obstacle: [{number: 2}, {number: 2}]", limits),
              Says({"obstacle[1].number: more than 3 objects in one world"}));
  EXPECT_THAT(Refusal("obstacle: {number: 1000000000000}"), Says({"more than 4096 objects"}));
  limits = {};
  limits.max_vertices = 3;
  EXPECT_THAT(
      Refusal(Shaped("{name: polygon, vertices: [[0, 0], [1, 0], [1, 1], [0, 1]]}"), limits),
      Says({"4 vertices; at most 3 are allowed"}));
  EXPECT_THAT(
      Refusal(Shaped("{name: polygon, random_shape: true, num_vertices_range: [3, 6]}"), limits),
      Says({"num_vertices_range"}));
  limits = {};
  limits.max_beams = 10;
  EXPECT_THAT(Refusal(Robot("sensors: [{number: 11}]"), limits), Says({"from 1 to 10, got 11"}));
  limits = {};
  limits.max_bytes = 4;
  EXPECT_THAT(Refusal("world: {}", limits), Says({"world.yaml: the text has 9 bytes"}));
}

TEST(LoaderRefuses, WhatOneNumberMultipliesBeyondReason) {
  std::string circle = "[1, 0]";
  std::string goals = "[1, 2, 0]";
  for (int i = 1; i < 2000; ++i) {
    const double angle = 3.14 * i / 2000;
    circle +=
        ", [" + std::to_string(std::cos(angle)) + ", " + std::to_string(std::sin(angle)) + "]";
    goals += ", [1, 2, 0]";
  }
  const std::string many = "obstacle: {number: 4096, ";
  EXPECT_THAT(Refusal(many + "shape: {name: polygon, vertices: [" + circle + "]}}"),
              Says({"more than 1048576 vertices and goals together"}));
  EXPECT_THAT(Refusal(many + "goal: [[" + goals + "]]}"), Says({"more than 1048576 vertices"}));
  std::string sensors = "{}";
  for (int i = 0; i < 16; ++i) sensors += ", {}";
  EXPECT_THAT(Refusal(many + "sensors: [" + sensors + "]}"), Says({"17 sensors on one object"}));
}

TEST(LoaderRefuses, EachFaultOnceHoweverManyObjectsShareIt) {
  EXPECT_THAT(Refusal("obstacle: {number: 500, shape: {name: circle, radius: -1}, state: x}"),
              SizeIs(2));
}

TEST(LoaderRefuses, EverythingWrongInOneGo) {
  const auto findings = Refusal(
      "world: {step_time: 0, widht: 3}\nrobots: {}\nrobot:\n- kinematics: {name: dif}\n"
      "  shape: {name: circle, radius: -1}\n");
  EXPECT_THAT(findings, SizeIs(5));
  EXPECT_THAT(findings.back(), HasSubstr("(warning)")) << "errors come first";
}

}  // namespace
}  // namespace planarium
