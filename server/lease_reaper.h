#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>

#include "server/service.h"

namespace planarium {

/// A thread that frees the batches whose lease is over, for as long as it lives.
class LeaseReaper {
 public:
  /// `service` outlives the reaper.
  explicit LeaseReaper(PlanariumService* service);

 private:
  void Run(const std::stop_token& stop);

  PlanariumService* const service_;
  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::jthread thread_;  // last: it uses the members above
};

}  // namespace planarium
