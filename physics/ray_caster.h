#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "physics/math.h"
#include "physics/types.h"

namespace planarium {

/// World-frame echoing geometry in structure-of-arrays form. Capacity is fixed by Reserve; Add*
/// never allocate within it. Owners are object ids. Segments of polygons have no preferred side.
class RayScene {
 public:
  void Reserve(std::size_t segments, std::size_t circles);
  void Clear();
  void AddSegment(Vec2 a, Vec2 b, std::int32_t owner);
  /// The segments of a chain of vertices in order; a closed one ends with last to first and bounds
  /// a solid body: seen from outside, the edges on its far side need no cast.
  void AddChain(std::span<const Vec2> vertices, bool closed, std::int32_t owner);
  void AddCircle(Vec2 center, double radius, std::int32_t owner);

  std::size_t segments() const { return segments_; }
  std::size_t circles() const { return circles_; }
  std::span<const double> ax() const { return {ax_.data(), segments_}; }
  std::span<const double> ay() const { return {ay_.data(), segments_}; }
  std::span<const double> bx() const { return {bx_.data(), segments_}; }
  std::span<const double> by() const { return {by_.data(), segments_}; }
  std::span<const std::int32_t> segment_owner() const { return {segment_owner_.data(), segments_}; }
  /// (segments) +1 or -1: the solid body lies to the left or right of a -> b; 0: bare segment.
  std::span<const float> solid_side() const { return {solid_side_.data(), segments_}; }
  /// Bounding boxes of the solid bodies.
  std::span<const Aabb> solid_boxes() const { return {solid_boxes_.data(), solids_}; }
  std::span<const double> cx() const { return {cx_.data(), circles_}; }
  std::span<const double> cy() const { return {cy_.data(), circles_}; }
  std::span<const double> radius() const { return {radius_.data(), circles_}; }
  std::span<const std::int32_t> circle_owner() const { return {circle_owner_.data(), circles_}; }

 private:
  // Sized to the capacity; the counts say how much is in use.
  std::size_t segments_ = 0;
  std::size_t circles_ = 0;
  std::vector<double> ax_, ay_, bx_, by_, cx_, cy_, radius_;
  std::vector<std::int32_t> segment_owner_, circle_owner_;
  std::vector<float> solid_side_;
  std::vector<Aabb> solid_boxes_;
  std::size_t solids_ = 0;
};

/// How an angle becomes a (real) beam index: angle * beams_per_radian + beam_zero.
struct BeamIndexing {
  float beams_per_radian = 0.0F;
  float beam_zero = 0.0F;
  float period = 0.0F;  ///< beams of a full turn
  float slack = 0.0F;   ///< beams by which a candidate interval is widened on both sides
};

/// Directions of the evenly spaced beams of one scanner, shared by all worlds. angle_i = first + i
/// * increment.
class BeamTable {
 public:
  /// REQUIRES: number >= 1, 0 <= fan <= 2 pi (fan 0 or number 1: all beams straight ahead). Beams
  /// from -fan/2 to +fan/2, both included.
  BeamTable(double fan, int number);

  int number() const { return number_; }
  double fan() const { return fan_; }
  double increment() const { return increment_; }  ///< [rad] fan / (number - 1); 0 for one beam
  std::span<const double> angles() const { return angles_; }           ///< [rad] (number)
  std::span<const Vec2> directions() const { return directions_; }     ///< unit vectors (number)
  std::span<const float> direction_x() const { return direction_x_; }  ///< padded to whole vectors
  std::span<const float> direction_y() const { return direction_y_; }
  const BeamIndexing& indexing() const { return indexing_; }

 private:
  int number_;
  double fan_;
  double increment_;
  std::vector<double> angles_;
  std::vector<Vec2> directions_;
  std::vector<float> direction_x_, direction_y_;
  BeamIndexing indexing_;
};

struct RayKernel;

/// Per-worker scratch of CastRays. Reserve before stepping; casting never allocates within the
/// reserved sizes.
class RayScratch {
 public:
  /// Sizes for scanners of up to `beams` beams and scenes of up to `segments` segments each.
  void Reserve(std::size_t beams, std::size_t segments);

  std::vector<float> inverse_range;  // accumulators, see ray_kernel.h
  std::vector<std::int32_t> owner;
  std::vector<float> direction_x, direction_y;  // jittered directions
  std::vector<float> candidate_values;          // RayCandidates
  std::vector<std::int32_t> candidate_names;
  std::size_t candidate_stride = 0;
  const RayKernel* kernel = nullptr;  // nullptr: the best of this CPU; tests set others
};

/// Where a scanner stands in the world frame.
struct RayQuery {
  Vec2 origin;
  SinCosPair heading;       ///< of the direction of angle 0
  double range_max = 10.0;  ///< [m] hits beyond are misses
  /// [rad] (number) added to each beam's angle; empty: none. |jitter| <= 1000.
  std::span<const float> jitter = {};
  double range_min = 0.0;  ///< [m] least reading, see RayHits::valid
};

/// Nearest hit per beam. range[i] = range_max and owner[i] = -1 for a miss. Each span holds
/// `number` elements.
struct RayHits {
  std::span<float> range;         ///< [m] float32, within 2e-5 of the range of the double reference
  std::span<std::int32_t> owner;  ///< object id, -1 for a miss
  /// Empty: CastRays gives distances; else they are gated like GateHits does, in the same pass.
  std::span<std::uint8_t> valid = {};
};

/// Casts all beams against all scenes. Hits at distance <= 1e-9 are ignored; touching an endpoint
/// counts; a beam along a segment hits its nearest point (spec irsim-sensors-contact 4.4). Circles
/// are exact. Ties: the lower position in scene order. The kernel is chosen at run time (AVX-512,
/// AVX2 or plain); all give the same bits.
void CastRays(const BeamTable& beams, const RayQuery& query,
              std::span<const RayScene* const> scenes, RayScratch& scratch, RayHits hits);

/// Turns distances, noise included, into readings (IR-SIM 2.12): hits.valid[i] is 1 for a hit
/// within [range_min, range_max]; then every range is brought into these limits [m]. The owner
/// stays what the beam met, whatever it reads. `kernel` as in RayScratch.
void GateHits(double range_min, double range_max, RayHits hits, const RayKernel* kernel = nullptr);

/// "avx512", "avx2" or "plain": the kernel that CastRays uses on this CPU (PLANARIUM_KERNEL=avx2 or
/// plain in the environment chooses a narrower one).
const char* RayKernelName();

}  // namespace planarium
