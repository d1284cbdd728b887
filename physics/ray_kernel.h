#pragma once

#include <cstdint>

#include "physics/types.h"

/// Private to the ray caster: what ray_caster.cc hands to the kernels.
///
/// Method: in the sensor frame the line of a segment satisfies n.p = 1, so along a beam of
/// direction d the inverse range is 1/r = n.d. The nearest hit is a running maximum without a
/// division per beam, and a segment visits only the beams that its two end angles enclose. That
/// interval is a candidate set alone: an exact test decides each beam.
///
/// The structs hold raw pointers and the kernels call no inline function of the standard library:
/// compiled for a wide CPU, it could be picked by the linker for the whole program.
namespace planarium {

/// Beams or primitives that a kernel treats at once. Tables of beams are padded to a multiple of it
/// and one vector more.
inline constexpr int kRayLanes = 8;

/// Room for the segments of one scene that a scan may see, packed; in the sensor frame.
struct RayCandidates {
  float* ax = nullptr;  ///< [m] ends, each array (segments, padded)
  float* ay = nullptr;
  float* bx = nullptr;
  float* by = nullptr;
  float* vx = nullptr;  ///< [m] b - a
  float* vy = nullptr;
  float* cross = nullptr;           ///< [m^2] a x b
  std::int32_t* segment = nullptr;  ///< position in the scene
  std::int32_t* doubt = nullptr;    ///< RaySegments::Doubt
};

/// Readings of a scan, see GateHits.
struct RayReadings {
  int number = 0;
  float range_min = 0;            ///< [m]
  float range_max = 0;            ///< [m]
  float* range = nullptr;         ///< [m] (number) distances in, readings out
  std::int32_t* owner = nullptr;  ///< (number) object id, -1: none
  std::uint8_t* valid =
      nullptr;  ///< (number); in a RayScan nullptr: distances are wanted, not readings
};

/// One scan: the beams, the pose of the scanner and where the results grow.
struct RayScan {
  int number = 0;                      ///< beams
  const float* direction_x = nullptr;  ///< (padded) sensor frame; (0, 0) in the padding
  const float* direction_y = nullptr;
  const Vec2* exact = nullptr;     ///< (number) nominal directions
  const double* angles = nullptr;  ///< [rad] (number) nominal angles
  const float* jitter = nullptr;   ///< [rad] (number), nullptr: none
  float* jittered_x = nullptr;     ///< (padded) room for the directions of a jittered scan
  float* jittered_y = nullptr;

  Vec2 origin;     ///< [m] world frame
  double sin = 0;  ///< of the heading
  double cos = 1;
  float range_max = 0;  ///< [m]

  // BeamIndexing of the beams.
  float beams_per_radian = 0;
  float beam_zero = 0;
  float period = 0;   ///< beams of a full turn
  float slack = 0;    ///< beams by which an interval is widened on both sides
  float grazing = 0;  ///< largest (reach / distance to the line)^2 that float resolves

  RayCandidates candidates;
  float* inverse_range = nullptr;  ///< [1/m] (padded) of the nearest hit so far
  std::int32_t* owner = nullptr;   ///< (padded) of the nearest hit so far, -1: none
  RayReadings readings;            ///< where the results go
};

/// The arrays of a RayScene.
struct RayArrays {
  int segments = 0;
  const double* ax = nullptr;
  const double* ay = nullptr;
  const double* bx = nullptr;
  const double* by = nullptr;
  const std::int32_t* segment_owner = nullptr;
  const float* solid_side =
      nullptr;                  ///< +-1: the body lies left or right of a -> b; 0: bare segment
  bool cull_far_sides = false;  ///< the scanner is outside every solid body
  int circles = 0;
  const double* cx = nullptr;
  const double* cy = nullptr;
  const double* radius = nullptr;
  const std::int32_t* circle_owner = nullptr;
};

/// Beams first..last (both included) of a scan.
struct BeamRange {
  int first = 0;
  int last = -1;
};

/// One instruction set: begin once, cast each scene, finish once; gate when the noise is in.
struct RayKernel {
  const char* name;
  void (*begin)(RayScan& scan);
  void (*cast)(const RayScan& scan, const RayArrays& scene);
  void (*finish)(const RayScan& scan);
  void (*gate)(const RayReadings& readings);
};

extern const RayKernel kPlainRayKernel;
extern const RayKernel kAvx2RayKernel;
extern const RayKernel kAvx512RayKernel;

/// Double-precision casts of one primitive, for what float cannot decide: edge-on, touching and
/// tangent beams, and a scanner inside a circle.
void CastSegmentExactly(const RayScan& scan, const RayArrays& scene, int segment, BeamRange beams);
void CastCircleExactly(const RayScan& scan, const RayArrays& scene, int circle, BeamRange beams);

}  // namespace planarium
