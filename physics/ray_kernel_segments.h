#pragma once

#include "physics/ray_kernel_beams.h"

namespace planarium {

/// Segments of the sector kernel (see ray_kernel.h), 8 at a time.
template <typename V>
struct RaySegments {
  using F = typename V::F;
  using D = typename V::D;  // 8 doubles
  using I = typename V::I;
  using M = typename V::M;
  using Beams = RayBeams<V>;

  static void Cast(const RayScan& scan, const RayArrays& scene) {
    // In two passes: culling leaves a third to a half, and what follows runs on full vectors.
    int found = 0;
    for (int at = 0; at < scene.segments; at += kRayLanes) {
      const int left = scene.segments - at;
      found = Cull(scan, scene, at, left < kRayLanes ? left : kRayLanes, found);
    }
    for (int at = 0; at < found; at += kRayLanes) {
      const int left = found - at;
      CastBlock(scan, scene, at, left < kRayLanes ? left : kRayLanes);
    }
  }

 private:
  /// Why float is not enough, in bits: edge-on, and nothing but a point near the scanner.
  enum Doubt : std::int32_t { kExact = 1, kAllBeams = 2 };

  /// 8 segments in the sensor frame, from double-precision differences.
  struct Corners {
    F ax, ay, bx, by;  // [m] ends
    F vx, vy;          // [m] b - a
    F cross;           // [m^2] a x b: twice the area that the segment spans with the origin
  };
  struct Verdict {
    M near;   // within range_max
    M exact;  // float is too coarse
    M all;    // as good as at the origin: every beam is a candidate
  };
  /// n.p = 1 on the line. [1/m]
  struct Normals {
    alignas(32) float x[kRayLanes], y[kRayLanes];
  };

  static Corners Load(const RayScan& scan, const RayArrays& scene, int at, int count) {
    const D ox = V::SetD(scan.origin.x);
    const D oy = V::SetD(scan.origin.y);
    const D c = V::SetD(scan.cos);
    const D s = V::SetD(scan.sin);
    const D wax = V::LoadD(scene.ax + at, count) - ox;
    const D way = V::LoadD(scene.ay + at, count) - oy;
    const D wbx = V::LoadD(scene.bx + at, count) - ox;
    const D wby = V::LoadD(scene.by + at, count) - oy;
    const D ax = wax * c + way * s;
    const D ay = way * c - wax * s;
    const D bx = wbx * c + wby * s;
    const D by = wby * c - wbx * s;
    const D vx = bx - ax;
    const D vy = by - ay;
    return {V::Narrow(ax),
            V::Narrow(ay),
            V::Narrow(bx),
            V::Narrow(by),
            V::Narrow(vx),
            V::Narrow(vy),
            V::Narrow(ax * vy - ay * vx)};
  }

  /// Culls by the distance of the origin to the segment and finds the cases for double precision.
  static Verdict Judge(const RayScan& scan, const Corners& s) {
    const F zero = V::Set(0.0F);
    const F a2 = s.ax * s.ax + s.ay * s.ay;
    const F b2 = s.bx * s.bx + s.by * s.by;
    const F v2 = s.vx * s.vx + s.vy * s.vy;
    const F along = s.ax * s.vx + s.ay * s.vy;
    const F cross2 = s.cross * s.cross;
    // The nearest point is the foot of the perpendicular or the nearer end.
    const M foot = V::And(along < zero, zero < along + v2);
    const F nearer = V::Min(a2, b2);
    const F range2 = V::Set(scan.range_max * scan.range_max * 1.00001F);
    // 1e-5 m: nearer than that, the directions of the ends mean nothing.
    const F touch2 = V::Set(1e-10F);
    const M near = V::Select(foot, cross2, nearer) <= V::Select(foot, range2 * v2, range2);
    const M touching = V::Select(foot, cross2, nearer) <= V::Select(foot, touch2 * v2, touch2);
    // Rounding of n.d grows with r / h, h the distance to the line: h^2 = cross^2 / v^2.
    const F reach2 = V::Min(V::Max(a2, b2), range2);
    const M grazing = V::Set(scan.grazing) * cross2 <= reach2 * v2;
    return {near, V::Or(grazing, touching), touching};
  }

  /// Edges seen from within their body: the origin lies on the body's side of the line.
  static unsigned FarSides(const RayArrays& scene, const Corners& s, int at, int count) {
    const float* const side = scene.solid_side + at;
    const F body = count == kRayLanes ? V::Load(side) : V::LoadPart(side, count);
    return V::Bits(V::Set(0.0F) < body * s.cross);
  }

