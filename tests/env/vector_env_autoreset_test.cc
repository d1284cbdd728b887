#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <limits>

#include "env/task_presets.h"
#include "physics/random.h"
#include "tests/testing/batch.h"
#include "tests/testing/scenes.h"

namespace planarium {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr int kStepsToArrive = 10;
constexpr int kStepsToCollide = 6;
constexpr std::uint64_t kSeed = 500;

VectorEnvOptions Mode(Autoreset autoreset) {
  VectorEnvOptions options;
  options.autoreset = autoreset;
  options.seed = kSeed;
  return options;
}

std::uint8_t Number(EndReason reason) { return static_cast<std::uint8_t>(reason); }

// Three lanes: slot 0 drives forward and arrives, slot 1 stands, slot 2 drives back and collides.
class LaneBatch : public Batch {
 public:
  explicit LaneBatch(Autoreset autoreset, Task task = DefaultTask())
      : Batch(scenes::Load(scenes::Lane()), 3, std::move(task), Mode(autoreset)) {
    EXPECT_EQ(Reset(), std::nullopt);
    start = RowCopy(0);
  }
  using Batch::Step;
  std::optional<Refusal> Step() { return Step(std::vector<float>{1, 0, 0, 0, -1, 0}); }
  // Steps until slot 0 has arrived.
  void Arrive() {
    for (int k = 0; k < kStepsToArrive; ++k) ASSERT_EQ(Step(), std::nullopt);
  }

