#include "server/lease_reaper.h"

#include <chrono>

namespace planarium {
namespace {

// A lease is seconds long; a batch may live this much longer.
constexpr std::chrono::milliseconds kPeriod{500};

}  // namespace

LeaseReaper::LeaseReaper(PlanariumService* service)
    : service_(service), thread_([this](const std::stop_token& stop) { Run(stop); }) {}

void LeaseReaper::Run(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (!wake_.wait_for(lock, stop, kPeriod, [&stop] { return stop.stop_requested(); })) {
    service_->ReapExpired();
  }
}

}  // namespace planarium
