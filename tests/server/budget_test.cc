// Processors, memory and scenario places: what a server may use and how it shares it out.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "server/cpu_budget.h"
#include "server/memory_budget.h"
#include "server/scenario_store.h"
#include "tests/server/service_testing.h"

namespace planarium {
namespace {

class CpuBudgetTest : public testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(root_); }
  void TearDown() override { std::filesystem::remove_all(root_); }
  int WithQuota(const std::string& text) {
    std::ofstream(root_ + "/cpu.max") << text;
    return CpuBudget(root_);
  }
  const std::string root_ = testing::TempDir() + "planarium_cgroup";
};

TEST_F(CpuBudgetTest, RoundsTheQuotaDownButNeverToZero) {
  EXPECT_EQ(WithQuota("150000 100000\n"), 1);
  EXPECT_EQ(WithQuota("20000 100000\n"), 1);
}

TEST_F(CpuBudgetTest, NoQuotaLeavesTheAffinity) {
  const int unlimited = WithQuota("max 100000\n");
  EXPECT_GE(unlimited, 1);
  EXPECT_EQ(WithQuota("100000000 100000\n"), unlimited);
  EXPECT_EQ(WithQuota("nonsense"), unlimited);
  EXPECT_EQ(CpuBudget("/nonexistent"), unlimited);
}

TEST(BytesText, ReadsLikeASize) {
  EXPECT_EQ(BytesText(704), "704 B");
  EXPECT_EQ(BytesText(1536), "1.5 KiB");
  EXPECT_EQ(BytesText(std::size_t{8} << 30), "8.0 GiB");
}

TEST(MemoryBudget, HoldsGiveBackWhatTheyTook) {
  ServerLimits limits;
  limits.max_memory = 1000;
  const auto budget = MemoryBudget::Make(limits);
  {
    const auto hold = budget->Reserve(600, 1);
    EXPECT_EQ(budget->used(), 600u);
    EXPECT_THROW(budget->Reserve(401, 1), RequestError);
    EXPECT_THROW(hold->Extend(401, 1), RequestError);
    hold->Extend(400, 1);
    EXPECT_EQ(budget->used(), 1000u);
  }
  EXPECT_EQ(budget->used(), 0u);
}

TEST(MemoryBudget, SaysWhatWasAskedAndWhatIsFree) {
  ServerLimits limits;
  limits.max_memory = std::size_t{6} << 30;
  const auto budget = MemoryBudget::Make(limits);
  try {
    budget->Reserve(std::size_t{48} << 30, 1u << 20);
    FAIL();
  } catch (const RequestError& error) {
    EXPECT_THAT(error.status(), IsStatus(StatusCode::kResourceExhausted,
                                         "num_envs: 1048576 worlds need 48.0 GiB (48.0 KiB each), "
                                         "free budget 6.0 GiB of 6.0 GiB"));
  }
}

Scenario Named(const std::string& id) {
  Scenario scenario;
  scenario.content_hash = id;
  return scenario;
}

TEST(ScenarioStore, TheOldestUnusedOneMakesRoom) {
  ServerLimits limits;
  limits.max_scenarios = 2;
  ScenarioStore store(limits);
  store.Add(Named("a"));
  store.Add(Named("b"));
  store.Find("a");
  store.Add(Named("c"));
  EXPECT_NO_THROW(store.Find("a"));
  EXPECT_NO_THROW(store.Find("c"));
  EXPECT_THROW(store.Find("b"), RequestError);
}

TEST(ScenarioStore, ScenariosInUseStay) {
  ServerLimits limits;
  limits.max_scenarios = 2;
  ScenarioStore store(limits);
  const auto a = store.Add(Named("a"));
  const auto b = store.Add(Named("b"));
  EXPECT_THROW(store.Add(Named("c")), RequestError);
  EXPECT_EQ(store.Add(Named("a")), a);
}

TEST(ScenarioStore, BoundsTheirMemoryTogether) {
  const auto large = [](const std::string& id) {
    Scenario scenario = Named(id);
    RandomPolygon shape;
    shape.num_vertices_range = {4, 20'000'000};  // 16 bytes each
    scenario.world.objects.emplace_back().shape = shape;
    return scenario;
  };
  ScenarioStore store(ServerLimits{});
  store.Add(large("a"));
  store.Add(large("b"));
  EXPECT_THROW(store.Find("a"), RequestError);
  EXPECT_NO_THROW(store.Find("b"));
}

}  // namespace
}  // namespace planarium
