// The registries of task terms, and the values of terms worked out by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "env/task_presets.h"
#include "env/term_registry.h"
#include "physics/angle.h"
#include "physics/math.h"
#include "tests/testing/batch.h"
#include "tests/testing/scenes.h"

namespace planarium {
namespace {

using testing::ElementsAre;

TEST(Registry, EveryRowAndParameterIsDocumented) {
  std::set<std::pair<std::string_view, std::string_view>> seen;
  for (const CatalogueRow& row : Catalogue()) {
    SCOPED_TRACE(std::string(row.kind) + " " + std::string(row.name));
    EXPECT_FALSE(row.name.empty());
    EXPECT_FALSE(row.doc.empty());
    EXPECT_TRUE(seen.insert({row.kind, row.name}).second) << "listed twice";
    std::set<std::string_view> params;
    for (const ParamSchema& param : row.params) {
      EXPECT_FALSE(param.unit.empty()) << param.name;
      EXPECT_FALSE(param.doc.empty()) << param.name;
      EXPECT_FALSE(param.default_text.empty()) << param.name;
      EXPECT_LE(param.low, param.high) << param.name;
      EXPECT_TRUE(params.insert(param.name).second) << param.name << " twice";
    }
  }
  EXPECT_GE(seen.size(), 26U);
}

template <typename Term>
void ExpectBuildsFromDefaults(std::span<const TermRow<Term>> rows) {
  const auto scenario = scenes::Load(scenes::Navigation());
  const Task task = DefaultTask();
  const TermSetup setup{*scenario, 0, task};
  for (const TermRow<Term>& row : rows) EXPECT_NE(row.make({}, setup), nullptr) << row.name;
}

TEST(Registry, EveryTermBuildsFromItsDefaults) {
  ExpectBuildsFromDefaults(ObservationRegistry());
  ExpectBuildsFromDefaults(RewardRegistry());
  ExpectBuildsFromDefaults(TerminationRegistry());
  ExpectBuildsFromDefaults(CommandRegistry());
  ExpectBuildsFromDefaults(EventRegistry());
}

Task Observing(const std::vector<std::string>& terms) {
  Task task;
  task.max_steps = 0;
  for (const std::string& term : terms) {
    ObservationSpec spec;
    spec.term = term;
    task.observations.push_back(spec);
  }
  return task;
}

RewardSpec Reward(const std::string& term) {
  RewardSpec spec;
  spec.name = spec.term = term;
  return spec;
}

TEST(Registry, EveryObservationStaysWithinItsBounds) {
  std::vector<std::string> terms;
  for (const auto& row : ObservationRegistry()) terms.emplace_back(row.name);
  Batch batch(scenes::Load(scenes::Navigation()), 3, Observing(terms));
  ASSERT_EQ(batch.Reset(SeedFrom(5)), std::nullopt);
  const EnvDescription& description = batch.env.description();
  for (int step = 0; step < 40; ++step) {
    for (std::size_t k = 0; k < batch.observations.size(); ++k) {
      const std::size_t column = k % batch.width;
      ASSERT_GE(batch.observations[k], description.observation_low[column]) << column;
      ASSERT_LE(batch.observations[k], description.observation_high[column]) << column;
    }
    ASSERT_EQ(batch.Step({0.7F, step % 2 == 0 ? -1.0F : 0.4F}), std::nullopt);
  }
}

// A diff robot at (1, 2) with heading 0.5; the goal is 3 m east and 4 m north of it.
std::string Plain(const std::string& more = "") {
  return "world: {height: 10, width: 10, step_time: 0.1, collision_mode: reactive}\n"
         "robot:\n  - {kinematics: {name: diff}, shape: {name: circle, radius: 0.2},"
         " state: [1, 2, 0.5], goal: [4, 6, 0]}\n" +
         more;
}

TEST(GoalTerms, ShowDistanceBearingAndVector) {
  Batch batch(scenes::Load(Plain()), 1,
              Observing({"goal.distance", "goal.bearing", "goal.cos_sin", "goal.vector_body"}));
  ASSERT_EQ(batch.Reset(), std::nullopt);
  const double bearing = std::atan2(4.0, 3.0) - 0.5;
  const std::vector<double> want{5.0,
                                 bearing,
                                 std::cos(bearing),
                                 std::sin(bearing),
                                 5.0 * std::cos(bearing),
                                 5.0 * std::sin(bearing)};
  ASSERT_EQ(batch.width, want.size());
  for (std::size_t k = 0; k < want.size(); ++k) EXPECT_NEAR(batch.row(0)[k], want[k], 1e-6) << k;
}

TEST(GoalTerms, BearingIsWrapped) {
  Batch batch(
      scenes::Load("world: {height: 10, width: 10}\n"
                   "robot: {kinematics: {name: diff}, state: [5, 5, 3], goal: [3, 4, 0]}\n"),
      1, Observing({"goal.bearing"}));
  ASSERT_EQ(batch.Reset(), std::nullopt);
  EXPECT_NEAR(batch.row(0)[0], std::atan2(-1.0, -2.0) - 3.0 + 2.0 * kPi, 1e-6);
}

TEST(ProgressGoal, TelescopesToTheDistanceGained) {
  Task task = Observing({"goal.distance"});
  task.rewards = {Reward("progress.goal")};
  Batch batch(scenes::Load(Plain()), 1, task);
  ASSERT_EQ(batch.Reset(), std::nullopt);
  const auto distance = [&batch] {
    const BodyState& state = batch.object(0, 0).state;
    return Hypot(4.0 - state[0], 6.0 - state[1]);
  };
  const double start = distance();
  double sum = 0.0;
  for (int k = 0; k < 50; ++k) {
    const double before = distance();
    ASSERT_EQ(batch.Step({k % 7 == 0 ? -0.5F : 1.0F, k % 3 == 0 ? 1.0F : -0.3F}), std::nullopt);
    EXPECT_EQ(batch.rewards[0], static_cast<float>(before - distance())) << "step " << k;
    sum += static_cast<double>(batch.rewards[0]);
  }
  EXPECT_NEAR(sum, start - distance(), 1e-6);
}

TEST(ProgressGoal, TelescopesThroughRepeatedWorldSteps) {
  Task task = Observing({"goal.distance"});
  task.action.repeat = 5;
  task.rewards = {Reward("progress.goal")};
  Batch batch(scenes::Load(Plain()), 1, task);
  ASSERT_EQ(batch.Reset(), std::nullopt);
  const double start = 5.0;
  ASSERT_EQ(batch.Step({1.0F, 0.5F}), std::nullopt);
  const BodyState& state = batch.object(0, 0).state;
  EXPECT_NEAR(batch.rewards[0], start - Hypot(4.0 - state[0], 6.0 - state[1]), 1e-6);
  EXPECT_EQ(batch.env.world(0).clock().step, 5U);
}

TEST(ProgressGoal, DoesNotJumpWhenTheNextGoalOfAQueueBecomesCurrent) {
  Task task = Observing({"goal.distance"});
  task.rewards = {Reward("progress.goal")};
  Batch batch(scenes::Load("world: {height: 10, width: 10, step_time: 0.1}\n"
                           "robot: {kinematics: {name: diff}, shape: {name: circle, radius: 0.2},"
                           " state: [1, 5, 0], goal: [[[2, 5, 0], [9, 5, 0]]]}\n"),
              1, task);
  ASSERT_EQ(batch.Reset(), std::nullopt);
  for (int k = 0; k < 30; ++k) {
    ASSERT_EQ(batch.Step({1.0F, 0.0F}), std::nullopt);
    EXPECT_NEAR(batch.rewards[0], 0.1, 1e-6) << "step " << k;
  }
}

TEST(ActionTerms, RewardTheCommandInItsRange) {
  Task task = Observing({"goal.distance", "self.command", "self.last_action"});
  task.action.range = {{0.0, 0.5}, {-1.0, 1.0}};
  task.rewards = {Reward("action.linear"), Reward("action.abs_angular"), Reward("time.step")};
  task.rewards[1].weight = -0.5;
  task.rewards[2].weight = 7.0;
  Batch batch(scenes::Load(Plain()), 1, task);
  ASSERT_EQ(batch.Reset(), std::nullopt);
  ASSERT_EQ(batch.Step({0.5F, -0.25F}), std::nullopt);
  EXPECT_THAT(batch.reward_terms, ElementsAre(0.375F, -0.125F, 7.0F));
  EXPECT_EQ(batch.rewards[0], 7.25F);
  EXPECT_THAT(batch.RowCopy(0), ElementsAre(testing::_, 0.375F, -0.25F, 0.5F, -0.25F));
}

TEST(LidarMargin, CostsWhatTheShortestRangeLacks) {
  const std::string robot =
      "world: {height: 10, width: 10, step_time: 0.1, collision_mode: reactive}\n"
      "robot: {kinematics: {name: diff}, shape: {name: circle, radius: 0.2}, state: [5, 5, 0],"
      " goal: [9, 9, 0], sensors: [{type: lidar2d, number: 5, range_max: 4, angle_range: 2}]}\n"
      "obstacle: {shape: {name: rectangle, length: 1, width: 4}, state: [6.5, 5, 0]}\n";
  Task task = Observing({"lidar.ranges"});
  for (const double margin : {0.5, 1.0, 1.35}) {
    task.rewards.push_back(Reward("lidar.margin"));
    task.rewards.back().params.Set("margin", margin);
  }
  Batch batch(scenes::Load(robot), 1, task);
  ASSERT_EQ(batch.Reset(), std::nullopt);
  ASSERT_EQ(batch.Step({0.0F, 0.0F}), std::nullopt);
  EXPECT_NEAR(*std::ranges::min_element(batch.row(0)), 1.0, 1e-6);
  EXPECT_NEAR(batch.reward_terms[0], 0.0, 1e-6);
  EXPECT_NEAR(batch.reward_terms[1], 0.0, 1e-6);
  EXPECT_NEAR(batch.reward_terms[2], 0.35, 1e-6);
}

TEST(DrlNav, RewardOfOneStepIsTheSumOfItsParts) {
  Batch batch(scenes::Load(scenes::Navigation()), 16, TaskPreset("drl_nav"));
  ASSERT_EQ(batch.Reset(SeedFrom(11)), std::nullopt);
  ASSERT_EQ(batch.Step({0.2F, -0.6F}), std::nullopt);
  int plain = 0;
  for (std::size_t i = 0; i < batch.size(); ++i) {
    if (batch.terminated[i] != 0) continue;
    ++plain;
    const auto scan = batch.env.scan(i, 0, 0).scan;
    const double shortest = static_cast<double>(*std::ranges::min_element(scan.ranges));
    const double v = 0.5 * (0.2 + 1.0) / 2.0;
    const double want = v - 0.6 / 2.0 - std::max(0.0, 1.35 - shortest) / 2.0;
    EXPECT_NEAR(batch.rewards[i], want, 1e-6) << "slot " << i;
    EXPECT_NEAR(batch.row(i)[183], 2.0 * v, 1e-6);
    EXPECT_NEAR(batch.row(i)[184], (-0.6 + 1.0) / 2.0, 1e-6);
  }
  EXPECT_GT(plain, 8);
}

Task EndingWith(const std::string& term, const std::string& with = "") {
  Task task = Observing({"goal.distance"});
  TerminationSpec spec;
  spec.name = spec.term = term;
  if (!with.empty()) spec.params.Set("with", with);
  task.terminations = {spec};
  return task;
}

TEST(BoundsLeft, HoldsOnceTheOriginIsOutside) {
  Batch batch(scenes::Load("world: {height: 4, width: 4, step_time: 0.1}\n"
                           "robot: {kinematics: {name: diff}, shape: {name: circle, radius: 0.2},"
                           " state: [3.75, 2, 0], goal: [9, 2, 0]}\n"),
              1, EndingWith("bounds.left"));
  ASSERT_EQ(batch.Reset(), std::nullopt);
  for (int k = 0; k < 2; ++k) {
    ASSERT_EQ(batch.Step({1.0F, 0.0F}), std::nullopt);
    EXPECT_EQ(batch.terminated[0], 0) << "x " << batch.object(0, 0).state[0];
  }
  ASSERT_EQ(batch.Step({1.0F, 0.0F}), std::nullopt);
  EXPECT_EQ(batch.terminated[0], 1) << "x " << batch.object(0, 0).state[0];
}

// One partner that the robot touches after a few steps.
struct Partner {
  const char* kind;
  std::string yaml;
};

std::vector<Partner> Partners() {
  const std::string body = "shape: {name: circle, radius: 0.2}, state: [2, 2, 0]";
  return {{"static", "obstacle: {" + body + "}\n"},
          {"dynamic", "obstacle: {kinematics: {name: omni}, " + body + "}\n"},
          {"robot", "  - {kinematics: {name: diff}, " + body + ", goal: [9, 9, 0]}\n"}};
}

TEST(EventCollided, TellsItsPartnersApart) {
  const std::string robot =
      "world: {height: 10, width: 10, step_time: 0.1, collision_mode: reactive}\nrobot:\n"
      "  - {kinematics: {name: diff}, shape: {name: circle, radius: 0.2}, state: [1.3, 2, 0],"
      " goal: [9, 2, 0]}\n";
  for (const Partner& partner : Partners()) {
    for (const std::string with : {"any", "static", "dynamic", "robot"}) {
      Batch batch(scenes::Load(robot + partner.yaml), 1, EndingWith("event.collided", with));
      ASSERT_EQ(batch.Reset(), std::nullopt);
      bool ended = false;
      for (int k = 0; k < 6 && !ended; ++k) {
        ASSERT_EQ(batch.Step({1.0F, 0.0F}), std::nullopt);
        ended = batch.terminated[0] != 0;
      }
      EXPECT_EQ(ended, with == "any" || with == partner.kind) << with << " of " << partner.kind;
    }
  }
}

// A body that drives into the robot while it stands counts as much as the other way round.
TEST(EventCollided, HoldsForARobotThatIsRunInto) {
  Batch batch(scenes::Load(Plain("obstacle: {kinematics: {name: omni}, state: [1, 4, 0],"
                                 " shape: {name: circle, radius: 0.2}, goal: [1, 0, 0],"
                                 " behavior: {name: dash}}\n")),
              1, EndingWith("event.collided", "dynamic"));
  ASSERT_EQ(batch.Reset(), std::nullopt);
  int steps = 0;
  while (batch.terminated[0] == 0 && steps < 40) {
    ASSERT_EQ(batch.Step({0.0F, 0.0F}), std::nullopt);
    ++steps;
  }
  EXPECT_NEAR(steps, 16, 1) << "1.6 m at 0.1 m a step";
}

}  // namespace
}  // namespace planarium
