#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "tests/testing/batch.h"
#include "tests/testing/scenes.h"

namespace planarium {
namespace {

constexpr std::size_t kWorlds = 65'536;
constexpr std::size_t kBytesPerWorld = 16'384;

// Actions of one step: a different one for each slot.
std::vector<float> ActionsOf(std::size_t worlds, std::size_t first_slot) {
  std::vector<float> actions(2 * worlds);
  for (std::size_t k = 0; k < actions.size(); ++k) {
    actions[k] = static_cast<float>((k + 2 * first_slot) % 41) / 20.0F - 1.0F;
  }
  return actions;
}

TEST(LargeBatch, OfReferenceWorldsStaysSmallAndItsLastSlotsAreThoseOfASmallOne) {
  const auto scenario = scenes::Load(scenes::Reference());
  VectorEnvOptions options;
  options.seed = 5;
  options.threads = 2;
  Batch large(scenario, kWorlds, DefaultTask(), options);
  EXPECT_LE(large.env.description().bytes_per_world, kBytesPerWorld);
  EXPECT_LE(large.env.description().total_bytes, kWorlds * kBytesPerWorld);
  EXPECT_LE(VectorEnv::EstimateBytes({{scenario, kWorlds}}, DefaultTask()),
            kWorlds * (kBytesPerWorld + large.width * sizeof(float)));

  constexpr std::size_t kFew = 16;
  options.seed = 5 + kWorlds - kFew;
  options.threads = 1;
  Batch few(scenario, kFew, DefaultTask(), options);
  ASSERT_EQ(large.Reset(), std::nullopt);
  ASSERT_EQ(few.Reset(), std::nullopt);
  for (int step = 0; step < 3; ++step) {
    ASSERT_EQ(large.Step(ActionsOf(kWorlds, 0)), std::nullopt);
    ASSERT_EQ(few.Step(ActionsOf(kFew, kWorlds - kFew)), std::nullopt);
    for (std::size_t k = 0; k < kFew; ++k) {
      const auto mine = large.row(kWorlds - kFew + k);
      ASSERT_EQ(std::memcmp(mine.data(), few.row(k).data(), mine.size_bytes()), 0) << step;
    }
  }
}

}  // namespace
}  // namespace planarium
