#include "server/session_registry.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <random>

#include "server/status.h"

namespace planarium {
namespace {

[[noreturn]] void RefuseUnknown(const std::string& id) {
  throw RequestError(StatusCode::kNotFound, "batch_id: \"" + Escape(id) +
                                                "\" is unknown, was destroyed or its lease ended; "
                                                "create a new batch");
}

// Four hexadecimal digits drawn at start: enough to tell servers apart that follow one another.
std::string DrawEpoch() {
  std::array<char, 8> text{};
  std::snprintf(text.data(), text.size(), "%04x", std::random_device{}() & 0xFFFFu);
  return text.data();
}

std::size_t NumberOf(const Session& session) { return std::stoul(session.id().substr(2)); }

}  // namespace

SessionRegistry::SessionRegistry() : epoch_(DrawEpoch()) {}

std::string SessionRegistry::NewId() {
  std::lock_guard lock(mutex_);
  return "b-" + std::to_string(next_number_++) + "-" + epoch_;
}

void SessionRegistry::Add(std::shared_ptr<Session> session) {
  std::lock_guard lock(mutex_);
  sessions_.emplace(session->id(), std::move(session));
}

std::shared_ptr<Session> SessionRegistry::Find(const std::string& id) const {
  std::lock_guard lock(mutex_);
  const auto found = sessions_.find(id);
  if (found == sessions_.end()) RefuseUnknown(id);
  return found->second;
}

std::shared_ptr<Session> SessionRegistry::Remove(const std::string& id) {
  std::lock_guard lock(mutex_);
  const auto found = sessions_.find(id);
  if (found == sessions_.end()) RefuseUnknown(id);
  std::shared_ptr<Session> session = std::move(found->second);
  sessions_.erase(found);
  return session;
}

std::vector<std::shared_ptr<Session>> SessionRegistry::All() const {
  std::vector<std::shared_ptr<Session>> all;
  {
    std::lock_guard lock(mutex_);
    for (const auto& [id, session] : sessions_) all.push_back(session);
  }
  std::ranges::sort(all, {}, [](const auto& session) { return NumberOf(*session); });
  return all;
}

std::vector<std::string> SessionRegistry::ReapExpired() {
  std::vector<std::string> reaped;
  for (const std::shared_ptr<Session>& session : All()) {
    if (!session->CloseIfExpired()) continue;
    reaped.push_back(session->id());
    std::lock_guard lock(mutex_);
    sessions_.erase(session->id());
  }
  return reaped;
}

}  // namespace planarium
