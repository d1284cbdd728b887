// World files that people use, and what is left of them after accidents.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "tests/env/scenario_testing.h"

namespace planarium {
namespace {

using testing::SizeIs;

std::filesystem::path WorldsFolder() {
  const char* root = std::getenv("PLANARIUM_REFERENCE_DATA");
  return std::filesystem::path(root != nullptr ? root : "../shared") / "worlds";
}

std::string Read(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  std::stringstream text;
  text << stream.rdbuf();
  return text.str();
}

std::vector<std::filesystem::path> YamlFiles(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".yaml") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

// The file of the corpus with this number, "W14".
std::filesystem::path World(const std::string& number) {
  for (const std::filesystem::path& path : YamlFiles(WorldsFolder())) {
    if (path.filename().string().starts_with(number + "-")) return path;
  }
  ADD_FAILURE() << number << " is missing";
  return {};
}

class CollectedWorlds : public testing::Test {
 protected:
  void SetUp() override {
    if (std::filesystem::is_directory(WorldsFolder())) return;
    GTEST_SKIP() << "no collection of world files at " << WorldsFolder()
                 << "; set PLANARIUM_REFERENCE_DATA to the folder that holds worlds/";
  }
};

TEST_F(CollectedWorlds, LoadUnchanged) {
  for (const char* number :
       {"W01", "W02", "W06", "W07", "W09", "W11", "W13", "W14", "W15", "W16",
        "W17", "W24", "W25", "W47", "W50", "W60", "W63", "W66", "W72", "W93"}) {
    const std::filesystem::path path = World(number);
    EXPECT_NO_THROW({
      const Scenario scenario = LoadScenarioFile(path.string());
      EXPECT_FALSE(scenario.world.objects.empty()) << number;
      EXPECT_EQ(scenario.plans.size(), scenario.world.objects.size()) << number;
    }) << number;
  }
}

TEST_F(CollectedWorlds, HoldWhatTheirAuthorsSee) {
  const auto objects = [](const char* number) {
    return LoadScenarioFile(World(number).string()).world.objects;
  };
  EXPECT_THAT(objects("W01"), SizeIs(12)) << "the second obstacle: key, 10 and 1 of them";
  EXPECT_THAT(objects("W13"), SizeIs(7));
  EXPECT_THAT(objects("W15"), SizeIs(5)) << "20 states for 5 robots";
  EXPECT_THAT(objects("W63"), SizeIs(210));
  EXPECT_EQ(objects("W72")[0].kinematics.drive, Drive::kOmniAngular);
  const Scenario w14 = LoadScenarioFile(World("W14").string());
  EXPECT_EQ(w14.world.collision_mode, CollisionMode::kReactive);
  EXPECT_EQ(w14.world.step_time, 0.3);
  EXPECT_THAT(w14.placements, SizeIs(1));
  EXPECT_EQ(w14.plans[4].behavior.params.Number("vxmax", 0.0), 0.2);
  EXPECT_TRUE(std::holds_alternative<RandomCircle>(w14.world.objects[1].shape));
  EXPECT_TRUE(std::holds_alternative<RandomPolygon>(w14.world.objects[4].shape));
}

TEST_F(CollectedWorlds, OfTheBarnBenchmarkLoadWithoutAWarning) {
  const auto files = YamlFiles(WorldsFolder() / "barn");
  EXPECT_GE(files.size(), 100u);
  for (const std::filesystem::path& path : files) {
    const Scenario scenario = LoadScenarioFile(path.string());
    EXPECT_GT(scenario.world.objects.size(), 100u) << path;
    for (const Diagnostic& diagnostic : scenario.diagnostics) {
      EXPECT_EQ(diagnostic.severity, Severity::kNote) << diagnostic.ToString();
    }
  }
}

TEST_F(CollectedWorlds, ThatAreNotBuiltAreRefusedByKeyAndLine) {
  const std::vector<std::pair<std::string, std::string>> refused{
      {"W57", ":10:1 uav: unknown top-level key"},
      {"W59", ":66:1 obstacles: this key belongs to IR-SIM before version 2"},
      {"W76", ":6:1 robots: this key belongs to IR-SIM before version 2"},
      {"W78", ":35:1 cars: this key belongs to IR-SIM before version 2"},
      {"W79", ":8:1 robots: this key belongs to IR-SIM before version 2"},
      {"W27", ":7:17 world.obstacle_map: obstacle maps are not built yet"},
      {"W34", "robot[0].sensors[0].name: unknown sensor 'lidar2d_custom'"},
      {"W44", "robot.kinematics.name: unknown kinematics 'otter_usv'"},
      {"W81", "sensors[0].type: sensor fmcw_lidar2d is not built yet"},
      {"W83", "behavior sfm is not built yet"},
      {"W90", "rvo mode vo is not built yet"},
  };
  for (const auto& [number, message] : refused) {
    EXPECT_THAT(Shown(LintScenario(Read(World(number)), number)), Says({message})) << number;
  }
}

bool IsFinite(const BodyState& state) {
  return std::all_of(state.begin(), state.end(), [](double x) { return std::isfinite(x); });
}

// What loads can be finalized, and nothing derived from it overflows.
void ExpectUsable(Scenario scenario, const std::string& text) {
  for (const ObjectSpec& object : scenario.world.objects) {
    ASSERT_TRUE(IsFinite(object.initial_state)) << text;
    ASSERT_TRUE(std::all_of(object.goals.begin(), object.goals.end(), IsFinite)) << text;
    const Shape* shape = std::get_if<Shape>(&object.shape);
    if (shape == nullptr) continue;
    ASSERT_TRUE(std::isfinite(shape->bounding_radius)) << text;
    ASSERT_GT(shape->bounding_radius, 0.0) << text;
    ASSERT_TRUE(std::isfinite(shape->centroid.x + shape->centroid.y)) << text;
  }
  scenario.world.Finalize();
}

// A small deterministic generator: accidents need no quality.
class Accidents {
 public:
  explicit Accidents(std::uint64_t seed) : state_(seed * 2 + 1) {}

