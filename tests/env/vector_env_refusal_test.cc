#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "env/task_presets.h"
#include "tests/testing/batch.h"
#include "tests/testing/scenes.h"

namespace planarium {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;
using Kind = Refusal::Kind;

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

std::unique_ptr<Batch> Lanes(std::size_t count, Task task = DefaultTask(),
                             Autoreset autoreset = Autoreset::kNextStep) {
  VectorEnvOptions options;
  options.autoreset = autoreset;
  return std::make_unique<Batch>(scenes::Load(scenes::Lane()), count, std::move(task), options);
}

void ExpectRefusal(const std::optional<Refusal>& refusal, Kind kind, const std::string& text) {
  ASSERT_TRUE(refusal.has_value()) << "not refused, expected: " << text;
  EXPECT_EQ(refusal->kind, kind);
  EXPECT_EQ(refusal->text, text);
}

TEST(StepRefuses, BeforeTheFirstReset) {
  const auto batch = Lanes(1);
  ExpectRefusal(batch->Step({0, 0}), Kind::kFailedPrecondition, "step: Reset must be called first");
}

TEST(StepRefuses, NonFiniteActionsAndStepsNothing) {
  const auto batch = Lanes(3);
  ASSERT_EQ(batch->Reset(), std::nullopt);
  ExpectRefusal(batch->Step({1, 0, 1, 0, 1, kNaN}), Kind::kInvalidArgument,
                "action: slot 2 robot_0[1] = nan (expected finite in [-1, 1]); 1 bad of 6; nothing "
                "stepped");
  const float inf = std::numeric_limits<float>::infinity();
  ExpectRefusal(batch->Step({1, 0, -inf, inf, 1, 0}), Kind::kInvalidArgument,
                "action: slot 1 robot_0[0] = -inf (expected finite in [-1, 1]); 2 bad of 6; "
                "nothing stepped");
  EXPECT_EQ(batch->env.world(0).clock().step, 0U);
}

TEST(StepRefuses, TheWrongNumberOfActions) {
  const auto batch = Lanes(3);
  ASSERT_EQ(batch->Reset(), std::nullopt);
  ExpectRefusal(batch->Step({1, 0, 1, 0}), Kind::kInvalidArgument,
                "action: got 4 values, expected 3 x 2");
  ExpectRefusal(batch->Step({}), Kind::kInvalidArgument, "action: got 0 values, expected 3 x 2");
}

TEST(StepRefuses, APolicyThatItDoesNotKnow) {
  const auto batch = Lanes(1);
  ASSERT_EQ(batch->Reset(), std::nullopt);
  ExpectRefusal(batch->StepPolicy("dahs"), Kind::kInvalidArgument,
                "policy: got 'dahs', expected one of dash, rvo");
  ASSERT_EQ(batch->StepPolicy("dash"), std::nullopt);
}

TEST(StepRefuses, APolicyThatTheDriveDoesNotHave) {
  Batch batch(scenes::Load("robot: {kinematics: {name: acker}, shape: {name: circle, radius: 1}, "
                           "goal: [5, 5, 0]}"),
              1, DefaultTask());
  ASSERT_EQ(batch.Reset(), std::nullopt);
  ExpectRefusal(batch.StepPolicy("rvo"), Kind::kInvalidArgument,
                "policy: got 'rvo', expected one of dash");
}

TEST(StepRefuses, ActionsOutsideTheRangeWhenTheTaskSaysSo) {
  Task task = DefaultTask();
  task.action.out_of_range = OutOfRange::kReject;
  const auto strict = Lanes(1, task);
  ASSERT_EQ(strict->Reset(), std::nullopt);
  ExpectRefusal(strict->Step({1.5F, 0}), Kind::kInvalidArgument,
                "action: slot 0 robot_0[0] = 1.5 (expected finite in [-1, 1]); 1 bad of 2; nothing "
                "stepped");
  ASSERT_EQ(strict->Step({1, -1}), std::nullopt);

  const auto clipping = Lanes(1);
  ASSERT_EQ(clipping->Reset(), std::nullopt);
  ASSERT_EQ(clipping->Step({1.5F, 0}), std::nullopt);
  EXPECT_EQ(clipping->object(0, 0).velocity[0], 1.0);
}

TEST(ResetRefuses, MasksThatFitNoBatch) {
  const auto batch = Lanes(3);
  const std::vector<std::uint8_t> some{1, 0, 1};
  ExpectRefusal(batch->Reset(SelectSlots(some)), Kind::kFailedPrecondition,
                "mask: the first Reset must select every slot");
  ASSERT_EQ(batch->Reset(), std::nullopt);
  const std::vector<std::uint8_t> longer{1, 0, 1, 1};
  ExpectRefusal(batch->Reset(SelectSlots(longer)), Kind::kInvalidArgument,
                "mask: got 4 flags, expected 3");
  const std::vector<std::uint8_t> none{0, 0, 0};
  ExpectRefusal(batch->Reset(SelectSlots(none)), Kind::kInvalidArgument,
                "mask: selects no slot, expected at least one");
  ASSERT_EQ(batch->Reset(SelectSlots(some)), std::nullopt);
}

TEST(ResetRefuses, SeedsThatContradictEachOther) {
  const auto batch = Lanes(3);
  const std::vector<std::uint64_t> two{1, 2};
  ExpectRefusal(batch->Reset(SeedEach(two)), Kind::kInvalidArgument,
                "slot_seeds: got 2, expected 3");
  const std::vector<std::uint64_t> three{1, 2, 3};
  ResetInput both = SeedEach(three);
  both.seed = 1;
  ExpectRefusal(batch->Reset(both), Kind::kInvalidArgument,
                "seed and slot_seeds: expected one of them, got both");
  ResetInput seedless;
  seedless.episode_exact = true;
  ExpectRefusal(batch->Reset(seedless), Kind::kInvalidArgument,
                "episode_exact: needs seed or slot_seeds");
}

TEST(Fault, ANonFiniteStateTruncatesItsRowOnly) {
  Task task = DefaultTask();
  const auto lanes = Lanes(3, task);
  ASSERT_EQ(lanes->Reset(), std::nullopt);
  ASSERT_EQ(lanes->Step({1, 0}), std::nullopt);
  lanes->env.world(1).free_object(0).state[0] = std::numeric_limits<double>::quiet_NaN();
  ASSERT_EQ(lanes->Step({1, 0}), std::nullopt);
  EXPECT_THAT(lanes->truncated, ElementsAre(0, 1, 0));
  EXPECT_THAT(lanes->terminated, ElementsAre(0, 0, 0));
  EXPECT_THAT(lanes->row(1), testing::Each(0.0F));
  EXPECT_EQ(lanes->rewards[1], 0.0F);
  EXPECT_GT(lanes->rewards[2], 0.0F);

  const StepResults results = lanes->env.results();
  EXPECT_THAT(results.ends.reasons, ElementsAre(static_cast<std::uint8_t>(EndReason::kFault)));
  EXPECT_THAT(results.ends.slots, ElementsAre(1));
  ASSERT_EQ(results.faults.size(), 1U);
  EXPECT_EQ(results.faults[0].slot, 1);
  EXPECT_EQ(results.faults[0].text, "the state of the world became non-finite");

  ASSERT_EQ(lanes->Step({1, 0}), std::nullopt);
  EXPECT_THAT(lanes->first, ElementsAre(0, 1, 0));
  EXPECT_THAT(lanes->truncated, ElementsAre(0, 0, 0));
  EXPECT_THAT(lanes->env.results().faults, IsEmpty());
  EXPECT_EQ(lanes->object(1, 0).state[0], 2.0) << "healed by the reset";
}

TEST(Fault, IsNoticedInAScannedWorldInEveryMode) {
  for (const Autoreset mode : {Autoreset::kNextStep, Autoreset::kSameStep, Autoreset::kDisabled}) {
    VectorEnvOptions options;
    options.autoreset = mode;
    Batch batch(scenes::Load(scenes::Navigation()), 2, TaskPreset("drl_nav"), options);
    ASSERT_EQ(batch.Reset(), std::nullopt);
    batch.env.world(0).free_object(1).state[1] = std::numeric_limits<double>::infinity();
    ASSERT_EQ(batch.Step({0, 0}), std::nullopt);
    EXPECT_THAT(batch.truncated, ElementsAre(1, 0));
    EXPECT_EQ(batch.first[0], mode == Autoreset::kSameStep ? 1 : 0);
    for (const float value : batch.observations) ASSERT_TRUE(std::isfinite(value));
    EXPECT_THAT(batch.env.results().ends.reasons,
                ElementsAre(static_cast<std::uint8_t>(EndReason::kFault)));
    ASSERT_EQ(batch.env.results().faults.size(), 1U);
    EXPECT_EQ(batch.env.results().faults[0].slot, 0);
    EXPECT_EQ(batch.env.results().faults[0].text, "the state of the world became non-finite");
  }
}

// Four discs of radius 2 cannot stand apart in a box of 3 m, but they may by luck with fewer.
constexpr std::string_view kFullWorld = R"(
world: {height: 10, width: 10, collision_mode: reactive}
robot: {kinematics: {name: diff}, shape: {name: circle, radius: 0.2}, state: [9, 9, 0], goal: [9, 1, 0]}
obstacle:
  - {number: 4, shape: {name: circle, radius: 2}, distribution: {name: random, range_low: [2, 2, 0], range_high: [5, 5, 0]}}
)";

