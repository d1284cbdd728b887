#pragma once

#include <memory>
#include <string>

#include "planarium/v1/planarium.pb.h"
#include "server/memory_budget.h"
#include "server/scenario_store.h"
#include "server/session.h"

namespace planarium {

/// What the factory takes from the server.
struct FactorySetup {
  ServerLimits limits;
  int threads = 1;  ///< of a batch that does not ask for a number
  Clock clock;
};

/// Turns CreateBatch requests into sessions: checks every field, prices the worlds, pays, builds.
class BatchFactory {
 public:
  BatchFactory(FactorySetup setup, ScenarioStore* scenarios);

  /// Throws RequestError or SpecError; then nothing was taken from the budget.
  std::shared_ptr<Session> Make(const v1::CreateBatchRequest& request, const std::string& batch_id);

  const MemoryBudget& budget() const { return *budget_; }

 private:
  std::vector<ScenarioShare> MakeShares(const v1::CreateBatchRequest& request) const;
  Task MakeTask(const v1::CreateBatchRequest& request) const;

  const FactorySetup setup_;
  ScenarioStore* const scenarios_;
  const std::shared_ptr<MemoryBudget> budget_;
};

}  // namespace planarium
