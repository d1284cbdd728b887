#pragma once

#include <cstdint>
#include <vector>

#include "physics/world_batch.h"
#include "sensors/lidar2d.h"

namespace planarium {

/// A clean scan in double precision, the slow and plain way: what CastRays is held against.
struct ReferenceScan {
  std::vector<double> ranges;       ///< [m] (number) within [range_min, range_max]
  std::vector<std::int32_t> owner;  ///< (number) object hit, -1: miss
};

/// Casts every beam of `lidar`, carried by `object`, against all segments and circles of the world
/// as it stands (spec irsim-sensors-contact 4.4, with exact circles).
ReferenceScan CastReference(const WorldView& world, int object, const Lidar2d& lidar);

}  // namespace planarium
