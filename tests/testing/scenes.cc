#include "tests/testing/scenes.h"

#include <array>
#include <cstdio>

#include "env/scenario_loader.h"
#include "physics/math.h"
#include "physics/random.h"

namespace planarium::scenes {
namespace {

constexpr double kClearRadius = 3.0;  // [m] nothing nearer to the robot's start than this

std::string Rectangle(double x, double y, double theta, double half_length, double half_width) {
  std::array<char, 160> line{};
  std::snprintf(line.data(), line.size(),
                "  - {shape: {name: rectangle, length: %.6f, width: %.6f}, state: [%.6f, %.6f, "
                "%.6f]}\n",
                2.0 * half_length, 2.0 * half_width, x, y, theta);
  return line.data();
}

}  // namespace

std::string Reference(std::uint64_t seed) {
  std::string text =
      "world: {height: 20, width: 20, step_time: 0.1, collision_mode: reactive}\n"
      "robot:\n"
      "  - kinematics: {name: diff}\n"
      "    shape: {name: circle, radius: 0.2}\n"
      "    state: [10, 10, 0]\n"
      "    goal: [18, 18, 0]\n"
      "    sensors: [{type: lidar2d, number: 100, range_max: 10, angle_range: 6.283185307179586}]\n"
      "obstacle:\n"
      "  - {shape: {name: linestring, vertices: [[0, 0], [20, 0], [20, 20], [0, 20], [0, 0]]},"
      " state: [0, 0, 0]}\n";
  RandomSequence random(seed, Stream::kPlacement, 0, 0);
  for (int placed = 0; placed < 10;) {
    const double x = random.Uniform(1.5, 18.5);
    const double y = random.Uniform(1.5, 18.5);
    const double theta = random.Uniform(-kPi, kPi);
    const double half_length = random.Uniform(0.3, 1.0);
    const double half_width = random.Uniform(0.3, 1.0);
    if (Hypot(x - 10.0, y - 10.0) < kClearRadius) continue;
    text += Rectangle(x, y, theta, half_length, half_width);
    ++placed;
  }
  return text;
}

std::string Navigation() {
  return R"(world: {height: 10, width: 10, step_time: 0.3, collision_mode: reactive}
robot:
  - kinematics: {name: diff}
    shape: {name: circle, radius: 0.2}
    vel_min: [0, -1]
    vel_max: [1, 1]
    state: [1.5, 1.5, 0.5]
    goal: [8.5, 8.5, 0]
    goal_threshold: 0.3
    sensors:
      - {type: lidar2d, number: 180, range_max: 7, angle_range: 3.14, noise: true, std: 0.08,
         angle_std: 0.1}
obstacle:
  - number: 4
    kinematics: {name: omni}
    distribution: {name: random, range_low: [1, 1, -3.14], range_high: [9, 9, 3.14]}
    behavior: {name: rvo, wander: true, range_low: [1, 1, -3.14], range_high: [9, 9, 3.14],
               vxmax: 0.3, vymax: 0.3}
    vel_min: [-0.3, -0.3]
    vel_max: [0.3, 0.3]
    shape:
      - {name: circle, radius: 0.7, random_shape: true}
      - {name: polygon, random_shape: true, avg_radius_range: [0.3, 0.7],
         irregularity_range: [0, 0.4], spikeyness_range: [0, 0.4], num_vertices_range: [4, 7]}
  - {kinematics: {name: static}, shape: {name: circle, radius: 0.6}, state: [6, 2.5, 0]}
  - {kinematics: {name: static}, shape: {name: rectangle, length: 1.1, width: 0.8},
     state: [2.5, 7, 0.4]}
  - {kinematics: {name: static}, shape: {name: rectangle, length: 0.5, width: 1.6},
     state: [7.5, 6, -0.6]}
  - {kinematics: {name: static}, state: [0, 0, 0],
     shape: {name: linestring, vertices: [[0, 0], [10, 0], [10, 10], [0, 10], [0, 0]]}}
)";
}

std::string Lane() {
  return R"(world: {height: 10, width: 10, step_time: 0.1, collision_mode: reactive}
robot:
  - {kinematics: {name: diff}, shape: {name: circle, radius: 0.2}, state: [2, 5, 0],
     goal: [3, 5, 0], goal_threshold: 0.05}
obstacle:
  - {shape: {name: circle, radius: 0.25}, state: [1, 5, 0]}
)";
}

std::vector<std::string> SmallWorlds() {
  return {Lane(), Reference(2), Navigation(),
          // An omni robot without a lidar among one-way traffic.
          R"(world: {height: 8, width: 8, step_time: 0.2, collision_mode: stop}
robot:
  - {kinematics: {name: omni}, shape: {name: rectangle, length: 0.6, width: 0.4},
     vel_min: [-0.5, -0.3], vel_max: [1.2, 0.3], acce: [1, 0.5], state: [1, 1, 0.3], goal: [7, 7, 0]}
obstacle:
  - {kinematics: {name: diff}, shape: {name: circle, radius: 0.3}, state: [4, 1, 1.57],
     goal: [4, 7, 0], behavior: {name: dash, loop: true}}
)",
          // A car with a short scanner that sees a passing polygon.
          R"(world: {height: 12, width: 12, step_time: 0.1, collision_mode: unobstructed}
robot:
  - {kinematics: {name: acker}, shape: {name: rectangle, length: 1.2, width: 0.6, wheelbase: 0.8},
     vel_min: [-1, -0.5], vel_max: [2, 0.5], state: [2, 2, 0, 0.1], goal: [10, 10, 0],
     sensors: [{type: lidar2d, number: 31, range_min: 0.2, range_max: 4, offset: [0.5, 0, 0.1]}]}
obstacle:
  - {kinematics: {name: omni}, shape: {name: polygon, vertices: [[-0.5, -0.5], [0.6, 0], [0, 0.5]]},
     state: [6, 6, 0], behavior: {name: rvo, wander: true, range_low: [3, 3, -3], range_high: [9, 9, 3]}}
)",
          // Arrival by heading too, and motion noise.
          R"(world: {height: 6, width: 6, step_time: 0.1, collision_mode: unobstructed_obstacles}
robot:
  - {kinematics: {name: omni_angular, noise: true, alpha: [0.05, 0.05, 0.05, 0.05]},
     shape: {name: circle, radius: 0.25}, vel_min: [-1, -1, -2], vel_max: [1, 1, 2],
     state: [1, 1, 0], goal: [5, 5, 1.5], arrive_mode: state, goal_threshold: 0.4}
  - {kinematics: {name: diff}, shape: {name: circle, radius: 0.2}, state: [5, 1, 2], goal: [1, 5, 0],
     behavior: {name: rvo}}
obstacle:
  - {shape: {name: linestring, vertices: [[0, 3], [2, 3]]}, state: [0, 0, 0], unobstructed: true}
)"};
}

std::shared_ptr<const Scenario> Load(std::string_view text, const std::string& file) {
  return std::make_shared<const Scenario>(LoadScenario(text, file));
}

}  // namespace planarium::scenes
