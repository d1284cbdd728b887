// What an object heads for: queues, loops and wandering.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/testing/batch.h"
#include "tests/testing/scenes.h"

namespace planarium {
namespace {

using testing::ElementsAre;
using testing::Pair;

constexpr int kObject = 1;  // the robot is object 0

std::string WorldOf(const std::string& object) {
  return "world: {height: 10, width: 10, step_time: 0.1, collision_mode: unobstructed}\n"
         "robot: {kinematics: {name: diff}, state: [1, 1, 0], goal: [9, 1, 0]}\n"
         "obstacle:\n  - {kinematics: {name: omni}, shape: {name: circle, radius: 0.2}, " +
         object + "}\n";
}

using Point = std::pair<double, double>;

class GoalBatch : public Batch {
 public:
  explicit GoalBatch(const std::string& object)
      : Batch(scenes::Load(WorldOf(object)), 1, EndlessTask()) {
    EXPECT_EQ(Reset(), std::nullopt);
  }
  Point Goal() const {
    const BodyState* goal = env.world(0).goal(kObject);
    return goal == nullptr ? Point{-1.0, -1.0} : Point{(*goal)[0], (*goal)[1]};
  }
  // The first `count` different goals in the order in which they become current.
  std::vector<Point> Visit(std::size_t count, int most_steps) {
    std::vector<Point> seen{Goal()};
    for (int k = 0; k < most_steps && seen.size() < count; ++k) {
      EXPECT_EQ(Step({-1.0F, 0.0F}), std::nullopt);
      if (Goal() != seen.back()) seen.push_back(Goal());
    }
    return seen;
  }
};

TEST(Loop, OfOneGoalAlternatesBetweenGoalAndStart) {
  GoalBatch batch("state: [5, 5, 0], goal: [6, 5, 0], behavior: {name: dash, loop: true}");
  EXPECT_THAT(batch.Visit(5, 200),
              ElementsAre(Pair(6, 5), Pair(5, 5), Pair(6, 5), Pair(5, 5), Pair(6, 5)));
}

TEST(Loop, OfOneGoalStartsAfreshAtEveryReset) {
  GoalBatch batch("state: [5, 5, 0], goal: [6, 5, 0], behavior: {name: dash, loop: true}");
  for (int reset = 0; reset < 3; ++reset) {
    EXPECT_THAT(batch.Visit(2, 60), ElementsAre(Pair(6, 5), Pair(5, 5)));
    ASSERT_EQ(batch.Reset(), std::nullopt);
    EXPECT_EQ(batch.Goal(), (Point{6, 5}));
  }
}

TEST(Loop, OfSeveralGoalsStartsTheQueueAgainWithoutTheStart) {
  GoalBatch batch(
      "state: [5, 5, 0], goal: [[[6, 5, 0], [6, 6, 0], [5, 6, 0]]],"
      " behavior: {name: dash, loop: true}");
  EXPECT_THAT(batch.Visit(6, 300),
              ElementsAre(Pair(6, 5), Pair(6, 6), Pair(5, 6), Pair(6, 5), Pair(6, 6), Pair(5, 6)));
}

TEST(Queue, IsVisitedInOrderAndOnce) {
  GoalBatch batch(
      "state: [5, 5, 0], goal: [[[6, 5, 0], [6, 6, 0], [5, 6, 0]]], behavior: {name: dash}");
  EXPECT_THAT(batch.Visit(3, 200), ElementsAre(Pair(6, 5), Pair(6, 6), Pair(5, 6)));
  EXPECT_FALSE(batch.object(0, kObject).arrive) << "only the last goal counts as arrival";
  for (int k = 0; k < 30; ++k) ASSERT_EQ(batch.Step({-1.0F, 0.0F}), std::nullopt);
  EXPECT_TRUE(batch.object(0, kObject).arrive);
  EXPECT_NEAR(batch.object(0, kObject).state[0], 5.0, 0.1);
  EXPECT_NEAR(batch.object(0, kObject).state[1], 6.0, 0.1);
}

TEST(Queue, IsWholeAgainAfterAReset) {
  GoalBatch batch("state: [5, 5, 0], goal: [[[6, 5, 0], [6, 6, 0]]], behavior: {name: dash}");
  EXPECT_THAT(batch.Visit(2, 60), ElementsAre(Pair(6, 5), Pair(6, 6)));
  ASSERT_EQ(batch.Reset(), std::nullopt);
  EXPECT_THAT(batch.Visit(2, 60), ElementsAre(Pair(6, 5), Pair(6, 6)));
}

TEST(Wander, GoalsStayWithinTheirWindowThroughResets) {
  GoalBatch batch(
      "state: [5, 5, 0], goal: [1, 9, 0], behavior: {name: dash, wander: true,"
      " range_low: [4, 3, -1], range_high: [6, 7, 1]}");
  std::set<Point> goals;
  for (int reset = 0; reset < 5; ++reset) {
    for (int k = 0; k < 200; ++k) {
      const Point goal = batch.Goal();
      ASSERT_TRUE(goal.first >= 4 && goal.first < 6 && goal.second >= 3 && goal.second < 7)
          << "reset " << reset << " step " << k << ": " << goal.first << ", " << goal.second;
      goals.insert(goal);
      ASSERT_EQ(batch.Step({-1.0F, 0.0F}), std::nullopt);
    }
    ASSERT_EQ(batch.Reset(), std::nullopt);
  }
  EXPECT_GT(goals.size(), 20U) << "a new goal after each arrival";
}

TEST(Wander, FirstGoalDiffersFromEpisodeToEpisode) {
  GoalBatch batch("state: [5, 5, 0], behavior: {name: dash, wander: true}");
  std::set<Point> goals;
  for (int reset = 0; reset < 5; ++reset) {
    goals.insert(batch.Goal());
    ASSERT_EQ(batch.Reset(), std::nullopt);
  }
  EXPECT_EQ(goals.size(), 5U);
}

TEST(Wander, ReplaysFromTheEpisodesSeedAlone) {
  GoalBatch batch("state: [5, 5, 0], behavior: {name: dash, wander: true}");
  ASSERT_EQ(batch.Reset(Replay(77)), std::nullopt);
  const std::vector<Point> first = batch.Visit(4, 600);
  ASSERT_EQ(batch.Reset(SeedFrom(3)), std::nullopt);
  ASSERT_EQ(batch.Reset(Replay(77)), std::nullopt);
  EXPECT_EQ(batch.Visit(4, 600), first);
  EXPECT_EQ(first.size(), 4U);
}

}  // namespace
}  // namespace planarium
