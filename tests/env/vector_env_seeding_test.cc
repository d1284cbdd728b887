#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "env/task_presets.h"
#include "physics/random.h"
#include "tests/testing/batch.h"
#include "tests/testing/scenes.h"

namespace planarium {
namespace {

using testing::ElementsAre;

std::shared_ptr<const Scenario> Navigation() {
  static const auto scenario = scenes::Load(scenes::Navigation());
  return scenario;
}

Task ShortTask() {
  Task task = TaskPreset("drl_nav");
  task.max_steps = 5;
  return task;
}

std::unique_ptr<Batch> Make(std::size_t count, const VectorEnvOptions& options = {}) {
  return std::make_unique<Batch>(Navigation(), count, ShortTask(), options);
}

VectorEnvOptions Seeded(std::uint64_t seed) {
  VectorEnvOptions options;
  options.seed = seed;
  return options;
}

std::vector<std::uint64_t> Seeds(const Batch& batch) {
  std::vector<std::uint64_t> seeds;
  for (std::size_t i = 0; i < batch.size(); ++i) {
    seeds.push_back(batch.env.world(i).clock().episode_seed);
  }
  return seeds;
}

TEST(Seeding, SlotsCountUpFromTheRootSeed) {
  const auto batch = Make(3, Seeded(40));
  ASSERT_EQ(batch->Reset(), std::nullopt);
  EXPECT_THAT(Seeds(*batch),
              ElementsAre(EpisodeSeed(40, 0), EpisodeSeed(41, 0), EpisodeSeed(42, 0)));
  EXPECT_EQ(batch->env.description().seed, 40U);
}

TEST(Seeding, SlotSeedsReplaceTheRootSeed) {
  VectorEnvOptions options = Seeded(40);
  options.slot_seeds = {7, 7, 1000};
  const auto batch = Make(3, options);
  ASSERT_EQ(batch->Reset(), std::nullopt);
  EXPECT_THAT(Seeds(*batch),
              ElementsAre(EpisodeSeed(7, 0), EpisodeSeed(7, 0), EpisodeSeed(1000, 0)));
  EXPECT_EQ(batch->RowCopy(0), batch->RowCopy(1)) << "equal seeds are equal episodes";
  EXPECT_NE(batch->RowCopy(0), batch->RowCopy(2));
}

TEST(Seeding, ResetWithoutASeedAdvancesTheEpisode) {
  const auto batch = Make(2, Seeded(40));
  ASSERT_EQ(batch->Reset(), std::nullopt);
  const std::vector<float> first = batch->RowCopy(0);
  ASSERT_EQ(batch->Reset(), std::nullopt);
  EXPECT_THAT(Seeds(*batch), ElementsAre(EpisodeSeed(40, 1), EpisodeSeed(41, 1)));
  EXPECT_NE(batch->RowCopy(0), first);
}

TEST(Seeding, ResetWithASeedStartsTheSlotsAnew) {
  const auto batch = Make(2, Seeded(40));
  ASSERT_EQ(batch->Reset(), std::nullopt);
  const std::vector<float> first = batch->RowCopy(0);
  ASSERT_EQ(batch->Reset(), std::nullopt);
  ASSERT_EQ(batch->Reset(SeedFrom(40)), std::nullopt);
  EXPECT_EQ(batch->RowCopy(0), first);
  EXPECT_EQ(batch->env.episode(0), 0U);
  ASSERT_EQ(batch->Reset(SeedFrom(90)), std::nullopt);
  EXPECT_THAT(Seeds(*batch), ElementsAre(EpisodeSeed(90, 0), EpisodeSeed(91, 0)));
  ASSERT_EQ(batch->Reset(), std::nullopt);
  EXPECT_THAT(Seeds(*batch), ElementsAre(EpisodeSeed(90, 1), EpisodeSeed(91, 1)));
}

TEST(Seeding, ResetTakesASeedPerSlot) {
  const auto batch = Make(2, Seeded(40));
  const std::vector<std::uint64_t> seeds{5, 3};
  ASSERT_EQ(batch->Reset(SeedEach(seeds)), std::nullopt);
  EXPECT_THAT(Seeds(*batch), ElementsAre(EpisodeSeed(5, 0), EpisodeSeed(3, 0)));
}

TEST(Seeding, UnselectedSlotsKeepTheirSeeds) {
  const auto batch = Make(3, Seeded(40));
  ASSERT_EQ(batch->Reset(), std::nullopt);
  const std::vector<std::uint8_t> mask{0, 1, 0};
  ResetInput input = SelectSlots(mask);
  input.seed = 70;
  ASSERT_EQ(batch->Reset(input), std::nullopt);
  EXPECT_THAT(Seeds(*batch),
              ElementsAre(EpisodeSeed(40, 0), EpisodeSeed(71, 0), EpisodeSeed(42, 0)));
}

TEST(Seeding, AutoresetMovesToTheNextEpisode) {
  for (const Autoreset mode : {Autoreset::kNextStep, Autoreset::kSameStep}) {
    VectorEnvOptions options = Seeded(40);
    options.autoreset = mode;
    const auto batch = Make(1, options);
    ASSERT_EQ(batch->Reset(), std::nullopt);
    std::vector<std::uint64_t> seeds;
    for (int k = 0; k < 20; ++k) {
      ASSERT_EQ(batch->Step({-1, 0}), std::nullopt);
      const EpisodeEnds ends = batch->env.results().ends;
      seeds.insert(seeds.end(), ends.seeds.begin(), ends.seeds.end());
    }
    ASSERT_GE(seeds.size(), 2U);
    for (std::size_t k = 0; k < seeds.size(); ++k) EXPECT_EQ(seeds[k], EpisodeSeed(40, k));
  }
}

// Everything that one episode shows under constant actions.
std::vector<float> Play(Batch& batch, std::size_t slot) {
  std::vector<float> shown = batch.RowCopy(slot);
  for (int k = 0; k < 4; ++k) {
    EXPECT_EQ(batch.Step({0.3F, 0.5F}), std::nullopt);
    const std::vector<float> row = batch.RowCopy(slot);
    shown.insert(shown.end(), row.begin(), row.end());
    shown.push_back(batch.rewards[slot]);
  }
  return shown;
}

TEST(Seeding, AnEpisodeReplaysAloneFromItsOwnSeed) {
  const auto crowd = Make(9, Seeded(40));
  ASSERT_EQ(crowd->Reset(), std::nullopt);
  for (int k = 0; k < 3; ++k) ASSERT_EQ(crowd->Reset(), std::nullopt);
  const std::uint64_t seed = Seeds(*crowd)[6];
  const std::vector<float> shown = Play(*crowd, 6);

  const auto alone = Make(1, Seeded(1));
  ASSERT_EQ(alone->Reset(Replay(seed)), std::nullopt);
  EXPECT_EQ(Seeds(*alone), std::vector{seed});
  EXPECT_EQ(Play(*alone, 0), shown);
}

TEST(Seeding, AfterAReplayTheSlotGoesOnWithItsOwnEpisodes) {
  const auto batch = Make(1, Seeded(40));
  ASSERT_EQ(batch->Reset(), std::nullopt);
  ASSERT_EQ(batch->Reset(Replay(12345)), std::nullopt);
  ASSERT_EQ(batch->Reset(), std::nullopt);
  EXPECT_THAT(Seeds(*batch), ElementsAre(EpisodeSeed(40, 1)));
}

TEST(Seeding, EveryResetOfEveryWorldDrawsAnotherScene) {
  const auto batch = Make(64);
  std::set<std::vector<float>> scenes_seen;
  std::set<double> places;
  for (int k = 0; k < 5; ++k) {
    ASSERT_EQ(batch->Reset(), std::nullopt);
    for (std::size_t i = 0; i < batch->size(); ++i) {
      scenes_seen.insert(batch->RowCopy(i));
      places.insert(batch->object(i, 1).state[0]);
    }
  }
  EXPECT_EQ(scenes_seen.size(), 320U);
  EXPECT_EQ(places.size(), 320U);
}

TEST(Seeding, ResultsDoNotDependOnTheNeighbours) {
  const auto many = Make(8, Seeded(40));
  ASSERT_EQ(many->Reset(), std::nullopt);
  for (std::size_t i = 0; i < 8; i += 3) {
    const auto one = Make(1, Seeded(40 + i));
    ASSERT_EQ(one->Reset(), std::nullopt);
    EXPECT_EQ(one->RowCopy(0), many->RowCopy(i));
  }
}

}  // namespace
}  // namespace planarium