  /// Packs the segments of one block that the scan may see behind `found` others.
  static int Cull(const RayScan& scan, const RayArrays& scene, int at, int count, int found) {
    const Corners s = Load(scan, scene, at, count);
    const Verdict verdict = Judge(scan, s);
    unsigned keep = V::Bits(verdict.near) & ((1U << count) - 1U);
    const unsigned exact = V::Bits(verdict.exact);
    if (scene.cull_far_sides) keep &= ~FarSides(scene, s, at, count) | exact;
    const RayCandidates& to = scan.candidates;
    V::Pack(to.ax + found, s.ax, keep);
    V::Pack(to.ay + found, s.ay, keep);
    V::Pack(to.bx + found, s.bx, keep);
    V::Pack(to.by + found, s.by, keep);
    V::Pack(to.vx + found, s.vx, keep);
    V::Pack(to.vy + found, s.vy, keep);
    V::Pack(to.cross + found, s.cross, keep);
    V::PackI(to.segment + found, V::Count(at), keep);
    const I none = V::SetI(0);
    V::PackI(to.doubt + found,
             V::SelectI(verdict.all, V::SetI(kExact | kAllBeams),
                        V::SelectI(verdict.exact, V::SetI(kExact), none)),
             keep);
    return found + __builtin_popcount(keep);
  }

  /// Windows and sweeps of 8 packed segments.
  static void CastBlock(const RayScan& scan, const RayArrays& scene, int at, int count) {
    const RayCandidates& from = scan.candidates;
    const F ax = V::Load(from.ax + at);
    const F ay = V::Load(from.ay + at);
    const F bx = V::Load(from.bx + at);
    const F by = V::Load(from.by + at);
    const F cross = V::Load(from.cross + at);
    const I doubt = V::LoadI(from.doubt + at);
    const unsigned keep = (1U << count) - 1U;

    // Angles grow counter-clockwise: from a to b where a x b > 0; across the back add a turn.
    const F index_a = Beams::IndexOf(scan, ax, ay);
    const F index_b = Beams::IndexOf(scan, bx, by);
    const M turns_left = V::Set(0.0F) < cross;
    const F low = V::Select(turns_left, index_a, index_b);
    const F high = V::Select(turns_left, index_b, index_a);
    const F period = V::Set(scan.period);
    typename Beams::Windows windows;
    Beams::SetWindows(scan, low, V::Select(high < low, high + period, high), keep, windows);

    const F inverse = V::Set(1.0F) / cross;
    Normals normals;
    V::Store(normals.x, V::Load(from.vy + at) * inverse);
    V::Store(normals.y, V::Set(0.0F) - V::Load(from.vx + at) * inverse);
    const unsigned exact = keep & V::Bits(V::HasBit(doubt, kExact));
    windows.keep |= keep & V::Bits(V::HasBit(doubt, kAllBeams));
    for (unsigned bits = windows.keep; bits != 0; bits &= bits - 1) {
      const int lane = __builtin_ctz(bits);
      if ((exact >> lane & 1U) != 0) {
        CastExactly(scan, scene, windows, at, lane);
        continue;
      }
      Beams::ForEachRun(scan, windows, lane, [&](BeamRange run) {
        Sweep(scan, scene, at + lane, normals.x[lane], normals.y[lane], run);
      });
    }
  }

  /// The rare path of one segment.
  static void CastExactly(const RayScan& scan, const RayArrays& scene,
                          const typename Beams::Windows& windows, int at, int lane) {
    const int segment = scan.candidates.segment[at + lane];
    if ((scan.candidates.doubt[at + lane] & kAllBeams) != 0) {
      CastSegmentExactly(scan, scene, segment, {0, scan.number - 1});
      return;
    }
    Beams::ForEachRun(scan, windows, lane,
                      [&](BeamRange run) { CastSegmentExactly(scan, scene, segment, run); });
  }

  /// The inner loop: 16 beams against one segment, for most segments are seen by 1 to 9 beams and a
  /// loop that ends after one round or two by chance costs more than a vector. The ends lie on
  /// different sides of a beam that hits; a beam that points away has a negative n.d. So whole
  /// vectors need no mask.
  static void Sweep(const RayScan& scan, const RayArrays& scene, int candidate, float normal_x,
                    float normal_y, BeamRange run) {
    const RayCandidates& from = scan.candidates;
    const F ax = V::Set(from.ax[candidate]);
    const F ay = V::Set(from.ay[candidate]);
    const F bx = V::Set(from.bx[candidate]);
    const F by = V::Set(from.by[candidate]);
    const F nx = V::Set(normal_x);
    const F ny = V::Set(normal_y);
    const F zero = V::Set(0.0F);
    const I name = V::SetI(scene.segment_owner[from.segment[candidate]]);
    // Local copies: a store through these pointers could alias the scan itself.
    const float* const direction_x = scan.direction_x;
    const float* const direction_y = scan.direction_y;
    float* const nearest = scan.inverse_range;
    std::int32_t* const owners = scan.owner;
    const auto sweep = [&](int k) {
      const F dx = V::Load(direction_x + k);
      const F dy = V::Load(direction_y + k);
      const F best = V::Load(nearest + k);
      const F sides = (ax * dy - ay * dx) * (bx * dy - by * dx);
      const F inverse_range = nx * dx + ny * dy;
      const M hit = V::And(sides <= zero, best < inverse_range);
      V::Store(nearest + k, V::Select(hit, inverse_range, best));
      V::StoreI(owners + k, V::SelectI(hit, name, V::LoadI(owners + k)));
    };
    for (int k = run.first & ~(kRayLanes - 1); k <= run.last; k += 2 * kRayLanes) {
      sweep(k);
      sweep(k + kRayLanes);
    }
  }
};

}  // namespace planarium