  std::size_t Below(std::size_t bound) {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return (state_ >> 33) % bound;
  }

  // Changes, cuts or doubles a piece of the text.
  void Strike(std::string& text) {
    static const std::vector<std::string> kPieces{
        ".nan", ".inf", "-1", "1e999",  "1.0e+300", "[",        "]",     "{",    "}",
        ": ",   "- ",   "'",  "\"",     "&a ",      "*a",       "<<: ",  "null", "~",
        "#",    "\n",   "  ", "!!str ", "0x",       "99999999", "\xFF",  "[[[",  "[]",
        "{}",   "yes",  ",",  "\t",     "name",     "\r\n",     "---\n", "? ",   "|"};
    const std::size_t at = Below(text.size() + 1);
    const std::size_t length = std::min(Below(20), text.size() - at);
    switch (Below(3)) {
      case 0:
        text.erase(at, length);
        break;
      case 1:
        text.insert(at, kPieces[Below(kPieces.size())]);
        break;
      default:
        text.insert(at, text.substr(Below(text.size() + 1), Below(60)));
    }
  }

 private:
  std::uint64_t state_;
};

TEST_F(CollectedWorlds, NeverCrashTheLoaderHoweverDamaged) {
  const auto files = YamlFiles(WorldsFolder());
  int loaded = 0;
  const char* rounds_text = std::getenv("PLANARIUM_MUTATIONS");
  const int rounds = rounds_text != nullptr ? std::atoi(rounds_text) : 20;
  for (std::size_t i = 0; i < files.size(); ++i) {
    const std::string original = Read(files[i]);
    for (int round = 0; round < rounds; ++round) {
      Accidents accidents(i * 100'003 + static_cast<std::uint64_t>(round));
      std::string text = original;
      for (std::size_t k = accidents.Below(4) + 1; k > 0; --k) accidents.Strike(text);
      try {
        ExpectUsable(LoadScenario(text, "damaged.yaml"), text);
        ++loaded;
      } catch (const SpecError& error) {
        EXPECT_EQ(error.diagnostics().at(0).severity, Severity::kError);
      }
    }
  }
  EXPECT_GT(loaded, 0) << "some accidents are harmless";
}

}  // namespace
}  // namespace planarium
