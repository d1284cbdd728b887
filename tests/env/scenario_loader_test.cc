#include "env/scenario_loader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <string>

#include "physics/math.h"
#include "tests/env/scenario_testing.h"

namespace planarium {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

const ObjectSpec& Only(const Scenario& scenario) {
  EXPECT_THAT(scenario.world.objects, SizeIs(1));
  return scenario.world.objects.at(0);
}

const Shape& FixedShape(const ObjectSpec& object) { return std::get<Shape>(object.shape); }

TEST(LoadScenario, GivesIrSimsDefaultsForAnEmptyWorld) {
  const Scenario scenario = Load("world: {}\n");
  EXPECT_EQ(scenario.name, "world");
  EXPECT_EQ(scenario.world.step_time, 0.1);
  EXPECT_EQ(scenario.world.collision_mode, CollisionMode::kStop);
  EXPECT_EQ(scenario.world.bounds.max_x, 10.0);
  EXPECT_THAT(scenario.world.objects, IsEmpty());
  EXPECT_THAT(scenario.diagnostics, IsEmpty());
}

TEST(LoadScenario, GivesIrSimsDefaultsForABareObject) {
  const Scenario scenario = Load("robot: {kinematics: {name: diff}}\nobstacle: {}\n");
  const ObjectSpec& robot = scenario.world.objects.at(0);
  EXPECT_EQ(robot.name, "robot_0");
  EXPECT_EQ(robot.initial_state, (BodyState{1, 1, 0, 0}));
  EXPECT_THAT(robot.goals, ElementsAre(BodyState{1, 9, 0, 0}));
  EXPECT_EQ(FixedShape(robot).radius, 1.0);
  EXPECT_EQ(robot.kinematics.velocity_max[1], 1.0);
  EXPECT_EQ(robot.kinematics.velocity_min[0], -1.0);
  EXPECT_TRUE(std::isinf(robot.kinematics.acceleration[0]));
  EXPECT_EQ(robot.goal_threshold, 0.1);
  EXPECT_FALSE(robot.is_static);
  const ObjectSpec& obstacle = scenario.world.objects.at(1);
  EXPECT_EQ(obstacle.name, "obstacle_1");
  EXPECT_TRUE(obstacle.is_static);
  EXPECT_EQ(obstacle.kinematics.drive, Drive::kPassive);
  EXPECT_EQ(obstacle.group, 0) << "mapping sections share group 0";
}

TEST(LoadScenario, ReadsTheWorldSection) {
  const Scenario scenario = Load(
      "world: {width: 7.5, height: 12, offset: [-6, 1], step_time: 0.3, collision_mode: reactive,\n"
      "        gravity: '9.81', step_mode: ' Internal ', obstacle_map: null, fog_map: off}\n");
  const Aabb& bounds = scenario.world.bounds;
  EXPECT_EQ(bounds.min_x, -6.0);
  EXPECT_EQ(bounds.max_x, 1.5);
  EXPECT_EQ(bounds.min_y, 1.0);
  EXPECT_EQ(bounds.max_y, 13.0);
  EXPECT_EQ(scenario.world.step_time, 0.3);
  EXPECT_EQ(scenario.world.collision_mode, CollisionMode::kReactive);
}

TEST(LoadScenario, NamesTheWorldAfterItsFileUpToTheFirstDot) {
  EXPECT_EQ(LoadScenario("world: {}", "some.dir/maze.v2.yaml").name, "maze");
  EXPECT_EQ(LoadScenario("world: {}", "maze").world.name, "maze");
}

TEST(LoadScenario, HashesTheTextItself) {
  const std::string hash = LoadScenario("world: {}", "a").content_hash;
  EXPECT_EQ(hash.size(), 32u);
  EXPECT_EQ(LoadScenario("world: {}", "b").content_hash, hash);
  EXPECT_NE(LoadScenario("world: {} ", "a").content_hash, hash);
  EXPECT_NE(LoadScenario("world : {}", "a").content_hash, hash);
}

TEST(LoadScenario, ReadsWhatIsNestedUnderIrsim) {
  const Scenario scenario = Load("irsim: {world: {width: 3}}\nother_tool: {x: 1}\n");
  EXPECT_EQ(scenario.world.bounds.max_x, 3.0);
  EXPECT_THAT(Refusal("irsim: {wrld: {}}"), Says({"wrld", "did you mean world?"}));
}

TEST(LoadScenario, LeavesCustomDataAlone) {
  EXPECT_THAT(Load("custom: {anything: [1, {deep: yes}]}\nworld: {}\n").diagnostics, IsEmpty());
}

TEST(LoadScenario, NumbersRobotsBeforeObstaclesWhereverTheyStand) {
  const Scenario scenario = Load(
      "obstacle: {number: 2, name: [wall, box]}\n"
      "robot: [{kinematics: {name: omni}}, {kinematics: {name: acker}, group: 5}]\n");
  std::vector<std::string> names;
  for (const ObjectSpec& object : scenario.world.objects) {
    EXPECT_EQ(object.id, static_cast<int>(names.size()));
    names.push_back(object.name);
  }
  EXPECT_THAT(names, ElementsAre("robot_0", "robot_1", "wall", "box"));
  EXPECT_THAT(scenario.plans, SizeIs(4));
}

TEST(LoadScenario, GroupsFollowTheEntriesOfAList) {
  const Scenario scenario = Load(
      "robot:\n- {kinematics: {name: diff}}\n- {kinematics: {name: diff}, group: 7}\n"
      "obstacle:\n- {number: 2}\n- {group: 1}\n- {}\n");
  std::vector<int> groups;
  for (const ObjectSpec& object : scenario.world.objects) groups.push_back(object.group);
  EXPECT_THAT(groups, ElementsAre(0, 7, 8, 8, 1, 10));
}

TEST(LoadScenario, NestingOfListsDecidesBetweenSharedAndPerObject) {
  const Scenario scenario = Load(
      "obstacle:\n  number: 3\n  state: [[1, 2, 3], [4, 5]]\n  goal: [7, 8, 9]\n"
      "  shape: [{name: circle, radius: 0.5}, {name: rectangle}]\n  unobstructed: [no, yes]\n");
  const auto& objects = scenario.world.objects;
  EXPECT_EQ(objects[0].initial_state, (BodyState{1, 2, 3, 0}));
  EXPECT_EQ(objects[1].initial_state, (BodyState{4, 5, 0, 0}));
  EXPECT_EQ(objects[2].initial_state, (BodyState{4, 5, 0, 0})) << "the last one is repeated";
  EXPECT_THAT(objects[2].goals, ElementsAre(BodyState{7, 8, 9, 0}));
  EXPECT_EQ(FixedShape(objects[0]).kind, ShapeKind::kCircle);
  EXPECT_EQ(FixedShape(objects[2]).kind, ShapeKind::kPolygon);
  EXPECT_TRUE(objects[0].unobstructed) << "a flat list goes to every object and is truthy";
  EXPECT_THAT(Shown(scenario.diagnostics),
              Says({"obstacle.state",
                    "one state per object: 2 given for 3 objects, the last one "
                    "is repeated"}));
}

TEST(LoadScenario, CircleDistributionFacesEveryoneInwards) {
  const Scenario scenario =
      Load("robot: {number: 4, kinematics: {name: diff}, distribution: {name: circle}}\n");
  const auto& objects = scenario.world.objects;
  const double expected[4][3] = {
      {9.5, 5, -kPi}, {5, 9.5, -kPi / 2}, {0.5, 5, 0}, {5, 0.5, kPi / 2}};
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_NEAR(objects[i].initial_state[0], expected[i][0], 1e-15 * 16);
    EXPECT_NEAR(objects[i].initial_state[1], expected[i][1], 1e-15 * 16);
    EXPECT_EQ(objects[i].initial_state[2], expected[i][2]);
    EXPECT_NEAR(objects[i].goals.at(0)[0], 10.0 - expected[i][0], 1e-15 * 16);
    EXPECT_EQ(objects[i].goals.at(0)[2], expected[i][2]);
  }
}

