#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "server/session.h"

namespace planarium {

/// All batches of a server by id. Its mutex guards the map only and is never held across a step.
class SessionRegistry {
 public:
  SessionRegistry();

  /// A fresh id: a running number and the server's epoch, so that a client of an earlier server
  /// does not meet a stranger's batch.
  std::string NewId();
  void Add(std::shared_ptr<Session> session);
  /// Throws NOT_FOUND for an unknown id.
  std::shared_ptr<Session> Find(const std::string& id) const;
  /// Takes a batch out of the map; the caller closes it. Throws NOT_FOUND.
  std::shared_ptr<Session> Remove(const std::string& id);
  /// In order of creation.
  std::vector<std::shared_ptr<Session>> All() const;
  /// Frees the batches whose lease is over. Returns their ids.
  std::vector<std::string> ReapExpired();

 private:
  const std::string epoch_;
  mutable std::mutex mutex_;
  std::size_t next_number_ = 1;
  std::map<std::string, std::shared_ptr<Session>> sessions_;
};

}  // namespace planarium
