// Drawn poses and goals over a thousand seeds, judged by true geometry.
#include <gtest/gtest.h>

#include <array>
#include <set>
#include <string>

#include "env/task_presets.h"
#include "physics/math.h"
#include "tests/testing/batch.h"
#include "tests/testing/scenes.h"

namespace planarium {
namespace {

constexpr std::size_t kSeeds = 1000;

// A thousand worlds with slot seeds 1, 2, ... at their first observation.
class Worlds : public Batch {
 public:
  Worlds(const std::string& text, const Task& task) : Batch(scenes::Load(text), kSeeds, task) {
    EXPECT_EQ(Reset(SeedFrom(1)), std::nullopt);
  }
};

const Worlds& NavigationWorlds() {
  static const Worlds worlds(scenes::Navigation(), TaskPreset("drl_nav"));
  return worlds;
}

// Six discs and six squares, drawn by the world file.
const Worlds& FileWorlds() {
  static const Worlds worlds(R"(world: {height: 12, width: 12, step_time: 0.1}
robot: {kinematics: {name: diff}, shape: {name: circle, radius: 0.2}, state: [6, 6, 0],
        goal: [11, 11, 0]}
obstacle:
  - {number: 6, shape: {name: circle, radius: 0.3},
     distribution: {name: random, range_low: [1, 1, -3.14], range_high: [11, 11, 3.14]}}
  - {number: 6, shape: {name: rectangle, length: 1.4, width: 0.3},
     distribution: {name: random, range_low: [1, 1, -3.14], range_high: [11, 11, 3.14]}}
)",
                             DefaultTask());
  return worlds;
}

void ExpectNoOverlap(const Worlds& worlds) {
  for (std::size_t i = 0; i < kSeeds && !testing::Test::HasFailure(); ++i) {
    const WorldView world = worlds.env.world(i);
    for (int a = 0; a < world.spec().num_objects(); ++a) {
      for (int b = 0; b < a; ++b) {
        const ObjectSpec& first = world.spec().objects[static_cast<std::size_t>(a)];
        const ObjectSpec& second = world.spec().objects[static_cast<std::size_t>(b)];
        if (first.fixed && second.fixed) continue;
        EXPECT_FALSE(Intersects(world.object(a).placed, world.object(b).placed))
            << "seed " << i + 1 << ": " << first.name << " and " << second.name;
      }
    }
  }
}

void ExpectAllDiffer(const Worlds& worlds, int object) {
  std::set<std::array<double, 3>> poses;
  for (std::size_t i = 0; i < kSeeds; ++i) {
    const BodyState& state = worlds.object(i, object).state;
    poses.insert({state[0], state[1], state[2]});
  }
  EXPECT_EQ(poses.size(), kSeeds) << "object " << object;
}

TEST(Placement, OfTheNavigationTaskNeverOverlaps) { ExpectNoOverlap(NavigationWorlds()); }

TEST(Placement, OfAWorldFileNeverOverlaps) { ExpectNoOverlap(FileWorlds()); }

TEST(Placement, DiffersInEveryScene) {
  for (int object = 0; object < 8; ++object) ExpectAllDiffer(NavigationWorlds(), object);
  for (int object = 1; object < 13; ++object) ExpectAllDiffer(FileWorlds(), object);
}

TEST(Placement, OfOneEntryKeepsTheMinimalDistance) {
  const Worlds& worlds = FileWorlds();
  for (std::size_t i = 0; i < kSeeds; ++i) {
    for (const int first : {1, 7}) {
      for (int a = first; a < first + 6; ++a) {
        for (int b = first; b < a; ++b) {
          const BodyState& p = worlds.object(i, a).state;
          const BodyState& q = worlds.object(i, b).state;
          ASSERT_GE(Hypot(p[0] - q[0], p[1] - q[1]), 1.0 - 1e-12) << "seed " << i + 1;
        }
      }
    }
  }
}

TEST(Placement, OfAWorldFileStaysWithinItsRange) {
  const Worlds& worlds = FileWorlds();
  for (std::size_t i = 0; i < kSeeds; ++i) {
    for (int id = 1; id < 13; ++id) {
      const BodyState& state = worlds.object(i, id).state;
      ASSERT_TRUE(state[0] >= 1 && state[0] < 11 && state[1] >= 1 && state[1] < 11);
    }
  }
}

TEST(RobotSpawn, KeepsItsClearanceAndMargin) {
  const Worlds& worlds = NavigationWorlds();
  for (std::size_t i = 0; i < kSeeds; ++i) {
    const WorldView world = worlds.env.world(i);
    const ObjectState& robot = world.object(0);
    ASSERT_TRUE(robot.state[0] >= 1 && robot.state[0] < 9) << "seed " << i + 1;
    ASSERT_TRUE(robot.state[1] >= 1 && robot.state[1] < 9) << "seed " << i + 1;
    for (int id = 1; id < world.spec().num_objects(); ++id) {
      ASSERT_GE(Distance(robot.placed, world.object(id).placed), 0.2) << "seed " << i + 1;
    }
  }
}

TEST(GoalUniform, KeepsItsClearanceMarginAndMinimalDistance) {
  const Worlds& worlds = NavigationWorlds();
  for (std::size_t i = 0; i < kSeeds; ++i) {
    const WorldView world = worlds.env.world(i);
    const BodyState& robot = world.object(0).state;
    ASSERT_NE(world.goal(0), nullptr);
    const BodyState goal = *world.goal(0);
    ASSERT_TRUE(goal[0] >= 1 && goal[0] < 9 && goal[1] >= 1 && goal[1] < 9) << "seed " << i + 1;
    ASSERT_GE(Hypot(goal[0] - robot[0], goal[1] - robot[1]), 1.0) << "seed " << i + 1;
    for (const ObjectSpec& other : world.spec().objects) {
      if (other.id == 0 || !other.is_static) continue;
      ASSERT_FALSE(IsNear(world.object(other.id).placed, {goal[0], goal[1]}, 0.5 - 1e-12))
          << "seed " << i + 1 << ": " << other.name;
    }
  }
}

TEST(GoalUniform, DiffersInEveryScene) {
  std::set<std::array<double, 2>> goals;
  for (std::size_t i = 0; i < kSeeds; ++i) {
    const BodyState& goal = *NavigationWorlds().env.world(i).goal(0);
    goals.insert({goal[0], goal[1]});
  }
  EXPECT_EQ(goals.size(), kSeeds);
}

// Two thousand discs have no room in a small world, whatever the tries: the work is bounded.
TEST(Placement, OfACrowdWithoutRoomEndsSoonWhateverTheTries) {
  Task task = DefaultTask();
  task.max_spawn_tries = 1'000'000;
  Batch batch(scenes::Load("robot: {kinematics: {name: diff}, goal: [9, 9, 0]}\n"
                           "obstacle: {number: 2000, shape: {name: circle, radius: 0.5}, "
                           "distribution: {name: random, range_low: [0, 0, -3], range_high: [9, 9, "
                           "3]}}\n"),
              1, task);
  const auto refusal = batch.Reset();
  ASSERT_NE(refusal, std::nullopt);
  EXPECT_EQ(refusal->kind, Refusal::Kind::kResourceExhausted);
}

TEST(Placement, ThatFindsNoRoomIsRefusedOrReportedNotIgnored) {
  Task task = DefaultTask();
  task.max_spawn_tries = 20;
  Batch batch(scenes::Load(R"(world: {height: 4, width: 4, step_time: 0.1}
robot: {kinematics: {name: diff}, shape: {name: circle, radius: 0.2}, state: [0.5, 0.5, 0],
        goal: [3.5, 3.5, 0]}
obstacle:
  - {number: 20, shape: {name: circle, radius: 0.9},
     distribution: {name: random, range_low: [1, 1, -3.14], range_high: [3, 3, 3.14]}}
)"),
              1, task);
  const auto refusal = batch.Reset();
  EXPECT_TRUE(refusal.has_value() || !batch.env.results().faults.empty());
}

}  // namespace
}  // namespace planarium