TEST(LoadScenario, RandomDistributionIsLeftToTheEpisode) {
  const Scenario scenario = Load(
      "world: {width: 20, height: 8, offset: [1, 2]}\n"
      "robot: {kinematics: {name: diff}}\n"
      "obstacle:\n"
      "- {number: 3, distribution: {name: random}}\n"
      "- {number: 2, distribution: {name: random, range_low: [0, 1, 2], range_high: [3, 4, 5, 6],\n"
      "   min_distance: 0.25}}\n");
  ASSERT_THAT(scenario.placements, SizeIs(2));
  EXPECT_THAT(scenario.placements[0].objects, ElementsAre(1, 2, 3));
  EXPECT_THAT(scenario.placements[0].range_low, ElementsAre(1.5, 2.5, -kPi));
  EXPECT_THAT(scenario.placements[0].range_high, ElementsAre(20.5, 9.5, kPi));
  EXPECT_EQ(scenario.placements[0].min_distance, 1.0);
  EXPECT_THAT(scenario.placements[1].objects, ElementsAre(4, 5));
  EXPECT_THAT(scenario.placements[1].range_high, ElementsAre(3.0, 4.0, 5.0));
  EXPECT_EQ(scenario.placements[1].min_distance, 0.25);
  EXPECT_THAT(scenario.world.objects[1].goals, SizeIs(1));
}

