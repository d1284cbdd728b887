#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "physics/ray_caster.h"
#include "physics/types.h"

/// The slow, obvious ray caster that the fast ones are measured against: double precision, every
/// beam against every primitive, written from the rule of IR-SIM 2.12 alone.
namespace planarium::testing {

enum class CircleModel {
  kExact,      ///< true circles, as Planarium casts them
  kPolygon64,  ///< inscribed 64-gons with a vertex at heading 0, as IR-SIM casts them
};

struct ReferenceHit {
  double range = 0.0;       ///< [m] range_max for a miss
  std::int32_t owner = -1;  ///< -1 for a miss
};

struct ReferenceScanner {
  Pose2 pose{};
  double range_max = 10.0;  ///< [m]
  CircleModel circles = CircleModel::kExact;
  std::optional<std::int32_t> only_owner{};  ///< ignore everything else
};

/// Nearest hit along one beam. `angle` [rad] is relative to the scanner's heading.
ReferenceHit ReferenceCast(const ReferenceScanner& scanner, double angle,
                           std::span<const RayScene* const> scenes);

/// ReferenceCast for each angle.
std::vector<ReferenceHit> ReferenceScan(const ReferenceScanner& scanner,
                                        std::span<const double> angles,
                                        std::span<const RayScene* const> scenes);

}  // namespace planarium::testing
