#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/testing/batch.h"
#include "tests/testing/scenes.h"

namespace planarium {
namespace {

// hanruihua/ir-sim#274, PR #277: object ids ran on across environments of a process, so that
// actions hit the wrong robot.
TEST(SeparationReports, IdsBeginAtZeroInEveryWorld) {
  const char* text =
      "robot:\n"
      "  - {kinematics: {name: diff}, state: [1, 1, 0], goal: [9, 9, 0]}\n"
      "  - {kinematics: {name: diff}, state: [1, 5, 0], goal: [9, 5, 0]}\n";
  Batch one(scenes::Load(text), 2, EndlessTask());
  Batch two(scenes::Load(text), 2, EndlessTask());
  ASSERT_EQ(one.Reset(), std::nullopt);
  ASSERT_EQ(two.Reset(), std::nullopt);
  ASSERT_EQ(two.Step({0, 0, 1, 0}), std::nullopt);
  for (const Batch* batch : {&one, &two}) {
    for (std::size_t slot = 0; slot < 2; ++slot) {
      EXPECT_EQ(batch->env.agent_object(slot, 0), 0);
      EXPECT_EQ(batch->object(slot, 0).state[0], batch == &two && slot == 1 ? 1.1 : 1.0);
      EXPECT_EQ(batch->object(slot, 1).state[0], 1.0);
    }
  }
}

// hanruihua/ir-sim PR #191: two environments with different step times disturbed each other through
// global parameters.
TEST(SeparationReports, BatchesAndScenariosKeepTheirOwnStepTimeAndMode) {
  const auto scenario = [](double step_time, const char* mode) {
    return scenes::Load("world: {step_time: " + std::to_string(step_time) +
                        ", collision_mode: " + mode +
                        "}\n"
                        "robot: {kinematics: {name: diff}, state: [1, 5, 0], goal: [9, 9, 0]}\n"
                        "obstacle: {shape: {name: circle, radius: 0.3}, state: [2.4, 5, 0]}\n");
  };
  Batch slow(scenario(0.3, "reactive"), 1, EndlessTask());
  Batch fast(scenario(0.1, "stop"), 1, EndlessTask());
  Batch both({{scenario(0.3, "reactive"), 1}, {scenario(0.1, "stop"), 1}}, EndlessTask());
  for (Batch* batch : {&slow, &fast, &both}) ASSERT_EQ(batch->Reset(), std::nullopt);
  for (int step = 0; step < 20; ++step) {
    for (Batch* batch : {&slow, &fast, &both}) ASSERT_EQ(batch->Step({1, 0}), std::nullopt);
    EXPECT_EQ(both.object(0, 0).state, slow.object(0, 0).state) << step;
    EXPECT_EQ(both.object(1, 0).state, fast.object(0, 0).state) << step;
  }
  EXPECT_NEAR(slow.env.world(0).time(), 6.0, 1e-12);
  EXPECT_NEAR(fast.env.world(0).time(), 2.0, 1e-12);
  EXPECT_NEAR(slow.object(0, 0).state[0], 7.0, 1e-12) << "reactive drives through";
  EXPECT_LT(fast.object(0, 0).state[0], 2.4) << "stop freezes at the disc";
}

}  // namespace
}  // namespace planarium