  std::vector<float> start;
};

// Task whose slot 2 is never done, so that only slot 0 ends.
Task OnlyArrival() {
  Task task = DefaultTask();
  task.terminations.pop_back();
  return task;
}

TEST(Autoreset, FirstRowsShowTheStart) {
  for (const Autoreset mode : {Autoreset::kNextStep, Autoreset::kSameStep, Autoreset::kDisabled}) {
    const LaneBatch batch(mode);
    EXPECT_THAT(batch.first, ElementsAre(1, 1, 1));
    EXPECT_THAT(batch.alive, ElementsAre(1, 1, 1));
    EXPECT_THAT(batch.terminated, ElementsAre(0, 0, 0));
    EXPECT_THAT(batch.truncated, ElementsAre(0, 0, 0));
    EXPECT_THAT(batch.rewards, ElementsAre(0, 0, 0));
    EXPECT_THAT(batch.row(0), ElementsAre(0.1F, 1, 0, 0, 0)) << "distance / 10, cos, sin, v, w";
    EXPECT_THAT(batch.env.results().ends.slots, IsEmpty());
  }
}

TEST(NextStep, KeepsTheLastObservationInTheStepOfTheEnd) {
  LaneBatch batch(Autoreset::kNextStep, OnlyArrival());
  batch.Arrive();
  EXPECT_THAT(batch.terminated, ElementsAre(1, 0, 0));
  EXPECT_THAT(batch.truncated, ElementsAre(0, 0, 0));
  EXPECT_THAT(batch.first, ElementsAre(0, 0, 0));
  EXPECT_THAT(batch.alive, ElementsAre(0, 1, 1));
  EXPECT_NEAR(batch.row(0)[0], 0.0F, 1e-6F) << "the old episode's last distance";
  EXPECT_EQ(batch.row(0)[3], 1.0F);
  EXPECT_EQ(batch.rewards[0], 10.0F) << "the arrival replaces the step's other rewards";
  EXPECT_THAT(batch.env.results().ends.final_observations, IsEmpty());
}

TEST(NextStep, ShowsTheNewStartOneStepLaterAndIgnoresItsAction) {
  LaneBatch batch(Autoreset::kNextStep, OnlyArrival());
  batch.Arrive();
  EXPECT_EQ(batch.Step({kNaN, kNaN, 0, 0, 0, 0}), std::nullopt);
  EXPECT_EQ(batch.RowCopy(0), batch.start);
  EXPECT_THAT(batch.first, ElementsAre(1, 0, 0));
  EXPECT_THAT(batch.terminated, ElementsAre(0, 0, 0));
  EXPECT_THAT(batch.truncated, ElementsAre(0, 0, 0));
  EXPECT_THAT(batch.alive, ElementsAre(1, 1, 1));
  EXPECT_EQ(batch.rewards[0], 0.0F);
  EXPECT_THAT(batch.env.results().ends.slots, IsEmpty());
  EXPECT_EQ(batch.env.episode(0), 1U);
  EXPECT_EQ(batch.env.world(0).clock().step, 0U) << "a reset row is no step";

  EXPECT_EQ(batch.Step(), std::nullopt);
  EXPECT_THAT(batch.first, ElementsAre(0, 0, 0));
  EXPECT_EQ(batch.env.world(0).clock().step, 1U);
  EXPECT_NE(batch.rewards[0], 0.0F);
}

TEST(NextStep, StillChecksTheActionsOfRunningRows) {
  LaneBatch batch(Autoreset::kNextStep, OnlyArrival());
  batch.Arrive();
  EXPECT_NE(batch.Step({kNaN, kNaN, kNaN, 0, 0, 0}), std::nullopt);
}

TEST(SameStep, ShowsTheNewStartWithTheOldRewardAndFlags) {
  LaneBatch batch(Autoreset::kSameStep, OnlyArrival());
  for (int k = 0; k + 1 < kStepsToArrive; ++k) ASSERT_EQ(batch.Step(), std::nullopt);
  const double distance = 10.0 * batch.row(0)[0];
  ASSERT_EQ(batch.Step(), std::nullopt);
  EXPECT_EQ(batch.RowCopy(0), batch.start);
  EXPECT_THAT(batch.terminated, ElementsAre(1, 0, 0));
  EXPECT_THAT(batch.truncated, ElementsAre(0, 0, 0));
  EXPECT_THAT(batch.first, ElementsAre(1, 0, 0));
  EXPECT_THAT(batch.alive, ElementsAre(1, 1, 1));
  EXPECT_EQ(batch.rewards[0], 10.0F);
  const auto last = batch.env.results().ends.final_observations;
  ASSERT_EQ(last.size(), batch.width);
  EXPECT_LT(10.0 * last[0], distance) << "the final observation is one step further";
  EXPECT_EQ(last[3], 1.0F);
}

TEST(SameStep, GoesOnWithAnOrdinaryTransition) {
  LaneBatch batch(Autoreset::kSameStep, OnlyArrival());
  batch.Arrive();
  EXPECT_NE(batch.Step({kNaN, 0, 0, 0, 0, 0}), std::nullopt) << "its action counts";
  EXPECT_EQ(batch.Step(), std::nullopt);
  EXPECT_THAT(batch.first, ElementsAre(0, 0, 0));
  EXPECT_THAT(batch.terminated, ElementsAre(0, 0, 0));
  EXPECT_EQ(batch.env.world(0).clock().step, 1U);
  EXPECT_EQ(batch.env.episode(0), 1U);
}

TEST(SameStep, KeepsTheRewardTermsOfTheEndedStep) {
  LaneBatch batch(Autoreset::kSameStep, OnlyArrival());
  batch.Arrive();
  EXPECT_THAT(std::span(batch.reward_terms).first(4), ElementsAre(10, 0, 0, 0));
}

TEST(Disabled, RefusesToStepUntilTheDoneRowsAreReset) {
  LaneBatch batch(Autoreset::kDisabled, OnlyArrival());
  batch.Arrive();
  EXPECT_THAT(batch.terminated, ElementsAre(1, 0, 0));
  EXPECT_NEAR(batch.row(0)[0], 0.0F, 1e-6F);
  const double stood = batch.object(2, 0).state[0];
  const auto refusal = batch.Step();
  ASSERT_NE(refusal, std::nullopt);
  EXPECT_EQ(refusal->kind, Refusal::Kind::kFailedPrecondition);
  EXPECT_EQ(refusal->text,
            "step: slots 0 are done and autoreset is DISABLED; call Reset with their mask");
  EXPECT_EQ(batch.object(2, 0).state[0], stood) << "nothing stepped";

  const std::vector<std::uint8_t> mask{1, 0, 0};
  EXPECT_EQ(batch.Reset(SelectSlots(mask)), std::nullopt);
  EXPECT_THAT(batch.first, ElementsAre(1, 0, 0));
  EXPECT_THAT(batch.terminated, ElementsAre(0, 0, 0));
  EXPECT_THAT(batch.env.results().ends.slots, IsEmpty()) << "that episode was reported already";
  EXPECT_EQ(batch.Step(), std::nullopt);
}

TEST(Disabled, ListsManyDoneRowsShortly) {
  Task task = DefaultTask();
  task.max_steps = 1;
  Batch batch(scenes::Load(scenes::Lane()), 20, task, Mode(Autoreset::kDisabled));
  ASSERT_EQ(batch.Reset(), std::nullopt);
  ASSERT_EQ(batch.Step({0, 0}), std::nullopt);
  const auto refusal = batch.Step({0, 0});
  ASSERT_NE(refusal, std::nullopt);
  EXPECT_THAT(refusal->text, testing::HasSubstr("14, 15 and 4 more are done"));
}

class EveryMode : public testing::TestWithParam<Autoreset> {};
INSTANTIATE_TEST_SUITE_P(Autoreset, EveryMode,
                         testing::Values(Autoreset::kNextStep, Autoreset::kSameStep,
                                         Autoreset::kDisabled));

TEST_P(EveryMode, ReportsEveryColumnOfAnEnd) {
  LaneBatch batch(GetParam());
  double paid = 0.0;
  for (int k = 0; k < kStepsToCollide; ++k) {
    ASSERT_EQ(batch.Step(), std::nullopt);
    paid += batch.rewards[2];
  }
  const EpisodeEnds ends = batch.env.results().ends;
  EXPECT_THAT(ends.slots, ElementsAre(2));
  EXPECT_THAT(ends.lengths, ElementsAre(kStepsToCollide));
  EXPECT_THAT(ends.returns, ElementsAre(testing::DoubleNear(paid, 1e-6)));
  EXPECT_THAT(ends.success, ElementsAre(0));
  EXPECT_THAT(ends.reasons, ElementsAre(Number(EndReason::kCollision)));
  EXPECT_THAT(ends.seeds, ElementsAre(EpisodeSeed(kSeed + 2, 0)));
  EXPECT_THAT(ends.episodes, ElementsAre(0));
  EXPECT_THAT(ends.scenarios, ElementsAre(0));
  EXPECT_THAT(ends.sim_seconds, ElementsAre(testing::DoubleNear(0.6, 1e-12)));
  EXPECT_THAT(ends.path_lengths, ElementsAre(testing::DoubleNear(0.6, 1e-12)));
  EXPECT_THAT(ends.collided, ElementsAre(1)) << "a static obstacle";
}

TEST_P(EveryMode, ReportsSuccessOfAnArrival) {
  LaneBatch batch(GetParam(), OnlyArrival());
  batch.Arrive();
  const EpisodeEnds ends = batch.env.results().ends;
  EXPECT_THAT(ends.slots, ElementsAre(0));
  EXPECT_THAT(ends.success, ElementsAre(1));
  EXPECT_THAT(ends.reasons, ElementsAre(Number(EndReason::kSuccess)));
  EXPECT_THAT(ends.collided, ElementsAre(0));
}

TEST_P(EveryMode, SetsBothFlagsWhenTheLastStepIsAlsoTheTimeLimit) {
  Task task = OnlyArrival();
  task.max_steps = kStepsToArrive;
  LaneBatch batch(GetParam(), task);
  batch.Arrive();
  EXPECT_THAT(batch.terminated, ElementsAre(1, 0, 0));
  EXPECT_THAT(batch.truncated, ElementsAre(1, 1, 1));
  const EpisodeEnds ends = batch.env.results().ends;
  EXPECT_THAT(ends.reasons, ElementsAre(Number(EndReason::kSuccess), Number(EndReason::kTimeLimit),
                                        Number(EndReason::kTimeLimit)));
  EXPECT_THAT(ends.success, ElementsAre(1, 0, 0));
}

TEST_P(EveryMode, PartialResetLeavesTheOtherRowsAlone) {
  LaneBatch batch(GetParam(), OnlyArrival());
  for (int k = 0; k < 3; ++k) ASSERT_EQ(batch.Step(), std::nullopt);
  const std::vector<float> row0 = batch.RowCopy(0);
  const std::vector<float> row2 = batch.RowCopy(2);
  const std::vector<std::uint8_t> mask{0, 1, 0};
  ASSERT_EQ(batch.Reset(SelectSlots(mask)), std::nullopt);
  EXPECT_EQ(batch.RowCopy(0), row0);
  EXPECT_EQ(batch.RowCopy(1), batch.start);
  EXPECT_EQ(batch.RowCopy(2), row2);
  EXPECT_THAT(batch.first, ElementsAre(0, 1, 0));
  EXPECT_THAT(batch.rewards, ElementsAre(0, 0, 0));
  EXPECT_EQ(batch.env.episode(0), 0U);
  EXPECT_EQ(batch.env.episode(1), 1U);
  EXPECT_EQ(batch.env.world(2).clock().step, 3U);

  const EpisodeEnds ends = batch.env.results().ends;
  EXPECT_THAT(ends.slots, ElementsAre(1));
  EXPECT_THAT(ends.reasons, ElementsAre(Number(EndReason::kInterrupted)));
  EXPECT_THAT(ends.lengths, ElementsAre(3));
  EXPECT_THAT(ends.success, ElementsAre(0));
  EXPECT_THAT(ends.final_observations.size(),
              GetParam() == Autoreset::kSameStep ? batch.width : 0U);
}

TEST_P(EveryMode, AnEpisodeWithoutAStepIsNotReported) {
  LaneBatch batch(GetParam());
  ASSERT_EQ(batch.Reset(), std::nullopt);
  EXPECT_THAT(batch.env.results().ends.slots, IsEmpty());
  EXPECT_EQ(batch.env.episode(0), 1U);
}

TEST_P(EveryMode, RepeatedRowsOfADoneSlotStayBitEqual) {
  Batch batch(scenes::Load(scenes::Navigation()), 2, TaskPreset("drl_nav"), Mode(GetParam()));
  ASSERT_EQ(batch.Reset(), std::nullopt);
  for (int k = 0; k < 3; ++k) ASSERT_EQ(batch.Step({0.1F, 0.2F}), std::nullopt);
  const std::vector<float> row = batch.RowCopy(1);
  const std::vector<std::uint8_t> mask{1, 0};
  for (int k = 0; k < 2; ++k) {
    ASSERT_EQ(batch.Reset(SelectSlots(mask)), std::nullopt);
    EXPECT_EQ(batch.RowCopy(1), row);
  }
}

TEST(Rows, GoToTheirPartEvenWhenUnaligned) {
  Batch batch(scenes::Load(scenes::Lane()), 5, DefaultTask(), {});
  const std::size_t width = batch.width;
  // Two parts of three rows, each one byte off every alignment.
  std::vector<std::byte> memory(2 * 3 * (width + 1) * sizeof(float) + 2);
  std::array<std::uint8_t, 24> flags{};
  std::array<PartRows, 2> parts;
  for (std::size_t k = 0; k < 2; ++k) {
    std::byte* base = memory.data() + 1 + k * 3 * (width + 1) * sizeof(float);
    parts[k] = {reinterpret_cast<float*>(base),
                reinterpret_cast<float*>(base + 3 * width * sizeof(float)),
                flags.data() + 12 * k,
                flags.data() + 12 * k + 3,
                flags.data() + 12 * k + 6,
                flags.data() + 12 * k + 9,
                nullptr};
  }
  ASSERT_EQ(batch.Reset(), std::nullopt);
  ASSERT_EQ(batch.env.Reset({}, {parts, 3}), std::nullopt);
  for (std::size_t i = 0; i < 5; ++i) {
    std::vector<float> row(width);
    std::memcpy(
        row.data(),
        reinterpret_cast<std::byte*>(parts[i / 3].observations) + i % 3 * width * sizeof(float),
        width * sizeof(float));
    EXPECT_EQ(row, batch.RowCopy(i));
    EXPECT_EQ(parts[i / 3].first[i % 3], 1);
  }
}

}  // namespace
}  // namespace planarium
