#include "server/scenario_store.h"

#include <utility>

#include "server/status.h"

namespace planarium {
namespace {

// Memory of all scenarios together, those that batches use included.
constexpr std::size_t kMaxBytes = std::size_t{512} << 20;

}  // namespace

std::shared_ptr<const Scenario> ScenarioStore::Add(Scenario scenario) {
  const std::size_t bytes = EstimateBytes(scenario);
  auto shared = std::make_shared<const Scenario>(std::move(scenario));
  std::lock_guard lock(mutex_);
  if (const auto known = entries_.find(shared->content_hash); known != entries_.end()) {
    known->second.last_use = ++uses_;
    return known->second.scenario;
  }
  while (Full(bytes)) EvictOldest();
  bytes_ += bytes;
  entries_[shared->content_hash] = {shared, bytes, ++uses_};
  return shared;
}

std::shared_ptr<const Scenario> ScenarioStore::Find(const std::string& id) {
  std::lock_guard lock(mutex_);
  const auto found = entries_.find(id);
  if (found == entries_.end()) {
    throw RequestError(StatusCode::kNotFound, "scenario_id: \"" + Escape(id) +
                                                  "\" is not registered here; call "
                                                  "RegisterScenario and use the id it returns");
  }
  found->second.last_use = ++uses_;
  return found->second.scenario;
}

bool ScenarioStore::Full(std::size_t bytes) const {
  return entries_.size() >= max_scenarios_ || bytes_ + bytes > kMaxBytes;
}

void ScenarioStore::EvictOldest() {
  auto oldest = entries_.end();
  for (auto entry = entries_.begin(); entry != entries_.end(); ++entry) {
    const bool unused = entry->second.scenario.use_count() == 1;
    const bool older = oldest == entries_.end() || entry->second.last_use < oldest->second.last_use;
    if (unused && older) oldest = entry;
  }
  if (oldest == entries_.end()) {
    throw RequestError(StatusCode::kResourceExhausted,
                       "scenarios: all " + std::to_string(entries_.size()) + " registered ones (" +
                           std::to_string(bytes_ >> 20) +
                           " MiB) are in use; destroy batches, or start the server with a larger "
                           "--max-scenarios when they are fewer than 512 MiB");
  }
  bytes_ -= oldest->second.bytes;
  entries_.erase(oldest);
}

}  // namespace planarium
