// Trajectories recorded from IR-SIM: every object steers itself, every step is compared.
#include <gtest/gtest.h>
#include <yaml-cpp/yaml.h>

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "tests/testing/batch.h"
#include "tests/testing/scenes.h"

namespace planarium {
namespace {

constexpr double kTolerance = 1e-9;

std::string ReadText(const std::string& path) {
  std::ifstream file(path);
  EXPECT_TRUE(file) << path;
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::vector<YAML::Node> ReadSnapshots(const std::string& path) {
  std::vector<YAML::Node> snapshots;
  std::istringstream lines(ReadText(path));
  for (std::string line; std::getline(lines, line);) snapshots.push_back(YAML::Load(line));
  return snapshots;
}

template <typename Values>
void ExpectRows(const YAML::Node& want, const Values& got, const std::string& what) {
  for (std::size_t k = 0; k < want.size() && k < got.size(); ++k) {
    EXPECT_NEAR(got[k], want[k].as<double>(), kTolerance) << what << "[" << k << "]";
  }
}

void ExpectObject(const YAML::Node& want, const WorldView& world, int id) {
  const ObjectSpec& spec = world.spec().objects[static_cast<std::size_t>(id)];
  const ObjectState& got = world.object(id);
  ExpectRows(want["state"], got.state, "state");
  if (spec.fixed) return;
  ExpectRows(want["velocity"], got.velocity, "velocity");
  EXPECT_EQ(got.arrive, want["arrive"].as<bool>()) << "arrive";
  EXPECT_EQ(got.collision, want["collision"].as<bool>()) << "collision";
  EXPECT_EQ(got.stop, want["stop"].as<bool>()) << "stop";
  const BodyState* goal = world.goal(id);
  ASSERT_NE(goal, nullptr);
  EXPECT_NEAR((*goal)[0], want["goal"][0].as<double>(), kTolerance) << "goal x";
  EXPECT_NEAR((*goal)[1], want["goal"][1].as<double>(), kTolerance) << "goal y";
}

void ExpectSnapshot(const YAML::Node& want, const WorldView& world) {
  EXPECT_EQ(world.clock().step, want["count"].as<std::uint64_t>());
  EXPECT_NEAR(world.time(), want["time"].as<double>(), kTolerance);
  ASSERT_EQ(want["objects"].size(), world.spec().objects.size());
  for (const YAML::Node& object : want["objects"]) {
    const int id = object["id"].as<int>();
    SCOPED_TRACE("object " + std::to_string(id));
    ExpectObject(object, world, id);
  }
}

class Golden : public testing::TestWithParam<const char*> {};

TEST_P(Golden, EveryObjectFollowsTheRecordingAtEveryStep) {
  const std::string stem = std::string("tests/data/golden/") + GetParam();
  Batch batch(scenes::Load(ReadText(stem + ".yaml")), 1, EndlessTask());
  ASSERT_EQ(batch.Reset(), std::nullopt);
  const std::vector<YAML::Node> snapshots = ReadSnapshots(stem + ".jsonl");
  ASSERT_GT(snapshots.size(), 50U);
  for (std::size_t k = 0; k < snapshots.size() && !HasFailure(); ++k) {
    SCOPED_TRACE("step " + std::to_string(k));
    if (k > 0) {
      ASSERT_EQ(batch.StepPolicy("dash"), std::nullopt);
    }
    ExpectSnapshot(snapshots[k], batch.env.world(0));
  }
}

INSTANTIATE_TEST_SUITE_P(IrSim, Golden,
                         testing::Values("g01_diff_dash", "g02_acker_dash", "g03_omni_dash",
                                         "g06_loop_multigoal", "g07_stop",
                                         "g08_unobstructed_obstacles"),
                         [](const auto& row) { return std::string(row.param); });

}  // namespace
}  // namespace planarium
