// World files that users wrote for IR-SIM load unchanged and step.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <memory>
#include <random>

#include "env/scenario_loader.h"
#include "env/task_presets.h"
#include "tests/testing/batch.h"
#include "tests/testing/reference_data.h"

namespace planarium {
namespace {

// Sanitized builds are many times slower and look for other things.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr std::size_t kCrowd = 16;
constexpr int kSteps = 50;
#else
constexpr std::size_t kCrowd = 1024;
constexpr int kSteps = 500;
#endif

// Random actions, rows checked against their bounds in every step.
void StepAndCheck(Batch& batch, int steps) {
  std::mt19937 random(1);
  std::uniform_real_distribution<float> uniform(-1.0F, 1.0F);
  const EnvDescription& d = batch.env.description();
  ASSERT_EQ(batch.Reset(SeedFrom(1)), std::nullopt);
  for (int step = 0; step < steps; ++step) {
    std::vector<float> actions(batch.size() * batch.action_width);
    for (float& action : actions) action = uniform(random);
    ASSERT_EQ(batch.Step(actions), std::nullopt);
    for (std::size_t k = 0; k < batch.observations.size(); ++k) {
      const float value = batch.observations[k];
      ASSERT_GE(value, d.observation_low[k % batch.width]) << "step " << step << " column " << k;
      ASSERT_LE(value, d.observation_high[k % batch.width]) << "step " << step << " column " << k;
    }
    ASSERT_TRUE(batch.env.results().faults.empty()) << batch.env.results().faults.front().text;
  }
}

class RealWorld : public testing::TestWithParam<const char*> {};

TEST_P(RealWorld, LoadsAndSteps) {
  const auto path = ReferenceFile(std::string("worlds/") + GetParam() + ".yaml");
  if (!path) GTEST_SKIP() << kNoReferenceData;
  auto scenario = std::make_shared<const Scenario>(LoadScenarioFile(*path));
  Batch batch(scenario, 2, DefaultTask());
  StepAndCheck(batch, kSteps);
}

INSTANTIATE_TEST_SUITE_P(
    Users, RealWorld,
    testing::Values("W01-env", "W02-env", "W06-env", "W07-env", "W09-corridor",
                    "W11-lidar_path_track", "W13-corridor", "W14-robot_world", "W15-cross_world",
                    "W16-multi_robot_world", "W17-eval_world", "W24-test_irsim_obs",
                    "W25-eval_world", "W47-arena_v2_hard", "W50-arena_no_path", "W60-obstacle_demo",
                    "W63-barn_0", "W66-obstacle_world", "W72-maze_benchmark",
                    "W93-lidar_world_noise", "barn/barn_001", "barn/barn_028", "barn/barn_050",
                    "barn/barn_076", "barn/barn_101", "barn/barn_131", "barn/barn_002",
                    "barn/barn_064", "barn/barn_092", "barn/barn_118"));

TEST(RealWorlds, TheMostUsedTrainingWorldStepsAsABatchOf1024) {
  const auto path = ReferenceFile("worlds/W14-robot_world.yaml");
  if (!path) GTEST_SKIP() << kNoReferenceData;
  auto scenario = std::make_shared<const Scenario>(LoadScenarioFile(*path));
  VectorEnvOptions options;
  options.threads = 2;
  Batch batch(scenario, kCrowd, TaskPreset("drl_nav"), options);
  EXPECT_EQ(batch.width, 185U);
  StepAndCheck(batch, kSteps);
}

// Every BARN world is another scenario of one batch.
TEST(RealWorlds, ManyScenariosShareABatch) {
  const auto folder = ReferenceFile("worlds/barn");
  if (!folder) GTEST_SKIP() << kNoReferenceData;
  std::vector<ScenarioShare> shares;
  for (const auto& entry : std::filesystem::directory_iterator(*folder)) {
    if (shares.size() == 20) break;
    shares.push_back({std::make_shared<const Scenario>(LoadScenarioFile(entry.path())), 2});
  }
  Batch batch(std::move(shares), DefaultTask());
  StepAndCheck(batch, kSteps / 10);
}

}  // namespace
}  // namespace planarium
