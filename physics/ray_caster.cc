#include "physics/ray_caster.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>

#include "physics/math.h"
#include "physics/ray_kernel.h"

namespace planarium {
namespace {

// Hits nearer than this are the surface that the scanner sits on (IR-SIM 2.12).
constexpr double kOriginEpsilon = 1e-9;
// A beam that passes both ends of a segment within this distance runs along it. [m]
constexpr double kAlongTolerance = 1e-9;
// Float directions are exact to this angle [rad]: a beam that passes the end of a segment within it
// counts as touching, so that no beam slips between a float and a double cast of two neighbours.
constexpr double kEndTolerance = 4e-7;
// Accuracy of the candidate interval [rad] (RayBeams::IndexOf is within 1e-3), and of its index in
// float, relative to the number of beams.
constexpr double kAngleSlack = 2e-3;
constexpr double kIndexSlack = 1e-6;
// Below this increment [rad] the interval is wider than any fan: every beam is a candidate.
constexpr double kMinIncrement = 1e-6;
// Largest reach / distance ratio of a segment's line that float resolves: each of the up to 4 (with
// jitter 7) roundings of 6e-8 in n.d grows by it, and 2e-5 of the range is promised.
constexpr float kGrazing = 64.0F;
constexpr float kJitteredGrazing = 40.0F;
// Vectors are loaded from 32-byte boundaries, so that none straddles two cache lines.
constexpr std::size_t kVectorBytes = 32;

constexpr double kNoHit = std::numeric_limits<double>::infinity();

// Whole vectors, and one more for a sweep that takes them in pairs.
std::size_t PaddedBeams(std::size_t number) {
  return (number + 2 * kRayLanes - 1) / kRayLanes * kRayLanes;
}

// First 32-byte boundary in a buffer that is one vector too long.
template <typename T>
T* Aligned(std::vector<T>& buffer) {
  const auto address = reinterpret_cast<std::uintptr_t>(buffer.data());
  const std::size_t skip = (kVectorBytes - address % kVectorBytes) % kVectorBytes;
  return buffer.data() + skip / sizeof(T);
}

// The widest kernel that the CPU has and the environment does not rule out.
const RayKernel& ChooseKernel() {
  const char* wish = std::getenv("PLANARIUM_KERNEL");
  const auto wished = [wish](const RayKernel& kernel) {
    return wish != nullptr && std::strcmp(wish, kernel.name) == 0;
  };
  if (wished(kPlainRayKernel) || !__builtin_cpu_supports("avx2")) return kPlainRayKernel;
  const bool wide = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
                    __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw");
  return wide && !wished(kAvx2RayKernel) ? kAvx512RayKernel : kAvx2RayKernel;
}

// A kernel stores whole vectors behind the last candidate.
std::size_t CandidateStride(std::size_t segments) {
  return (segments + 2 * kRayLanes - 1) / kRayLanes * kRayLanes;
}

RayCandidates CandidatesIn(RayScratch& scratch) {
  const std::size_t stride = scratch.candidate_stride;
  float* const values = Aligned(scratch.candidate_values);
  std::int32_t* const names = Aligned(scratch.candidate_names);
  return {values,
          values + stride,
          values + 2 * stride,
          values + 3 * stride,
          values + 4 * stride,
          values + 5 * stride,
          values + 6 * stride,
          names,
          names + stride};
}

const RayKernel& Kernel() {
  static const RayKernel& kernel = ChooseKernel();
  return kernel;
}

RayArrays ArraysOf(const RayScene& scene) {
  RayArrays arrays;
  arrays.segments = static_cast<int>(scene.segments());
  arrays.ax = scene.ax().data();
  arrays.ay = scene.ay().data();
  arrays.bx = scene.bx().data();
  arrays.by = scene.by().data();
  arrays.segment_owner = scene.segment_owner().data();
  arrays.solid_side = scene.solid_side().data();
  arrays.circles = static_cast<int>(scene.circles());
  arrays.cx = scene.cx().data();
  arrays.cy = scene.cy().data();
  arrays.radius = scene.radius().data();
  arrays.circle_owner = scene.circle_owner().data();
  return arrays;
}

RayReadings ReadingsOf(RayHits hits, double range_min, double range_max) {
  RayReadings readings;
  readings.number = static_cast<int>(hits.range.size());
  readings.range_min = static_cast<float>(range_min);
  readings.range_max = static_cast<float>(range_max);
  readings.range = hits.range.data();
  readings.owner = hits.owner.data();
  readings.valid = hits.valid.empty() ? nullptr : hits.valid.data();
  return readings;
}

// From outside a body its near side hides the far one; within its box that is not certain, and
// neither on its surface, which the scanner does not see.
bool OutsideAllBoxes(const RayScene& scene, Vec2 origin) {
  const Vec2 low = origin - Vec2{kOriginEpsilon, kOriginEpsilon};
  const Vec2 high = origin + Vec2{kOriginEpsilon, kOriginEpsilon};
  for (const Aabb& box : scene.solid_boxes()) {
    const bool inside =
        high.x >= box.min_x && low.x <= box.max_x && high.y >= box.min_y && low.y <= box.max_y;
    if (inside) return false;
  }
  return true;
}

BeamIndexing IndexingOf(int number, double fan, double increment) {
  const auto beams = static_cast<double>(number);
  // Below, all indices collapse to 0, the slack spans the fan, and a turn is out of reach.
  if (increment < kMinIncrement) return {0.0F, 0.0F, 1e30F, static_cast<float>(beams + 1.0)};
  const double density = 1.0 / increment;
  return {static_cast<float>(density), static_cast<float>(0.5 * fan * density),
          static_cast<float>(kTwoPi * density),
          static_cast<float>(0.01 + kAngleSlack * density + kIndexSlack * beams)};
}

// Direction of a beam in the sensor frame, jitter included.
Vec2 ExactDirection(const RayScan& scan, int beam) {
  if (scan.jitter == nullptr) return scan.exact[beam];
  const SinCosPair d = SinCos(scan.angles[beam] + static_cast<double>(scan.jitter[beam]));
  return {d.cos, d.sin};
}

Vec2 ToSensorFrame(const RayScan& scan, double x, double y) {
  const Vec2 p = Vec2{x, y} - scan.origin;
  return {p.x * scan.cos + p.y * scan.sin, p.y * scan.cos - p.x * scan.sin};
}

// The nearer of two candidate distances that lies ahead of the scanner.
double FirstAhead(double near, double far) {
  if (near > kOriginEpsilon) return near;
  return far > kOriginEpsilon ? far : kNoHit;
}

// Distance along d to segment ab (spec irsim-sensors-contact 4.4); the scanner is the origin.
double SegmentHit(Vec2 a, Vec2 b, Vec2 d) {
  const double side_a = Cross(a, d);
  const double side_b = Cross(b, d);
  const double along_a = Dot(a, d);
  const double along_b = Dot(b, d);
  if (std::abs(side_a) <= kAlongTolerance && std::abs(side_b) <= kAlongTolerance) {
    return FirstAhead(std::min(along_a, along_b), std::max(along_a, along_b));
  }
  if (side_a * side_b <= 0.0) {
    const double t = Cross(a, b - a) / (side_a - side_b);
    return FirstAhead(t, kNoHit);
  }
  const bool at_a = std::abs(side_a) <= kEndTolerance * along_a;
  const bool at_b = std::abs(side_b) <= kEndTolerance * along_b;
  return FirstAhead(std::min(at_a ? along_a : kNoHit, at_b ? along_b : kNoHit), kNoHit);
}

// True when both ends lie clearly on one side of the direction d, which float has rounded: spares
// the exact direction, which costs a sine and a cosine in a jittered scan.
bool ClearlyMisses(Vec2 a, Vec2 b, Vec2 d) {
  const double margin =
      2.0 * kAlongTolerance +
      2.0 * kEndTolerance * (std::abs(a.x) + std::abs(a.y) + std::abs(b.x) + std::abs(b.y));
  const double side_a = Cross(a, d);
  const double side_b = Cross(b, d);
  return std::min(side_a, side_b) > margin || std::max(side_a, side_b) < -margin;
}

// Distance along d to the circle around c; from inside it is the exit.
double CircleHit(Vec2 c, double radius, Vec2 d) {
  const double lateral = Cross(c, d);
  const double chord2 = (radius - lateral) * (radius + lateral);
  if (!(chord2 >= 0.0)) return kNoHit;
  const double along = Dot(c, d);
  const double root = std::sqrt(chord2);
  // Product of both distances; dividing it by the larger one avoids cancellation in the smaller.
  const double power = Dot(c, c) - radius * radius;
  const double larger = along >= 0.0 ? along + root : along - root;
  const double other = larger != 0.0 ? power / larger : 0.0;
  return FirstAhead(std::min(larger, other), std::max(larger, other));
}

void Record(const RayScan& scan, int beam, double distance, std::int32_t owner) {
  const auto inverse = static_cast<float>(1.0 / distance);
  if (!(inverse > scan.inverse_range[beam])) return;
  scan.inverse_range[beam] = inverse;
  scan.owner[beam] = owner;
}

}  // namespace

void CastSegmentExactly(const RayScan& scan, const RayArrays& scene, int segment, BeamRange beams) {
  const Vec2 a = ToSensorFrame(scan, scene.ax[segment], scene.ay[segment]);
  const Vec2 b = ToSensorFrame(scan, scene.bx[segment], scene.by[segment]);
  for (int k = beams.first; k <= beams.last; ++k) {
    const Vec2 rounded{static_cast<double>(scan.direction_x[k]),
                       static_cast<double>(scan.direction_y[k])};
    if (ClearlyMisses(a, b, rounded)) continue;
    Record(scan, k, SegmentHit(a, b, ExactDirection(scan, k)), scene.segment_owner[segment]);
  }
}

void CastCircleExactly(const RayScan& scan, const RayArrays& scene, int circle, BeamRange beams) {
  const Vec2 c = ToSensorFrame(scan, scene.cx[circle], scene.cy[circle]);
  const double radius = scene.radius[circle];
  for (int k = beams.first; k <= beams.last; ++k) {
    if (k >= scan.number) return;  // padding lanes of the last vector
    Record(scan, k, CircleHit(c, radius, ExactDirection(scan, k)), scene.circle_owner[circle]);
  }
}

void RayScene::Reserve(std::size_t segments, std::size_t circles) {
  const auto grow = [](auto& column, std::size_t size) {
    if (column.size() < size) column.resize(size);
  };
  for (std::vector<double>* column : {&ax_, &ay_, &bx_, &by_}) grow(*column, segments);
  for (std::vector<double>* column : {&cx_, &cy_, &radius_}) grow(*column, circles);
  grow(segment_owner_, segments);
  grow(solid_side_, segments);
  grow(solid_boxes_, segments / 3);  // a body has three edges at least
  grow(circle_owner_, circles);
}

void RayScene::Clear() {
  segments_ = 0;
  circles_ = 0;
  solids_ = 0;
}

void RayScene::AddSegment(Vec2 a, Vec2 b, std::int32_t owner) {
  if (segments_ == ax_.size()) Reserve(2 * segments_ + 8, 0);
  const std::size_t k = segments_++;
  ax_[k] = a.x;
  ay_[k] = a.y;
  bx_[k] = b.x;
  by_[k] = b.y;
  segment_owner_[k] = owner;
  solid_side_[k] = 0.0F;
}

void RayScene::AddChain(std::span<const Vec2> vertices, bool closed, std::int32_t owner) {
  for (std::size_t k = 0; k + 1 < vertices.size(); ++k) {
    AddSegment(vertices[k], vertices[k + 1], owner);
  }
  if (!closed || vertices.size() < 3) return;
  AddSegment(vertices.back(), vertices.front(), owner);
  // Twice the signed area, relative to a vertex: positive for a counter-clockwise ring.
  Aabb box;
  double area = 0.0;
  for (std::size_t k = 0; k < vertices.size(); ++k) {
    box.Include(vertices[k]);
    const Vec2 next = vertices[k + 1 < vertices.size() ? k + 1 : 0];
    area += Cross(vertices[k] - vertices[0], next - vertices[0]);
  }
  const float side = area > 0.0 ? 1.0F : (area < 0.0 ? -1.0F : 0.0F);
  std::fill_n(solid_side_.begin() + static_cast<std::ptrdiff_t>(segments_ - vertices.size()),
              vertices.size(), side);
  if (solids_ == solid_boxes_.size()) solid_boxes_.resize(2 * solids_ + 4);
  solid_boxes_[solids_++] = box;
}

void RayScene::AddCircle(Vec2 center, double radius, std::int32_t owner) {
  if (circles_ == cx_.size()) Reserve(0, 2 * circles_ + 8);
  const std::size_t k = circles_++;
  cx_[k] = center.x;
  cy_[k] = center.y;
  radius_[k] = radius;
  circle_owner_[k] = owner;
}

BeamTable::BeamTable(double fan, int number)
    : number_(number), fan_(number > 1 ? fan : 0.0), increment_(0.0) {
  assert(number >= 1 && fan >= 0.0 && fan <= kTwoPi);
  if (number > 1) increment_ = fan_ / static_cast<double>(number - 1);
  indexing_ = IndexingOf(number_, fan_, increment_);
  const std::size_t padded = PaddedBeams(static_cast<std::size_t>(number));
  direction_x_.resize(padded);
  direction_y_.resize(padded);
  for (int i = 0; i < number; ++i) {
    // The last angle is the end of the fan itself, not a rounded multiple of the increment.
    const bool last = number > 1 && i == number - 1;
    angles_.push_back(last ? 0.5 * fan_ : -0.5 * fan_ + static_cast<double>(i) * increment_);
    const SinCosPair d = SinCos(angles_.back());
    directions_.push_back({d.cos, d.sin});
    direction_x_[static_cast<std::size_t>(i)] = static_cast<float>(d.cos);
    direction_y_[static_cast<std::size_t>(i)] = static_cast<float>(d.sin);
  }
}

void RayScratch::Reserve(std::size_t beams, std::size_t segments) {
  const std::size_t size = PaddedBeams(beams) + kVectorBytes / sizeof(float);
  if (inverse_range.size() < size) {
    for (std::vector<float>* buffer : {&inverse_range, &direction_x, &direction_y}) {
      buffer->resize(size);
    }
    owner.resize(size);
  }
  if (candidate_stride >= CandidateStride(segments)) return;
  candidate_stride = CandidateStride(segments);
  candidate_values.resize(7 * candidate_stride + kVectorBytes / sizeof(float));
  candidate_names.resize(2 * candidate_stride + kVectorBytes / sizeof(float));
}

void CastRays(const BeamTable& beams, const RayQuery& query,
              std::span<const RayScene* const> scenes, RayScratch& scratch, RayHits hits) {
  assert(hits.range.size() == static_cast<std::size_t>(beams.number()));
  assert(hits.owner.size() == hits.range.size());
  assert(hits.valid.empty() || hits.valid.size() == hits.range.size());
  assert(query.jitter.empty() || query.jitter.size() == hits.range.size());
  std::size_t segments = 0;
  for (const RayScene* scene : scenes) segments = std::max(segments, scene->segments());
  scratch.Reserve(static_cast<std::size_t>(beams.number()), segments);
  RayScan scan;
  scan.number = beams.number();
  scan.direction_x = beams.direction_x().data();
  scan.direction_y = beams.direction_y().data();
  scan.exact = beams.directions().data();
  scan.angles = beams.angles().data();
  const bool jittered = !query.jitter.empty();
  scan.jitter = jittered ? query.jitter.data() : nullptr;
  scan.jittered_x = Aligned(scratch.direction_x);
  scan.jittered_y = Aligned(scratch.direction_y);
  scan.origin = query.origin;
  scan.sin = query.heading.sin;
  scan.cos = query.heading.cos;
  scan.range_max = static_cast<float>(query.range_max);
  const BeamIndexing& indexing = beams.indexing();
  scan.beams_per_radian = indexing.beams_per_radian;
  scan.beam_zero = indexing.beam_zero;
  scan.period = indexing.period;
  scan.slack = indexing.slack;
  scan.grazing = jittered ? kJitteredGrazing * kJitteredGrazing : kGrazing * kGrazing;
  scan.inverse_range = Aligned(scratch.inverse_range);
  scan.owner = Aligned(scratch.owner);
  scan.candidates = CandidatesIn(scratch);
  scan.readings = ReadingsOf(hits, query.range_min, query.range_max);

  const RayKernel& kernel = scratch.kernel != nullptr ? *scratch.kernel : Kernel();
  kernel.begin(scan);
  for (const RayScene* scene : scenes) {
    if (scene->segments() + scene->circles() == 0) continue;
    RayArrays arrays = ArraysOf(*scene);
    arrays.cull_far_sides = OutsideAllBoxes(*scene, scan.origin);
    kernel.cast(scan, arrays);
  }
  kernel.finish(scan);
}

void GateHits(double range_min, double range_max, RayHits hits, const RayKernel* kernel) {
  assert(hits.owner.size() == hits.range.size() && hits.valid.size() == hits.range.size());
  (kernel != nullptr ? *kernel : Kernel()).gate(ReadingsOf(hits, range_min, range_max));
}

const char* RayKernelName() { return Kernel().name; }

}  // namespace planarium