TEST(Placement, AWorldWithoutAFreePoseIsReportedByName) {
  Task task = DefaultTask();
  task.max_spawn_tries = 20;
  Batch batch(scenes::Load(kFullWorld), 3, task);
  const auto refusal = batch.Reset();
  ASSERT_TRUE(refusal.has_value());
  EXPECT_EQ(refusal->kind, Kind::kResourceExhausted);
  EXPECT_THAT(refusal->text, HasSubstr("reset: slot 0: no free pose for "));
  EXPECT_THAT(refusal->text, HasSubstr("obstacle_4"));
  EXPECT_THAT(refusal->text, HasSubstr("after 20 tries each"));
}

TEST(Placement, AFailedResetLeavesNoWorldThatCouldBeStepped) {
  Task task = DefaultTask();
  task.max_spawn_tries = 20;
  Batch batch(scenes::Load(kFullWorld), 2, task);
  ASSERT_TRUE(batch.Reset().has_value());
  // The next step tries the next episode of every slot, and fails in the same way.
  ASSERT_EQ(batch.Step({0, 0}), std::nullopt);
  EXPECT_THAT(batch.truncated, ElementsAre(1, 1));
  EXPECT_EQ(batch.env.results().faults.size(), 2U);
  EXPECT_THAT(batch.env.results().ends.lengths, ElementsAre(0, 0));
  EXPECT_EQ(batch.env.episode(0), 1U);
}