TEST(LoadScenario, ReadsShapes) {
  const Scenario scenario = Load(
      "obstacle:\n"
      "- shape: {}\n"
      "- shape: {name: Circle, radius: 0.3, center: [1, 2], wheelbase: 0.5}\n"
      "- shape: {name: rectangle, length: 4, width: 2}\n"
      "- shape: {name: polygon, vertices: [[0, 0], [2, 0], [2, 0], [0, 1], [0, 0]]}\n"
      "- shape: {name: linestring, vertices: [[0, 0], [1, 0], [1, 1], [0, 0]]}\n");
  const auto& objects = scenario.world.objects;
  EXPECT_EQ(FixedShape(objects[0]).radius, 0.2) << "an explicit circle is smaller than none";
  EXPECT_EQ(FixedShape(objects[1]).center, (Vec2{1.25, 2}));
  EXPECT_THAT(FixedShape(objects[2]).vertices,
              ElementsAre(Vec2{-2, -1}, Vec2{2, -1}, Vec2{2, 1}, Vec2{-2, 1}));
  EXPECT_THAT(FixedShape(objects[3]).vertices, ElementsAre(Vec2{0, 0}, Vec2{2, 0}, Vec2{0, 1}));
  EXPECT_THAT(FixedShape(objects[4]).vertices, SizeIs(4)) << "a closed wall repeats its start";
}

TEST(LoadScenario, ReadsRandomShapes) {
  const Scenario scenario = Load(
      "obstacle:\n"
      "- shape: {name: circle, random_shape: true, radius_range: [0.2, 0.4], wheelbase: 1}\n"
      "- shape: {name: polygon, random_shape: true, is_convex: true, num_vertices_range: [4, 6]}\n"
      "- shape: {name: polygon, random_shape: true, is_convex: true, spikeyness_range: [0, 0.5]}\n"
      "- shape: {name: linestring, random_shape: true, vertices: null}\n");
  const auto& circle = std::get<RandomCircle>(scenario.world.objects[0].shape);
  EXPECT_EQ(circle.radius_min, 0.2);
  EXPECT_EQ(circle.radius_max, 0.4);
  EXPECT_EQ(circle.center.x, 0.5);
  const auto& polygon = std::get<RandomPolygon>(scenario.world.objects[1].shape);
  EXPECT_THAT(polygon.num_vertices_range, ElementsAre(4, 6));
  EXPECT_THAT(polygon.spikeyness_range, ElementsAre(0.0, 0.0)) << "convex: all on one circle";
  const auto& spiky = std::get<RandomPolygon>(scenario.world.objects[2].shape);
  EXPECT_THAT(spiky.spikeyness_range, ElementsAre(0.0, 0.5));
  const auto& chain = std::get<RandomPolygon>(scenario.world.objects[3].shape);
  EXPECT_EQ(chain.kind, ShapeKind::kPolyline);
  EXPECT_THAT(chain.spikeyness_range, ElementsAre(0.0, 0.0)) << "linestrings are convex by default";
}

TEST(LoadScenario, RepairsCrossingPolygonsAsIrSim) {
  const Scenario scenario =
      Load("obstacle: {shape: {name: polygon, vertices: [[0, 0], [2, 2], [2, 0], [0, 2]]}}");
  EXPECT_THAT(FixedShape(Only(scenario)).vertices,
              ElementsAre(Vec2{0, 0}, Vec2{2, 0}, Vec2{2, 2}, Vec2{0, 2}));
  EXPECT_THAT(Shown(scenario.diagnostics),
              Says({":1:", "obstacle.shape.vertices", "edges 0 and 2 meet", "bounding box"}));
}

