#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "env/scenario.h"
#include "server/limits.h"

namespace planarium {

/// Registered scenarios by content hash. When it is full, the scenario that no batch uses and that
/// was asked for longest ago makes room.
class ScenarioStore {
 public:
  explicit ScenarioStore(const ServerLimits& limits) : max_scenarios_(limits.max_scenarios) {}

  /// Keeps a scenario; of equal ones the first stays. Throws RESOURCE_EXHAUSTED when batches use
  /// all places or all memory.
  std::shared_ptr<const Scenario> Add(Scenario scenario);
  /// Throws NOT_FOUND.
  std::shared_ptr<const Scenario> Find(const std::string& id);

 private:
  struct Entry {
    std::shared_ptr<const Scenario> scenario;
    std::size_t bytes = 0;
    std::uint64_t last_use = 0;
  };

  // These need mutex_.
  bool Full(std::size_t bytes) const;
  void EvictOldest();

  const std::size_t max_scenarios_;
  std::mutex mutex_;
  std::uint64_t uses_ = 0;
  std::size_t bytes_ = 0;
  std::map<std::string, Entry> entries_;
};

}  // namespace planarium
