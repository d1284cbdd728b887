// Built-in steering against numbers from IR-SIM 2.12 and from its formulas.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <span>
#include <string>
#include <vector>

#include "tests/testing/batch.h"
#include "tests/testing/scenes.h"

namespace planarium {
namespace {

std::string WorldOf(const std::string& robots, const std::string& obstacles = "") {
  std::string text =
      "world: {height: 10, width: 10, step_time: 0.1, collision_mode: unobstructed}\nrobot:\n" +
      robots;
  if (!obstacles.empty()) text += "obstacle:\n" + obstacles;
  return text;
}

// One robot that its built-in dash steers.
class DashBatch : public Batch {
 public:
  explicit DashBatch(const std::string& robot)
      : Batch(scenes::Load(WorldOf("  - {" + robot + "}\n")), 1, EndlessTask()) {
    EXPECT_EQ(Reset(), std::nullopt);
  }
  const ObjectState& Dash(int steps = 1) {
    for (int k = 0; k < steps; ++k) EXPECT_EQ(StepPolicy("dash"), std::nullopt);
    return object(0, 0);
  }
};

TEST(Dash, DiffTurnsAtFullRateUntilItFacesTheGoal) {
  DashBatch batch("kinematics: {name: diff}, state: [1, 1, 0], goal: [1, 9, 0]");
  const std::array<double, 3> speeds{6.123233995736766e-17, 0.0998334166, 0.1974520946};
  for (const double speed : speeds) {
    const ObjectState& robot = batch.Dash();
    EXPECT_NEAR(robot.velocity[0], speed, 1e-10);
    EXPECT_EQ(robot.velocity[1], 1.0);
  }
  EXPECT_EQ(batch.Dash(13).velocity[1], 1.0) << "step 16";
  EXPECT_EQ(batch.Dash().velocity[1], 0.0) << "step 17";
  const ObjectState& robot = batch.Dash(3);
  EXPECT_NEAR(robot.state[0], 1.4766973702, 1e-10);
  EXPECT_NEAR(robot.state[1], 2.1486656358, 1e-10);
  EXPECT_NEAR(robot.state[2], 1.6, 1e-12);
}

TEST(Dash, DiffBacksUpWhenTheGoalIsBehind) {
  DashBatch batch("kinematics: {name: diff}, state: [5, 5, 0], goal: [2, 5.5, 0]");
  const ObjectState& robot = batch.Dash();
  EXPECT_NEAR(robot.velocity[0], std::cos(std::atan2(0.5, -3.0)), 1e-12);
  EXPECT_LT(robot.velocity[0], 0.0);
  EXPECT_EQ(robot.velocity[1], 1.0);
}

TEST(Dash, DiffBrakesItsTurnWithinTheAccelerationLimit) {
  // W = -a dt + sqrt((a dt)^2 + 2 a (|error| - tolerance)), reached one window of a dt at a time.
  DashBatch batch(
      "kinematics: {name: diff}, state: [1, 1, 0], goal: [9, 1.82, 0], acce: [10, 0.5],"
      " vel_max: [0, 1]");
  const double error = std::atan2(0.82, 8.0);
  EXPECT_NEAR(batch.Dash().velocity[1], -0.05 + std::sqrt(0.0025 + 2.0 * 0.5 * (error - 0.1)),
              1e-12);
}

TEST(Dash, StandsWithinTheGoalThreshold) {
  for (const char* drive : {"diff", "omni", "acker", "omni_angular"}) {
    DashBatch batch(std::string("kinematics: {name: ") + drive +
                    "}, state: [5, 5, 0], goal: [5.1, 5, 0], goal_threshold: 0.3");
    EXPECT_EQ(batch.Dash().velocity, Command{}) << drive;
  }
}

TEST(Dash, AckerSteersByTheHeadingErrorWithinItsLimit) {
  DashBatch near(
      "kinematics: {name: acker}, state: [1, 1, 0, 0], goal: [9, 3, 0], vel_max: [2, 1]");
  EXPECT_EQ(near.Dash().velocity[0], 2.0);
  EXPECT_NEAR(near.object(0, 0).velocity[1], std::atan2(2.0, 8.0), 1e-12);
  DashBatch far("kinematics: {name: acker}, state: [1, 1, 0, 0], goal: [1, 9, 0], vel_max: [2, 1]");
  EXPECT_EQ(far.Dash().velocity[1], 1.0);
}

TEST(Dash, OmniScalesEachAxisByItsOwnLimit) {
  DashBatch batch(
      "kinematics: {name: omni}, state: [1, 1, 0.5], goal: [4, 5, 0], vel_max: [1.2, 0.6]");
  const double error = std::atan2(4.0, 3.0) - 0.5;
  const ObjectState& robot = batch.Dash();
  EXPECT_NEAR(robot.velocity[0], 1.2 * std::cos(error), 1e-12);
  EXPECT_NEAR(robot.velocity[1], 0.6 * std::sin(error), 1e-12);
}

TEST(Dash, OmniAngularTurnsToTheGoalsHeadingOnceItIsThere) {
  DashBatch batch(
      "kinematics: {name: omni_angular}, state: [5, 5, 0], goal: [5.1, 5, -2],"
      " goal_threshold: 0.3, arrive_mode: state");
  const ObjectState& robot = batch.Dash();
  EXPECT_EQ(robot.velocity, (Command{0.0, 0.0, -1.0}));
}

// Where an object is and how it moves after a number of steps.
struct Sample {
  int step;
  int id;
  std::array<double, 3> state;
  std::array<double, 2> velocity;
};

struct RvoCase {
  const char* name;
  std::string world;
  std::span<const Sample> samples;
};

// Printed by IR-SIM 2.12 for the worlds of RvoCases.
constexpr Sample kDiffAmongMovingDiscs[] = {
    {1,
     1,
     {5.902690024412979, 5.113871200626572, 3.095775524655867},
     {0.9829364961974525, 0.9577552465586692}},
    {1, 2, {4.03, 7.25, 0.4}, {0.08160912704654144, -0.577355999694038}},
    {2, 1, {5.802922585458883, 5.118445459464138, 3.095775524655867}, {0.9987224699270776, 0.0}},
    {2, 2, {4.010000000000001, 7.17, 0.4}, {-0.495746872647496, -0.6589651267405787}},
    {5, 1, {5.5034857584175825, 5.132174403163062, 3.095775524655867}, {0.9987556598968098, 0.0}},
    {5,
     2,
     {4.075000000000001, 6.9399999999999995, 0.4},
     {0.010836674054092055, -0.873145215010337}},
    {15, 1, {4.951462846281978, 5.049629396660756, -2.7874097825237194}, {0.574267889203866, 1.0}},
    {15,
     2,
     {4.065000000000002, 6.184999999999999, 0.4},
     {-0.43022290583191913, -0.6323829941558669}},
    {30, 1, {4.35549368858089, 4.3261276726036755, -2.0246706476891876}, {0.640075661072774, 0.0}},
    {30,
     2,
     {4.100000000000006, 5.304999999999999, 0.4},
     {-0.12732247504633673, -0.8147324636640412}},
    {45, 1, {4.005610256133626, 3.3946888992197373, -2.311785529539956}, {0.729646913792767, -1.0}},
    {45,
     2,
     {4.315000000000027, 4.104999999999998, 0.4},
     {-0.31153467384690164, -0.7368487952023162}},
};
constexpr Sample kWallsAndAPolygon[] = {
    {1, 1, {2.115105325604155, 5.218845856035185, 0.3}, {0.2, 0.1354020499499326}},
    {2, 1, {2.1481391891794397, 5.247410890031006, 0.3}, {0.4, 0.17527045098730448}},
    {5,
     1,
     {2.2594980505116307, 5.29348156836361, 0.3},
     {0.20000000000000007, -0.20204839413510986}},
    {15, 1, {2.958912069918245, 4.714066235009797, 0.3}, {0.5024112358267192, -0.7872723838020395}},
    {30, 1, {3.902852095456092, 3.918610190680058, 0.3}, {0.4364296075802928, -0.6621867142233386}},
    {45, 1, {5.280775836793419, 4.08830296768735, 0.3}, {1.1446707093139803, 0.10758310692055878}},
};
constexpr Sample kOnlyRobotsCount[] = {
    {1, 1, {2.2881150478916976, 4.12725717844899, 0.20000000000000018}, {0.9223456750023946, -1.0}},
    {1, 2, {6.9, 3.7100000000000004, 0.0}, {-1.0, 0.10000000000000098}},
    {2,
     1,
     {2.385195732223024, 4.146936407416999, 0.11654929108192835},
     {0.9905519331672596, -0.8345070891807205}},
    {2,
     2,
     {6.800000000000001, 3.7200000000000006, 0.0},
     {-0.9999999999999996, 0.10000000000000187}},
    {5, 1, {2.6795512326110726, 4.181399519763167, 0.11654929108192835}, {1.0, 0.0}},
    {5,
     2,
     {6.500000000000002, 3.7400000000000015, 0.0},
     {-0.9999999999999996, 4.440892098500626e-15}},
    {15, 1, {3.668820676784432, 4.311849005724482, 0.26040195677217604}, {1.0, 0.711551785261324}},
    {15,
     2,
     {5.535000000000005, 3.8500000000000107, 0.0},
     {-0.9499999999999995, 0.05000000000001337}},
    {30,
     1,
     {5.142832963046707, 4.559656717975125, 0.015554457007205258},
     {0.9984446170195698, 0.0}},
    {30,
     2,
     {4.305000000000006, 3.7350000000000416, 0.0},
     {-0.6999999999999993, -0.3999999999999737}},
    {45, 1, {6.639255331945799, 4.49577559869865, -0.10852978538877034}, {1.0, 0.0}},
    {45,
     2,
     {3.1050000000000084, 3.7050000000000916, 0.0},
     {-0.8499999999999994, 0.5500000000000382}},
};
constexpr Sample kHemmedIn[] = {
    {1, 1, {5.125, 5.0249999999999995, 0.2}, {0.9608636485684406, -0.041725877579121246}},
    {2, 1, {5.175, 5.02, 0.2}, {0.4800998223808698, -0.14833799428959132}},
    {5,
     1,
     {5.3480659410333296, 5.03460794683819, 0.2},
     {0.49009977799987325, -0.05033133650546475}},
    {15,
     1,
     {6.087684524653051, 4.991489979377579, 0.2},
     {0.9807970707271972, -0.002656015226800784}},
    {30,
     1,
     {7.530345670801068, 5.294866818277244, 0.2},
     {0.9807970707271997, -0.0026560152267876835}},
    {45,
     1,
     {7.928006816949086, 5.3632436571769295, 0.2},
     {0.009999955619019283, -0.009933466539716749}},
};
constexpr Sample kAloneWithTheGoalBehind[] = {
    {1, 1, {5.0, 3.0, 0.10000000000000009}, {0.0, 1.0}},
    {2, 1, {5.0, 3.0, 0.20000000000000018}, {0.0, 1.0}},
    {5, 1, {5.0, 3.0, 0.5000000000000004}, {0.0, 1.0}},
    {15, 1, {5.0, 3.0, 1.4999999999999982}, {0.0, 1.0}},
    {30, 1, {4.387742921366877, 3.5575001993530435, 2.999999999999993}, {0.952126431773881, 1.0}},
    {45, 1, {2.891803240825861, 3.5492219554606477, -3.0584705272156674}, {1.0, 0.0}},
};

std::vector<RvoCase> RvoCases() {
  return {
      {"DiffAmongMovingDiscs",
       WorldOf("  - {kinematics: {name: diff}, shape: {name: circle, radius: 0.2}, state:"
               " [2, 5, 0.1], goal: [8, 5.3, 0], behavior: {name: dash}}\n"
               "  - {kinematics: {name: diff}, shape: {name: circle, radius: 0.25}, state:"
               " [6, 5.1, 3.0], goal: [1, 4.9, 0], behavior: {name: rvo}}\n"
               "  - {kinematics: {name: omni}, shape: {name: circle, radius: 0.3}, state:"
               " [4, 7.3, 0.4], goal: [4.2, 2, 0], behavior: {name: rvo, vxmax: 1.0, vymax: 0.8, "
               "factor: 2.0}}\n",
               "  - {shape: {name: circle, radius: 0.3}, state: [3.5, 4.1, 0]}\n"),
       kDiffAmongMovingDiscs},
      {"WallsAndAPolygon",
       WorldOf("  - {kinematics: {name: diff}, shape: {name: circle, radius: 0.2}, state:"
               " [1, 1, 0.1], goal: [8, 1.3, 0], behavior: {name: dash}}\n"
               "  - {kinematics: {name: omni}, shape: {name: rectangle, length: 0.5, width:"
               " 0.3}, state: [2.1, 5.2, 0.3], goal: [8, 5.6, 0], vel_max: [1.2, 0.9], acce: [2, "
               "3], behavior: {name: rvo, acce: 0.4, neighbor_threshold: 2.0}}\n",
               "  - {shape: {name: linestring, vertices: [[4.3, 4.1], [4.5, 6.2], [5.7,"
               " 6.9]]}, state: [0, 0, 0]}\n"
               "  - {shape: {name: polygon, vertices: [[-0.4, -0.3], [0.6, -0.2], [0.1,"
               " 0.7]]}, state: [3.4, 6.7, 0.5], unobstructed: true}\n"),
       kWallsAndAPolygon},
      {"OnlyRobotsCount",
       WorldOf(
           "  - {kinematics: {name: diff}, shape: {name: circle, radius: 0.2}, state:"
           " [4.5, 1, 1.5], goal: [4.7, 8, 0], behavior: {name: dash}}\n"
           "  - {kinematics: {name: diff}, shape: {name: circle, radius: 0.2}, state:"
           " [2.2, 4.1, 0.3], goal: [7, 4.4, 0], behavior: {name: rvo, target_roles: robot}}\n"
           "  - {kinematics: {name: omni}, shape: {name: circle, radius: 0.2}, state:"
           " [7, 3.7, 0], goal: [2.3, 4.2, 0], behavior: {name: rvo, target_roles: obstacle}}\n",
           "  - {shape: {name: circle, radius: 0.4}, state: [3.7, 4.3, 0]}\n"),
       kOnlyRobotsCount},
      {"HemmedIn",
       WorldOf("  - {kinematics: {name: diff}, shape: {name: circle, radius: 0.2}, state:"
               " [1, 9, 0], goal: [8, 9, 0], behavior: {name: dash}}\n"
               "  - {kinematics: {name: omni}, shape: {name: circle, radius: 0.25}, state:"
               " [5.03, 5.01, 0.2], goal: [8, 5.4, 0], behavior: {name: rvo, factor: 0.02}}\n",
               "  - {shape: {name: circle, radius: 0.3}, state: [5.83, 5.21, 0]}\n"
               "  - {shape: {name: circle, radius: 0.35}, state: [5.11, 5.95, 0]}\n"
               "  - {shape: {name: circle, radius: 0.3}, state: [4.13, 5.07, 0]}\n"
               "  - {shape: {name: linestring, vertices: [[3.9, 4.2], [6.1, 4.3]]}, state:"
               " [0, 0, 0]}\n"),
       kHemmedIn},
      {"AloneWithTheGoalBehind",
       WorldOf("  - {kinematics: {name: diff}, shape: {name: circle, radius: 0.2}, state:"
               " [1, 9, 0], goal: [8, 9, 0], behavior: {name: dash}}\n"
               "  - {kinematics: {name: diff}, shape: {name: circle, radius: 0.2}, state:"
               " [5, 3, 0], goal: [2, 3.4, 0], behavior: {name: rvo}}\n"),
       kAloneWithTheGoalBehind},
  };
}

class Rvo : public testing::TestWithParam<RvoCase> {};

TEST_P(Rvo, MovesAsInIrSim) {
  Batch batch(scenes::Load(GetParam().world), 1, EndlessTask());
  ASSERT_EQ(batch.Reset(), std::nullopt);
  int step = 0;
  for (const Sample& sample : GetParam().samples) {
    for (; step < sample.step; ++step) ASSERT_EQ(batch.StepPolicy("dash"), std::nullopt);
    const ObjectState& object = batch.object(0, sample.id);
    for (std::size_t k = 0; k < 3; ++k) {
      EXPECT_NEAR(object.state[k], sample.state[k], 1e-9)
          << "object " << sample.id << " step " << step << " state " << k;
    }
    for (std::size_t k = 0; k < 2; ++k) {
      EXPECT_NEAR(object.velocity[k], sample.velocity[k], 1e-9)
          << "object " << sample.id << " step " << step << " velocity " << k;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(IrSim, Rvo, testing::ValuesIn(RvoCases()),
                         [](const auto& row) { return std::string(row.param.name); });

}  // namespace
}  // namespace planarium
