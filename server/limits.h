#pragma once

#include <chrono>
#include <cstddef>

namespace planarium {

/// What one server grants. Every value has a flag and is reported by GetServerInfo.
struct ServerLimits {
  std::size_t max_receive_bytes = 16u << 20;      ///< one request message
  std::size_t max_yaml_bytes = 1u << 20;          ///< one scenario or task text
  std::size_t max_worlds = 131'072;               ///< worlds of one batch
  std::size_t max_batches = 64;                   ///< batches at a time
  std::size_t max_memory = std::size_t{8} << 30;  ///< [bytes] all batches together
  std::size_t chunk_bytes = 786'432;  ///< largest StepReply message; above 1 MB gRPC gets slow
  std::size_t max_scenarios = 4096;   ///< registered at a time
  double lease_seconds = 60.0;        ///< a batch without traffic for this long is freed
};

/// Longest lease that a client may ask for. [s]
inline constexpr double kMaxLeaseSeconds = 3600.0;

/// Most worker threads that a client may ask for; beyond this only the memory suffers.
inline constexpr int kMaxThreads = 256;

/// Shares of one batch; no experiment has that many different scenarios.
inline constexpr int kMaxMixes = 4096;

/// Protocol spoken by this server; the major number must match the client's.
inline constexpr unsigned kProtocolMajor = 1;
inline constexpr unsigned kProtocolMinor = 0;

}  // namespace planarium