TEST(LoadScenario, ReadsKinematics) {
  const Scenario scenario = Load(
      "robot:\n"
      "- kinematics: {name: DIFF, noise: true}\n"
      "- kinematics: {name: omni, noise: true}\n"
      "- kinematics: {name: omni_angular, noise: true, alpha: [1, 2, 3, 4, 5]}\n"
      "- {kinematics: {name: acker, mode: angular, wheelbase: 2}, shape: {name: rectangle,\n"
      "   wheelbase: 3}, state: [1, 2, 3, 0.5]}\n"
      "- {kinematics: {name: acker, noise: true, alpha: []}, shape: {name: polygon, wheelbase: 4,\n"
      "   vertices: [[0, 0], [1, 0], [0, 1]]}}\n"
      "- kinematics: {name: omni, noise: true, alpha: []}\n");
  const auto& objects = scenario.world.objects;
  EXPECT_EQ(objects[0].kinematics.drive, Drive::kDiff);
  EXPECT_TRUE(objects[0].kinematics.noise);
  EXPECT_THAT(objects[0].kinematics.alpha, ElementsAre(0.03, 0.0, 0.0, 0.03));
  EXPECT_THAT(objects[1].kinematics.alpha, ElementsAre(0.03, 0.03, 0.0, 0.0));
  EXPECT_THAT(objects[2].kinematics.alpha, ElementsAre(1.0, 2.0, 3.0, 4.0));
  EXPECT_EQ(objects[3].kinematics.acker_mode, AckerMode::kAngular);
  EXPECT_EQ(objects[3].kinematics.wheelbase, 2.0) << "kinematics.wheelbase goes before the shape's";
  EXPECT_EQ(objects[3].initial_state[3], 0.5);
  EXPECT_EQ(objects[4].kinematics.wheelbase, 4.0) << "any shape may carry it";
  EXPECT_THAT(objects[4].kinematics.alpha, ElementsAre(0.03, 0.0, 0.0, 0.03));
  EXPECT_THAT(objects[5].kinematics.alpha, ElementsAre(0.03, 0.0, 0.0, 0.03))
      << "an empty list means this for every drive";
}

TEST(LoadScenario, LimitsBroadcastOneNumberToAllRows) {
  const Scenario scenario = Load(
      "robot: {kinematics: {name: omni_angular}, vel_max: 2, vel_min: [-3], acce: [1, .inf, 2],\n"
      "        velocity: [0.1, 0.2, 0.3], angle_range: [0, 6.283185307179586]}\n");
  const KinematicsSpec& spec = Only(scenario).kinematics;
  EXPECT_THAT(spec.velocity_max, ElementsAre(2.0, 2.0, 2.0));
  EXPECT_THAT(spec.velocity_min, ElementsAre(-3.0, -3.0, -3.0));
  EXPECT_THAT(spec.acceleration, ElementsAre(1.0, INFINITY, 2.0));
  EXPECT_THAT(Only(scenario).initial_velocity, ElementsAre(0.1, 0.2, 0.3));
  EXPECT_EQ(spec.angle_max, kTwoPi);
}

TEST(LoadScenario, KnowsWhoNeverMoves) {
  const Scenario scenario = Load(
      "obstacle:\n"
      "- kinematics: {name: static}\n"
      "- {kinematics: {name: diff}, static: true}\n"
      "- {kinematics: {name: diff}}\n"
      "- {mass: 2, static: true}\n"
      "- {mass: inf}\n"
      "- {kinematics: {name: static}, mass: 2}\n");
  std::vector<bool> never;
  for (const ObjectSpec& object : scenario.world.objects) never.push_back(object.is_static);
  EXPECT_THAT(never, ElementsAre(true, true, false, true, true, true));
}

TEST(LoadScenario, ReadsBuiltInBehaviors) {
  const Scenario scenario = Load(
      "robot:\n"
      "- {kinematics: {name: diff}, behavior: {name: rvo, vxmax: 0.5, wander: true, loop: true,\n"
      "   range_low: [1, 2, -1], range_high: [3, 4, 1], target_roles: obstacle}}\n"
      "- {kinematics: {name: acker}, behavior: {name: dash, loop: yes}}\n"
      "- {kinematics: {name: diff}, behavior: {}}\n");
  const BehaviorSpec& rvo = scenario.plans[0].behavior;
  EXPECT_EQ(rvo.name, "rvo");
  EXPECT_FALSE(rvo.external);
  EXPECT_TRUE(rvo.wander);
  EXPECT_FALSE(rvo.loop) << "wander takes priority";
  EXPECT_THAT(rvo.range_high, ElementsAre(3.0, 4.0, 1.0));
  EXPECT_EQ(rvo.target_roles, TargetRoles::kObstacle);
  EXPECT_EQ(rvo.params.Number("vxmax", 0.0), 0.5);
  EXPECT_TRUE(scenario.plans[1].behavior.loop);
  EXPECT_THAT(scenario.plans[1].behavior.range_high, ElementsAre(10.0, 10.0, kPi));
  EXPECT_EQ(scenario.plans[2].behavior.name, "");
}

