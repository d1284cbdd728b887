#include "server/scenario_store.h"

#include <utility>

#include "server/status.h"

namespace planarium {
namespace {

// Text of all scenarios together. A loaded scenario takes some ten times its text, so this bounds
// the store to a few hundred MiB however large the files are.
constexpr std::size_t kMaxTextBytes = 64u << 20;

}  // namespace

std::shared_ptr<const Scenario> ScenarioStore::Add(Scenario scenario, std::size_t text_bytes) {
  auto shared = std::make_shared<const Scenario>(std::move(scenario));
  std::lock_guard lock(mutex_);
  if (const auto known = entries_.find(shared->content_hash); known != entries_.end()) {
    known->second.last_use = ++uses_;
    return known->second.scenario;
  }
  while (Full(text_bytes)) EvictOldest();
  text_bytes_ += text_bytes;
  entries_[shared->content_hash] = {shared, text_bytes, ++uses_};
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

bool ScenarioStore::Full(std::size_t text_bytes) const {
  return entries_.size() >= max_scenarios_ || text_bytes_ + text_bytes > kMaxTextBytes;
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
                       "scenarios: all " + std::to_string(entries_.size()) +
                           " registered ones are in use; destroy batches or start the server with "
                           "a larger --max-scenarios");
  }
  text_bytes_ -= oldest->second.text_bytes;
  entries_.erase(oldest);
}

}  // namespace planarium
