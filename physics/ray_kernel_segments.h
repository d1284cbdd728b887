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
    for (int at = 0; at < scene.segments; at += kRayLanes) {
      const int left = scene.segments - at;
      CastBlock(scan, scene, at, left < kRayLanes ? left : kRayLanes);
    }
  }

 private:
  /// 8 segments in the sensor frame, from double-precision differences.
  struct Corners {
    F ax, ay, bx, by;  // [m] ends
    F vx, vy;          // [m] b - a
    F cross;           // [m^2] a x b: twice the area that the segment spans with the origin
  };
  /// One bit per segment.
  struct Verdict {
    unsigned keep;   // within range_max
    unsigned exact;  // float is too coarse
    unsigned all;    // as good as at the origin: every beam is a candidate
  };
  /// What the inner loop reads, lane by lane.
  struct Lanes {
    alignas(32) float ax[kRayLanes], ay[kRayLanes], bx[kRayLanes], by[kRayLanes];
    alignas(32) float nx[kRayLanes], ny[kRayLanes];  // [1/m] n.p = 1 on the line
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
    const unsigned all = V::Bits(touching);
    return {V::Bits(near), V::Bits(grazing) | all, all};
  }

  /// Edges seen from within their body: the origin lies on the body's side of the line.
  static unsigned FarSides(const RayArrays& scene, const Corners& s, int at, int count) {
    const float* const side = scene.solid_side + at;
    const F body = count == kRayLanes ? V::Load(side) : V::LoadPart(side, count);
    return V::Bits(V::Set(0.0F) < body * s.cross);
  }

  static void CastBlock(const RayScan& scan, const RayArrays& scene, int at, int count) {
    const Corners s = Load(scan, scene, at, count);
    Verdict verdict = Judge(scan, s);
    verdict.keep &= (1U << count) - 1U;
    if (scene.cull_far_sides) verdict.keep &= ~FarSides(scene, s, at, count) | verdict.exact;
    if (verdict.keep == 0) return;

    // Angles grow counter-clockwise: from a to b where a x b > 0; across the back add a turn.
    const F index_a = Beams::IndexOf(scan, s.ax, s.ay);
    const F index_b = Beams::IndexOf(scan, s.bx, s.by);
    const M turns_left = V::Set(0.0F) < s.cross;
    const F low = V::Select(turns_left, index_a, index_b);
    const F high = V::Select(turns_left, index_b, index_a);
    const F period = V::Set(scan.period);
    typename Beams::Windows windows;
    Beams::SetWindows(scan, low, V::Select(high < low, high + period, high), verdict.keep, windows);

    const F inverse = V::Set(1.0F) / s.cross;
    Lanes lanes;
    V::Store(lanes.ax, s.ax);
    V::Store(lanes.ay, s.ay);
    V::Store(lanes.bx, s.bx);
    V::Store(lanes.by, s.by);
    V::Store(lanes.nx, s.vy * inverse);
    V::Store(lanes.ny, V::Set(0.0F) - s.vx * inverse);
    const unsigned exact = verdict.keep & verdict.exact;
    windows.keep |= verdict.keep & verdict.all;
    for (unsigned bits = windows.keep; bits != 0; bits &= bits - 1) {
      const int lane = __builtin_ctz(bits);
      if ((exact >> lane & 1U) != 0) {
        CastExactly(scan, scene, windows, at, lane, verdict.all);
        continue;
      }
      const std::int32_t owner = scene.segment_owner[at + lane];
      Beams::ForEachRun(scan, windows, lane,
                        [&](BeamRange run) { Sweep(scan, lanes, lane, owner, run); });
    }
  }

  /// The rare path of one segment.
  static void CastExactly(const RayScan& scan, const RayArrays& scene,
                          const typename Beams::Windows& windows, int at, int lane, unsigned all) {
    if ((all >> lane & 1U) != 0) {
      CastSegmentExactly(scan, scene, at + lane, {0, scan.number - 1});
      return;
    }
    Beams::ForEachRun(scan, windows, lane,
                      [&](BeamRange run) { CastSegmentExactly(scan, scene, at + lane, run); });
  }

  /// The inner loop: 16 beams against one segment, for most segments are seen by 1 to 9 beams and a
  /// loop that ends after one round or two by chance costs more than a vector. The ends lie on
  /// different sides of a beam that hits; a beam that points away has a negative n.d. So whole
  /// vectors need no mask.
  static void Sweep(const RayScan& scan, const Lanes& lanes, int lane, std::int32_t owner,
                    BeamRange run) {
    const F ax = V::Set(lanes.ax[lane]);
    const F ay = V::Set(lanes.ay[lane]);
    const F bx = V::Set(lanes.bx[lane]);
    const F by = V::Set(lanes.by[lane]);
    const F nx = V::Set(lanes.nx[lane]);
    const F ny = V::Set(lanes.ny[lane]);
    const F zero = V::Set(0.0F);
    const I name = V::SetI(owner);
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
