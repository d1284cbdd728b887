#pragma once

#include "physics/ray_kernel_beams.h"

namespace planarium {

/// Circles of the sector kernel (see ray_kernel.h), 8 at a time. Along a beam of direction d, with
/// b = c.d and the lateral offset e = c x d of the centre c, the circle is entered where
/// 1/r = (b + sqrt(R^2 - e^2)) / (|c|^2 - R^2): no division per beam.
template <typename V>
struct RayCircles {
  using F = typename V::F;
  using D = typename V::D;
  using I = typename V::I;
  using M = typename V::M;
  using Beams = RayBeams<V>;

  static void Cast(const RayScan& scan, const RayArrays& scene) {
    for (int at = 0; at < scene.circles; at += kRayLanes) {
      const int left = scene.circles - at;
      CastBlock(scan, scene, at, left < kRayLanes ? left : kRayLanes);
    }
  }

 private:
  /// 8 circles in the sensor frame.
  struct Discs {
    F x, y;       // [m] centre
    F radius;     // [m]
    F distance2;  // [m^2] |c|^2
    F power;      // [m^2] |c|^2 - R^2, from double precision; positive outside
  };
  /// What the inner loop reads, lane by lane.
  struct Lanes {
    alignas(32) float x[kRayLanes], y[kRayLanes], radius2[kRayLanes], inverse_power[kRayLanes];
    alignas(32) float miss[kRayLanes];  // R^2 - e^2 below this certainly misses
    alignas(32) float sure[kRayLanes];  // sqrt(R^2 - e^2) / r above this is precise enough
  };

  static Discs Load(const RayScan& scan, const RayArrays& scene, int at, int count) {
    const D wx = V::LoadD(scene.cx + at, count) - V::SetD(scan.origin.x);
    const D wy = V::LoadD(scene.cy + at, count) - V::SetD(scan.origin.y);
    const D c = V::SetD(scan.cos);
    const D s = V::SetD(scan.sin);
    const D x = wx * c + wy * s;
    const D y = wy * c - wx * s;
    const D radius = V::LoadD(scene.radius + at, count);
    const D distance2 = x * x + y * y;
    return {V::Narrow(x), V::Narrow(y), V::Narrow(radius), V::Narrow(distance2),
            V::Narrow(distance2 - radius * radius)};
  }

  /// Bits of the circles whose nearest point lies within range_max.
  static unsigned Near(const RayScan& scan, const Discs& s) {
    const F reach = V::Set(scan.range_max) + s.radius;
    return V::Bits(s.distance2 <= reach * reach * V::Set(1.00001F));
  }

  static void CastBlock(const RayScan& scan, const RayArrays& scene, int at, int count) {
    const Discs s = Load(scan, scene, at, count);
    const unsigned keep = Near(scan, s) & ((1U << count) - 1U);
    if (keep == 0) return;
    // A gap below 1/800 of the radius, or the inside, goes to double precision: b + sqrt(...) of a
    // beam along the rim is small and float loses it. So does a circle within 10 um.
    const M close = V::Or(s.power < s.distance2 * V::Set(0.0025F), s.distance2 < V::Set(1e-10F));
    const unsigned exact = keep & V::Bits(close);

    // The circle spans the angle of its centre +- atan(R / tangent length).
    const F tangent = V::Sqrt(V::Max(s.power, V::Set(0.0F)));
    const F middle = Beams::IndexOf(scan, s.x, s.y);
    const F half = Beams::IndexOf(scan, tangent, s.radius) - V::Set(scan.beam_zero);
    typename Beams::Windows windows;
    Beams::SetWindows(scan, middle - half, middle + half, keep & ~exact, windows);
    Lanes lanes;
    Fill(s, lanes);
    for (unsigned bits = windows.keep | exact; bits != 0; bits &= bits - 1) {
      const int lane = __builtin_ctz(bits);
      if ((exact >> lane & 1U) != 0) {
        CastCircleExactly(scan, scene, at + lane, {0, scan.number - 1});
        continue;
      }
      Beams::ForEachRun(scan, windows, lane,
                        [&](BeamRange run) { Sweep(scan, scene, lanes, at, lane, run); });
    }
  }

  static void Fill(const Discs& s, Lanes& lanes) {
    const F rim = s.radius * V::Sqrt(s.distance2);
    V::Store(lanes.x, s.x);
    V::Store(lanes.y, s.y);
    V::Store(lanes.radius2, s.radius * s.radius);
    V::Store(lanes.inverse_power, V::Set(1.0F) / s.power);
    // e is known to 1.8e-7 |c|: that moves e^2 by less than 1e-6 R |c| at the rim ...
    V::Store(lanes.miss, V::Set(-1e-6F) * rim);
    // ... and r by less than 1e-5 of itself where sqrt * (b + sqrt) exceeds this.
    V::Store(lanes.sure, V::Set(0.018F) * rim);
  }

  /// The inner loop: 8 beams against one circle; beams near the rim are cast again in double.
  static void Sweep(const RayScan& scan, const RayArrays& scene, const Lanes& lanes, int at,
                    int lane, BeamRange run) {
    const F x = V::Set(lanes.x[lane]);
    const F y = V::Set(lanes.y[lane]);
    const F radius2 = V::Set(lanes.radius2[lane]);
    const F inverse_power = V::Set(lanes.inverse_power[lane]);
    const F miss = V::Set(lanes.miss[lane]);
    const F sure = V::Set(lanes.sure[lane]);
    const F zero = V::Set(0.0F);
    const I name = V::SetI(scene.circle_owner[at + lane]);
    // Local copies: a store through these pointers could alias the scan itself.
    const float* const direction_x = scan.direction_x;
    const float* const direction_y = scan.direction_y;
    float* const nearest = scan.inverse_range;
    std::int32_t* const owners = scan.owner;
    for (int k = run.first & ~(kRayLanes - 1); k <= run.last; k += kRayLanes) {
      const F dx = V::Load(direction_x + k);
      const F dy = V::Load(direction_y + k);
      const F best = V::Load(nearest + k);
      const F lateral = x * dy - y * dx;
      const F along = x * dx + y * dy;
      const F chord2 = radius2 - lateral * lateral;
      const F root = V::Sqrt(V::Max(chord2, zero));
      const F sum = along + root;
      const F inverse_range = sum * inverse_power;
      const M ahead = V::And(miss <= chord2, zero < along);
      const M certain = sure <= root * sum;
      const M hit = V::And(V::And(ahead, certain), best < inverse_range);
      V::Store(nearest + k, V::Select(hit, inverse_range, best));
      V::StoreI(owners + k, V::SelectI(hit, name, V::LoadI(owners + k)));
      const unsigned rim = V::Bits(ahead) & ~V::Bits(certain);
      if (rim != 0) CastRim(scan, scene, at + lane, k, rim);
    }
  }

  /// The lanes of `rim`, counted from beam k.
  static void CastRim(const RayScan& scan, const RayArrays& scene, int circle, int k,
                      unsigned rim) {
    for (; rim != 0; rim &= rim - 1) {
      const int beam = k + __builtin_ctz(rim);
      CastCircleExactly(scan, scene, circle, {beam, beam});
    }
  }
};

}  // namespace planarium
