#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "env/task_presets.h"
#include "physics/random.h"
#include "tests/testing/batch.h"
#include "tests/testing/scenes.h"

namespace planarium {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr int kRandomSteps = 150;
#else
constexpr int kRandomSteps = 1000;
#endif

std::unique_ptr<Batch> Lane(Task task, std::size_t count = 1) {
  auto batch = std::make_unique<Batch>(scenes::Load(scenes::Lane()), count, std::move(task));
  EXPECT_EQ(batch->Reset(), std::nullopt);
  return batch;
}

RewardSpec Reward(const std::string& term, double weight) {
  RewardSpec spec;
  spec.name = spec.term = term;
  spec.weight = weight;
  return spec;
}

TEST(Action, MapsTheUnitRangeOntoTheLimitsOfTheRobot) {
  Batch batch(scenes::Load("robot: {kinematics: {name: diff}, vel_min: [-0.5, -2], vel_max: [1.5, "
                           "1], goal: [9, 9, 0]}"),
              4, EndlessTask());
  ASSERT_EQ(batch.Reset(), std::nullopt);
  ASSERT_EQ(batch.Step({-1, -1, 0, 0, 1, 1, 0.5F, -0.5F}), std::nullopt);
  EXPECT_EQ(batch.object(0, 0).velocity, (Command{-0.5, -2.0, 0.0}));
  EXPECT_EQ(batch.object(1, 0).velocity, (Command{0.5, -0.5, 0.0}));
  EXPECT_EQ(batch.object(2, 0).velocity, (Command{1.5, 1.0, 0.0}));
  EXPECT_EQ(batch.object(3, 0).velocity, (Command{1.0, -1.25, 0.0}));
}

TEST(Action, MapsOntoTheRangeOfTheTaskWhenItGivesOne) {
  Task task = EndlessTask();
  task.action.range = {{0.0, 0.5}, {-1.0, 1.0}};
  const auto batch = Lane(task);
  ASSERT_EQ(batch->Step({-1, 0.25F}), std::nullopt);
  EXPECT_EQ(batch->object(0, 0).velocity, (Command{0.0, 0.25, 0.0}));
  ASSERT_EQ(batch->Step({0, 0}), std::nullopt);
  EXPECT_EQ(batch->object(0, 0).velocity, (Command{0.25, 0.0, 0.0}));
}

TEST(Action, RepeatHoldsItForSeveralWorldSteps) {
  Task task = EndlessTask();
  task.action.repeat = 4;
  const auto batch = Lane(task);
  ASSERT_EQ(batch->Step({1, 0}), std::nullopt);
  EXPECT_EQ(batch->env.world(0).clock().step, 4U);
  EXPECT_NEAR(batch->object(0, 0).state[0], 2.4, 1e-12);
  EXPECT_EQ(batch->env.description().step_time, 0.4);
  EXPECT_NEAR(batch->rewards[0], 0.4 - 0.01, 1e-6) << "progress adds up, the time term counts once";
}

TEST(Action, RepeatEndsWithTheEpisode) {
  Task task = DefaultTask();
  task.action.repeat = 7;
  const auto batch = Lane(task);
  ASSERT_EQ(batch->Step({1, 0}), std::nullopt);
  ASSERT_EQ(batch->Step({1, 0}), std::nullopt);
  EXPECT_THAT(batch->terminated, ElementsAre(1));
  EXPECT_THAT(batch->env.results().ends.lengths, ElementsAre(2)) << "counted in env steps";
  EXPECT_THAT(batch->env.results().ends.sim_seconds, ElementsAre(testing::DoubleNear(1.0, 1e-12)));
}

TEST(TimeLimit, CountsEnvSteps) {
  Task task = EndlessTask();
  task.max_steps = 3;
  const auto batch = Lane(task);
  for (int k = 0; k < 3; ++k) {
    EXPECT_THAT(batch->truncated, ElementsAre(0));
    ASSERT_EQ(batch->Step({0, 0}), std::nullopt);
  }
  EXPECT_THAT(batch->truncated, ElementsAre(1));
  EXPECT_THAT(batch->terminated, ElementsAre(0));
}

TEST(TimeLimit, InSecondsFollowsTheStepTimeAndTheRepeat) {
  Task task = EndlessTask();
  task.max_seconds = 1.0;
  task.action.repeat = 3;
  EXPECT_EQ(Lane(task)->env.description().max_episode_steps, 4) << "ceil(1.0 / 0.3)";
  task.action.repeat = 1;
  EXPECT_EQ(Lane(task)->env.description().max_episode_steps, 10) << "no step for rounding";
}

TEST(TimeLimit, OfTheBatchReplacesThatOfTheTask) {
  VectorEnvOptions options;
  options.max_episode_steps = 2;
  Batch batch(scenes::Load(scenes::Lane()), 1, EndlessTask(), options);
  EXPECT_EQ(batch.env.description().max_episode_steps, 2);
  ASSERT_EQ(batch.Reset(), std::nullopt);
  ASSERT_EQ(batch.Step({0, 0}), std::nullopt);
  EXPECT_THAT(batch.truncated, ElementsAre(0));
  ASSERT_EQ(batch.Step({0, 0}), std::nullopt);
  EXPECT_THAT(batch.truncated, ElementsAre(1));
}

TEST(Reward, OncePaysInTheFirstStepOnly) {
  Task task = EndlessTask();
  task.rewards = {Reward("event.arrived", 5.0), Reward("time.step", 1.0)};
  task.rewards[0].once = true;
  const auto batch = Lane(task);
  double sum = 0.0;
  for (int k = 0; k < 10; ++k) {
    ASSERT_EQ(batch->Step({1, 0}), std::nullopt);
    sum += batch->rewards[0];
  }
  EXPECT_EQ(sum, 15.0);
  ASSERT_EQ(batch->Step({0, 0}), std::nullopt);
  EXPECT_EQ(batch->rewards[0], 1.0F) << "still at the goal, paid before";
  ASSERT_EQ(batch->Reset(), std::nullopt);
  for (int k = 0; k < 10; ++k) ASSERT_EQ(batch->Step({1, 0}), std::nullopt);
  EXPECT_EQ(batch->rewards[0], 6.0F) << "the next episode pays again";
}

TEST(Reward, TheFirstExclusiveTermStandsAlone) {
  Task task = EndlessTask();
  task.rewards = {Reward("time.step", 1.0), Reward("event.arrived", 5.0),
                  Reward("event.arrived", 7.0)};
  task.rewards[1].exclusive = task.rewards[2].exclusive = true;
  const auto batch = Lane(task);
  ASSERT_EQ(batch->Step({1, 0}), std::nullopt);
  EXPECT_EQ(batch->rewards[0], 1.0F) << "an exclusive term that is zero replaces nothing";
  for (int k = 1; k < 10; ++k) ASSERT_EQ(batch->Step({1, 0}), std::nullopt);
  EXPECT_EQ(batch->rewards[0], 5.0F);
  EXPECT_THAT(batch->reward_terms, ElementsAre(0, 5, 0));
}

TEST(Reward, WeightsAreNotMultipliedByTheStepTime) {
  Task task = EndlessTask();
  task.rewards = {Reward("action.linear", 2.0)};
  const auto batch = Lane(task);
  ASSERT_EQ(batch->Step({0.5F, 0}), std::nullopt);
  EXPECT_EQ(batch->rewards[0], 1.0F);
}

TEST(Reward, OfDrlNavIsTheSumThatItsAuthorsWrote) {
  Batch batch(scenes::Load(scenes::Navigation()), 1, TaskPreset("drl_nav"));
  ASSERT_EQ(batch.Reset(), std::nullopt);
  ASSERT_EQ(batch.width, 185U);
  for (int k = 0; k < 20; ++k) {
    ASSERT_EQ(batch.Step({0.6F, -0.5F}), std::nullopt);
    if (batch.first[0] != 0 || batch.terminated[0] != 0) continue;
    const double v = (static_cast<double>(0.6F) + 1.0) / 4.0;
    const double shortest = 7.0 * *std::ranges::min_element(batch.row(0).first(180));
    EXPECT_NEAR(batch.rewards[0], v - 0.25 - std::max(0.0, 1.35 - shortest) / 2.0, 1e-5);
    EXPECT_NEAR(batch.row(0)[183], 2.0 * v, 1e-6);
    EXPECT_NEAR(batch.row(0)[184], 0.25, 1e-6);
  }
}

TEST(Policy, DashReachesTheGoalAndIsReportedAsAnAction) {
  Task task = DefaultTask();
  task.observations.resize(1);
  task.observations[0] = {};
  task.observations[0].term = "self.last_action";
  const auto batch = Lane(task);
  for (int k = 0; k < 10; ++k) {
    ASSERT_EQ(batch->StepPolicy("dash"), std::nullopt);
    EXPECT_THAT(batch->row(0), ElementsAre(1, 0));
  }
  EXPECT_THAT(batch->terminated, ElementsAre(1));
  EXPECT_THAT(batch->env.results().ends.success, ElementsAre(1));
}

TEST(Policy, IgnoresTheActionsOfThePast) {
  const auto batch = Lane(EndlessTask());
  ASSERT_EQ(batch->Step({-1, 1}), std::nullopt);
  ASSERT_EQ(batch->StepPolicy("dash"), std::nullopt);
  ASSERT_EQ(batch->Step({0, 0}), std::nullopt);
  EXPECT_EQ(batch->object(0, 0).velocity, (Command{0, 0, 0}));
}

// Scenarios of one batch.
std::string Box(double step_time, const std::string& robot_extra = "") {
  return "world: {step_time: " + std::to_string(step_time) +
         "}\nrobot: {kinematics: {name: diff}, state: [2, 2, 0], goal: [8, 8, 0]" + robot_extra +
         "}\n";
}

TEST(Mix, DealsTheSlotsOutInOrder) {
  const std::vector<ScenarioShare> shares{{scenes::Load(Box(0.1), "a.yaml"), 2},
                                          {scenes::Load(Box(0.5), "b.yaml"), 1}};
  Batch batch(shares, EndlessTask());
  ASSERT_EQ(batch.Reset(), std::nullopt);
  ASSERT_EQ(batch.Step({1, 0}), std::nullopt);
  EXPECT_EQ(batch.env.scenario(1).name, "a");
  EXPECT_EQ(batch.env.scenario(2).name, "b");
  EXPECT_NEAR(batch.object(1, 0).state[0], 2.1, 1e-12);
  EXPECT_NEAR(batch.object(2, 0).state[0], 2.5, 1e-12) << "each keeps its own step time";
  ASSERT_EQ(batch.Reset(), std::nullopt);
  EXPECT_THAT(batch.env.results().ends.scenarios, ElementsAre(0, 0, 1));
  EXPECT_THAT(batch.env.results().ends.sim_seconds, ElementsAre(0.1, 0.1, 0.5));
}

TEST(Mix, RefusesSpacesThatDifferAndNamesBoth) {
  const auto plain = scenes::Load(Box(0.1), "plain.yaml");
  const auto seeing =
      scenes::Load(Box(0.1, ", sensors: [{type: lidar2d, number: 8}]"), "seeing.yaml");
  const auto faster = scenes::Load(Box(0.1, ", vel_max: [2, 1]"), "faster.yaml");
  for (const auto& other : {seeing, faster}) {
    try {
      Batch batch({{plain, 1}, {other, 1}}, EndlessTask());
      FAIL() << "accepted " << other->name;
    } catch (const SpecError& error) {
      EXPECT_THAT(error.what(), HasSubstr("plain.yaml"));
      EXPECT_THAT(error.what(), HasSubstr(other->file));
    }
  }
}

TEST(Mix, AccountsForItsMemory) {
  const std::vector<ScenarioShare> shares{{scenes::Load(scenes::Reference()), 100}};
  const Batch batch(shares, DefaultTask());
  const EnvDescription& d = batch.env.description();
  EXPECT_LE(d.bytes_per_world, 16'000U);
  EXPECT_LE(d.total_bytes, VectorEnv::EstimateBytes(shares, DefaultTask()));
}

// Random driving in every small world under a task.
struct BoundsCase {
  std::string_view preset;
  std::size_t world;
};

class Bounds : public testing::TestWithParam<BoundsCase> {};

std::vector<BoundsCase> BoundsCases() {
  std::vector<BoundsCase> cases;
  for (std::size_t k = 0; k < scenes::SmallWorlds().size(); ++k) cases.push_back({"default", k});
  cases.push_back({"drl_nav", 1});
  cases.push_back({"drl_nav", 2});
  return cases;
}
INSTANTIATE_TEST_SUITE_P(SmallWorlds, Bounds, testing::ValuesIn(BoundsCases()), [](const auto& at) {
  return std::string(at.param.preset) + std::to_string(at.param.world);
});

void ExpectWithinBounds(const Batch& batch) {
  const EnvDescription& d = batch.env.description();
  for (std::size_t i = 0; i < batch.observations.size(); ++i) {
    const std::size_t column = i % batch.width;
    ASSERT_GE(batch.observations[i], d.observation_low[column]) << "column " << column;
    ASSERT_LE(batch.observations[i], d.observation_high[column]) << "column " << column;
  }
}

void ExpectTermsAddUp(const Batch& batch) {
  const std::size_t terms = batch.reward_terms.size() / batch.size();
  for (std::size_t i = 0; i < batch.size(); ++i) {
    const auto columns = std::span(batch.reward_terms).subspan(i * terms, terms);
    ASSERT_NEAR(std::accumulate(columns.begin(), columns.end(), 0.0), batch.rewards[i], 1e-5);
  }
}

TEST_P(Bounds, HoldOverRandomSteps) {
  VectorEnvOptions options;
  options.autoreset = Autoreset::kSameStep;
  Batch batch(scenes::Load(scenes::SmallWorlds()[GetParam().world]), 2,
              TaskPreset(GetParam().preset), options);
  const EnvDescription& d = batch.env.description();
  for (std::size_t k = 0; k < batch.width; ++k) {
    ASSERT_TRUE(std::isfinite(d.observation_low[k]) && std::isfinite(d.observation_high[k]));
  }
  ASSERT_EQ(batch.Reset(), std::nullopt);
  RandomSequence random(3, Stream::kCurriculum, 0, 0);
  std::vector<float> actions(batch.size() * batch.action_width);
  for (int k = 0; k < kRandomSteps; ++k) {
    for (float& action : actions) action = static_cast<float>(random.Uniform(-1.2, 1.2));
    ASSERT_EQ(batch.Step(actions), std::nullopt);
    ExpectWithinBounds(batch);
    ExpectTermsAddUp(batch);
    if (HasFatalFailure()) return;
  }
}

TEST(Description, NamesEveryColumn) {
  Batch batch(scenes::Load(scenes::Navigation()), 1, TaskPreset("drl_nav"));
  int next = 0;
  for (const ColumnBlock& block : batch.env.description().columns) {
    EXPECT_EQ(block.start, next) << block.term;
    EXPECT_EQ(block.labels.size(), static_cast<std::size_t>(block.width));
    EXPECT_FALSE(block.unit.empty());
    next += block.width;
  }
  EXPECT_EQ(next, batch.env.description().observation_width);
  EXPECT_THAT(batch.env.description().reward_terms,
              ElementsAre("arrive", "crash", "speed", "turn", "close"));
  EXPECT_THAT(batch.env.description().termination_names, ElementsAre("arrived", "collided"));
  EXPECT_THAT(batch.env.description().agent_names, ElementsAre("robot_0"));
}

}  // namespace
}  // namespace planarium