TEST(Placement, AFailedAutoresetIsAFaultWithoutAnObservation) {
  for (const Autoreset mode : {Autoreset::kNextStep, Autoreset::kSameStep}) {
    Task task = DefaultTask();
    task.max_spawn_tries = 20;
    VectorEnvOptions options;
    options.autoreset = mode;
    Batch batch(scenes::Load(kFullWorld), 2, task, options);
    ASSERT_TRUE(batch.Reset().has_value());
    for (int k = 0; k < 3; ++k) {
      ASSERT_EQ(batch.Step({0, 0}), std::nullopt);
      const StepResults results = batch.env.results();
      ASSERT_EQ(results.faults.size(), 2U);
      EXPECT_EQ(results.faults[0].text,
                "no free start was found; the next step tries another episode");
      EXPECT_THAT(results.ends.final_observations, testing::Each(0.0F));
      EXPECT_THAT(batch.observations, testing::Each(0.0F));
    }
  }
}

TEST(Construction, RefusesWhatCannotBeSteered) {
  const auto complaint = [](std::string_view text) -> std::string {
    try {
      Batch batch(scenes::Load(text), 1, DefaultTask());
    } catch (const SpecError& error) {
      return error.what();
    }
    return "accepted";
  };
  EXPECT_THAT(complaint("obstacle: {shape: {name: circle, radius: 1}}"),
              StartsWith("world.yaml robot: a batch needs a robot"));
  EXPECT_THAT(complaint("world: {}\nrobot: {shape: {name: circle, radius: 1}}"),
              StartsWith("world.yaml:2:8 robot[0].kinematics: robot_0 has no drive"));
  EXPECT_THAT(complaint("robot:\n  - kinematics: {name: diff}\n  - kinematics: {name: diff}\n"
                        "    behavior: {name: my_own}\n"),
              StartsWith("world.yaml:3:5 robot_1.behavior: behavior 'my_own'"));
}

TEST(Construction, RefusesATermWithoutItsSensor) {
  try {
    Batch batch(scenes::Load(scenes::Lane()), 1, TaskPreset("drl_nav"));
    FAIL() << "lidar.margin without a lidar";
  } catch (const SpecError& error) {
    EXPECT_THAT(error.what(), HasSubstr("rewards.lidar.margin"));
    EXPECT_THAT(error.what(), HasSubstr("needs a lidar2d on robot_0"));
  }
}

}  // namespace
}  // namespace planarium
