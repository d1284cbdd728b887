#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "env/scenario.h"

/// World files that tests and benchmarks share, written out as text so that they pass the loader as
/// any user's file does.
namespace planarium::scenes {

/// REF-100x44: 20 x 20 m, a closed wall and 10 rectangles (44 segments), half extents U(0.3, 1), a
/// diff robot r = 0.2 in a clear middle, 100 beams over the full circle up to 10 m, dt 0.1,
/// collision mode reactive. `seed` picks the rectangles.
std::string Reference(std::uint64_t seed = 1);

/// A crowded 10 x 10 m arena for preset drl_nav: dt 0.3, 180 noisy beams over pi up to 7 m, four
/// rvo wanderers with drawn shapes, three static bodies, a wall around.
std::string Navigation();

/// A diff robot at (2, 5) facing +x, its goal 1 m ahead, a disc 1 m behind it; nothing is drawn.
/// Driving forward at 1 m/s arrives in 10 steps, driving backward collides in 6.
std::string Lane();

/// Small worlds of every drive, with and without a lidar, still and moving obstacles.
std::vector<std::string> SmallWorlds();

/// Loads a text that must load; throws SpecError otherwise.
std::shared_ptr<const Scenario> Load(std::string_view text, const std::string& file = "world.yaml");

}  // namespace planarium::scenes
