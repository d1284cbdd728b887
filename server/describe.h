#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "env/diagnostic.h"
#include "env/vector_env.h"
#include "planarium/v1/planarium.pb.h"
#include "server/limits.h"

namespace planarium {

/// What CreateBatch knows beside the environment itself.
struct BatchFacts {
  std::string batch_id;
  std::string owner;
  double lease_seconds = 0.0;
  int threads = 1;
  std::size_t chunk_bytes = 0;
  std::vector<ScenarioShare> shares;
};

/// Messages made from facts; no state, no side effect.
v1::BatchSpec DescribeBatchSpec(const VectorEnv& env, const BatchFacts& facts);
/// The same without what only a client that steps needs: labels, bounds, task text, beam angles.
v1::BatchSpec ShortBatchSpec(const v1::BatchSpec& spec);
v1::Diagnostic DescribeDiagnostic(const Diagnostic& diagnostic);
v1::Limits DescribeLimits(const ServerLimits& limits);
/// Version, abilities and every registered term, sensor and behavior.
v1::ServerInfo DescribeServer(const ServerLimits& limits, const std::string& version, int threads);

}  // namespace planarium