TEST(LoadScenario, BehaviorsOfObjectsThatNeverMoveAreDropped) {
  const Scenario scenario = Load("obstacle: {behavior: {name: rvo}}\n");
  EXPECT_EQ(scenario.plans[0].behavior.name, "");
  EXPECT_THAT(Shown(scenario.diagnostics), Says({"obstacle.behavior.name", "never moves"}));
}

TEST(LoadScenario, BuildsSensorsOnceForAllWhoShareThem) {
  const Scenario scenario = Load(
      "robot:\n"
      "- {number: 2, kinematics: {name: diff}, sensors: [{type: lidar2d, number: 7, color: r},\n"
      "   {name: lidar2d, offset: [0.1, 0, 0, 9]}]}\n"
      "- {number: 2, kinematics: {name: diff}, sensors: [[{}], null]}\n");
  const auto& plans = scenario.plans;
  ASSERT_THAT(plans[0].sensors, SizeIs(2));
  EXPECT_EQ(plans[0].sensors[0], plans[1].sensors[0]);
  EXPECT_EQ(plans[0].sensor_specs[0].params.Integer("number", 0), 7);
  EXPECT_EQ(plans[0].sensor_specs[1].name, "lidar2d_1");
  EXPECT_THAT(plans[0].sensor_specs[1].params.Numbers("offset", {}), ElementsAre(0.1, 0.0, 0.0));
  EXPECT_THAT(plans[2].sensors, SizeIs(1));
  EXPECT_THAT(plans[3].sensors, IsEmpty());
}

TEST(LoadScenario, GivesOneNoteForAllDrawingKeysOfASection) {
  const auto remarks = Remarks(
      "gui: {keyboard: {}}\nworld: {plot: {}, control_mode: keyboard}\n"
      "robot: [{kinematics: {name: diff}, color: r, plot: {}}, {color: b, fov: 1.57}]\n");
  EXPECT_THAT(remarks, SizeIs(3));
  EXPECT_THAT(remarks, Says({"robot: accepted and not used", "color, fov, plot", "(note)"}));
  EXPECT_THAT(remarks, Says({"world: accepted and not used", "plot, control_mode"}));
  EXPECT_THAT(remarks, Says({"gui: a server opens no window"}));
}

TEST(LoadScenario, AcceptsSectionsWithoutObjects) {
  EXPECT_THAT(Load("robot:\nobstacle: []\n").world.objects, IsEmpty());
  EXPECT_THAT(Remarks("robot: none\n"), Says({"no objects, as in IR-SIM", "(warning)"}));
  EXPECT_THAT(Load("robot: {number: 0}\n").world.objects, IsEmpty());
}

TEST(LoadScenarioFile, NamesAMissingFile) {
  try {
    LoadScenarioFile("/nowhere/world.yaml");
    FAIL();
  } catch (const SpecError& error) {
    EXPECT_STREQ(error.what(), "/nowhere/world.yaml: the file cannot be opened (error)");
  }
  EXPECT_THROW(LoadScenarioFile("/tmp"), SpecError) << "a folder is no file";
}

TEST(LoadScenarioFile, ReadsNoMoreThanAllowed) {
  const auto path = std::filesystem::temp_directory_path() / "planarium_large_world.yaml";
  std::ofstream(path) << "# " << std::string(100, 'x') << "\nworld: {}\n";
  LoadLimits limits;
  limits.max_bytes = 50;
  EXPECT_THROW(LoadScenarioFile(path.string(), limits), SpecError);
  EXPECT_NO_THROW(LoadScenarioFile(path.string()));
  std::filesystem::remove(path);
}

TEST(LintScenario, ListsFindingsWithoutThrowing) {
  EXPECT_THAT(LintScenario("world: {}", "f"), IsEmpty());
  EXPECT_THAT(Shown(LintScenario("world: {step_time: 0, widht: 3}", "f")),
              testing::AllOf(Says({"step_time"}), Says({"did you mean width?"})));
  EXPECT_THAT(Shown(LintScenario("world: [", "f")), Says({"YAML syntax"}));
}

}  // namespace
}  // namespace planarium
