#pragma once

#include "physics/ray_kernel.h"

namespace planarium {

/// Beams of the sector kernel over vectors `V` of 8 lanes: directions, candidate intervals,
/// results. Every instruction set runs the same operations in the same order, none of them fused,
/// so all give the same bits. `V` lives in an unnamed namespace of its source, so no instantiation
/// is shared between sources that are compiled for different CPUs.
template <typename V>
struct RayBeams {
  using F = typename V::F;  // 8 floats
  using I = typename V::I;  // 8 integers
  using M = typename V::M;  // 8 truth values

  /// Candidate beams of 8 primitives, one bit or element each.
  struct Windows {
    unsigned keep = 0;   ///< some beam is a candidate
    unsigned wraps = 0;  ///< some beam may be a candidate one turn away
    alignas(32) float low[kRayLanes];
    alignas(32) float high[kRayLanes];
    alignas(32) std::int32_t first[kRayLanes];
    alignas(32) std::int32_t last[kRayLanes];
  };

  /// Directions of a jittered scan, then empty accumulators.
  static void Begin(RayScan& scan) {
    if (scan.jitter != nullptr) Jitter(scan);
    // A hit at range_max counts (closed end): the start lies 4 float roundings further out.
    const F start = V::Set((1.0F / scan.range_max) * (1.0F - 5e-7F));
    const I nobody = V::SetI(-1);
    const int number = scan.number;
    float* const nearest = scan.inverse_range;
    std::int32_t* const owner = scan.owner;
    for (int k = 0; k < number + kRayLanes; k += kRayLanes) {
      V::Store(nearest + k, start);
      V::StoreI(owner + k, nobody);
    }
  }

  /// Turns the accumulators into distances, or into readings where the scan asks for validity.
  static void Finish(const RayScan& scan) {
    if (scan.readings.valid != nullptr) return FinishGated(scan);
    const F one = V::Set(1.0F);
    const F range_max = V::Set(scan.range_max);
    const int number = scan.number;
    float* const nearest = scan.inverse_range;
    const std::int32_t* const owner = scan.owner;
    float* const range_out = scan.readings.range;
    std::int32_t* const owner_out = scan.readings.owner;
    int k = 0;
    for (; k + kRayLanes <= number; k += kRayLanes) {
      V::Store(range_out + k, V::Min(one / V::Load(nearest + k), range_max));
      V::StoreI(owner_out + k, V::LoadI(owner + k));
    }
    // The results end with the last beam; the tables are padded.
    if (k == number) return;
    V::Store(nearest + k, V::Min(one / V::Load(nearest + k), range_max));
    for (; k < number; ++k) {
      range_out[k] = nearest[k];
      owner_out[k] = owner[k];
    }
  }

  /// Validity and limits of all readings.
  static void Gate(const RayReadings& readings) {
    const Limits limits(readings);
    float* const range = readings.range;
    const int number = readings.number;
    int k = 0;
    for (; k + kRayLanes <= number; k += kRayLanes) {
      const F r = V::Load(range + k);
      V::StoreBytes(readings.valid + k, limits.Valid(r, V::LoadI(readings.owner + k)));
      V::Store(range + k, limits.Clamp(r));
    }
    for (; k < number; ++k) GateOne(readings, k);
  }

  /// Approximate beam index of the direction (x, y): its angle within 1e-3 rad, scaled. The
  /// reciprocal may differ between CPUs; as only candidates depend on it, results do not.
  static F IndexOf(const RayScan& scan, F x, F y) {
    const F ax = V::Abs(x);
    const F ay = V::Abs(y);
    // Minimax polynomial of atan on [0, 1] with three terms, error 6e-4 rad.
    const F a = V::Min(ax, ay) * V::ApproximateReciprocal(V::Max(ax, ay));
    const F s = a * a;
    F angle = a * (V::Set(0.9953545F) + s * (V::Set(-0.2887679F) + s * V::Set(0.0793387F)));
    angle = V::Select(ax < ay, V::Set(1.5707963F) - angle, angle);
    angle = V::Select(x < V::Set(0.0F), V::Set(3.1415927F) - angle, angle);
    angle = V::CopySign(angle, y);
    return angle * V::Set(scan.beams_per_radian) + V::Set(scan.beam_zero);
  }

  /// Windows of the intervals [low, high] (low <= high, in beams) of the lanes in `keep`.
  static void SetWindows(const RayScan& scan, F low, F high, unsigned keep, Windows& windows) {
    const F slack = V::Set(scan.slack);
    const F end = V::Set(static_cast<float>(scan.number));
    const F one = V::Set(1.0F);
    low = low - slack;
    high = high + slack;
    // Clamped to [-1, number] and shifted by one, truncation is the floor.
    const F none = V::Set(-1.0F);
    const I first = V::Truncate(V::Min(V::Max(low, none), end) + one);
    const I last = V::Truncate(V::Min(V::Max(high, none), end - one) + one) - V::SetI(1);
    const F period = V::Set(scan.period);
    const M turn = V::Or(period <= high, low <= end - one - period);
    windows.wraps = keep & V::Bits(turn);
    windows.keep = keep & (V::Bits(first <= last) | windows.wraps);
    V::Store(windows.low, low);
    V::Store(windows.high, high);
    V::StoreI(windows.first, first);
    V::StoreI(windows.last, last);
  }

  /// Calls visit(BeamRange) for each run of candidate beams of one lane.
  template <typename Visit>
  static void ForEachRun(const RayScan& scan, const Windows& windows, int lane, Visit visit) {
    visit(BeamRange{windows.first[lane], windows.last[lane]});
    if ((windows.wraps >> lane & 1U) == 0) return;
    // The same interval one turn down and one turn up, cut to the beams that exist.
    const float end = static_cast<float>(scan.number - 1);
    const float below = windows.high[lane] - scan.period;
    const float above = windows.low[lane] + scan.period;
    if (below >= 0.0F) {
      visit(BeamRange{0, below < end ? static_cast<int>(below) : scan.number - 1});
    }
    if (above <= end) visit(BeamRange{above > 0.0F ? static_cast<int>(above) : 0, scan.number - 1});
  }

 private:
  /// Readings lie within [low, high]; a reading is valid when it is a hit that lay there already.
  struct Limits {
    F low, high;  // [m]
    I someone;

    explicit Limits(const RayReadings& readings)
        : low(V::Set(readings.range_min)), high(V::Set(readings.range_max)), someone(V::SetI(0)) {}
    M Valid(F r, I owner) const { return V::And(V::And(low <= r, r <= high), someone <= owner); }
    F Clamp(F r) const { return V::Min(high, V::Max(low, r)); }
  };

  static void GateOne(const RayReadings& readings, int k) {
    const float r = readings.range[k];
    const bool measured = readings.range_min <= r && r <= readings.range_max;
    readings.valid[k] = measured && readings.owner[k] >= 0 ? 1 : 0;
    const float floor = readings.range_min > r ? readings.range_min : r;
    readings.range[k] = readings.range_max < floor ? readings.range_max : floor;
  }

  /// Finish and Gate in one pass.
  static void FinishGated(const RayScan& scan) {
    const RayReadings readings = scan.readings;  // a copy: the stores could alias the scan
    const Limits limits(readings);
    const F one = V::Set(1.0F);
    const F range_max = V::Set(scan.range_max);
    const int number = scan.number;
    float* const nearest = scan.inverse_range;
    const std::int32_t* const owner = scan.owner;
    int k = 0;
    for (; k + kRayLanes <= number; k += kRayLanes) {
      const F r = V::Min(one / V::Load(nearest + k), range_max);
      const I who = V::LoadI(owner + k);
      V::StoreI(readings.owner + k, who);
      V::StoreBytes(readings.valid + k, limits.Valid(r, who));
      V::Store(readings.range + k, limits.Clamp(r));
    }
    if (k == number) return;
    V::Store(nearest + k, V::Min(one / V::Load(nearest + k), range_max));
    for (; k < number; ++k) {
      readings.range[k] = nearest[k];
      readings.owner[k] = owner[k];
      GateOne(readings, k);
    }
  }

  /// Turns each direction by its jitter and widens all intervals by the largest one.
  static void Jitter(RayScan& scan) {
    F largest = V::Set(0.0F);
    for (int k = 0; k < scan.number; k += kRayLanes) {
      const int left = scan.number - k;
      const F jitter =
          left >= kRayLanes ? V::Load(scan.jitter + k) : V::LoadPart(scan.jitter + k, left);
      F sin;
      F cos;
      SinCos(jitter, sin, cos);
      const F x = V::Load(scan.direction_x + k);
      const F y = V::Load(scan.direction_y + k);
      V::Store(scan.jittered_x + k, x * cos - y * sin);
      V::Store(scan.jittered_y + k, x * sin + y * cos);
      largest = V::Max(V::Abs(jitter), largest);
    }
    alignas(32) float lanes[kRayLanes];
    V::Store(lanes, largest);
    float widest = 0.0F;
    for (const float lane : lanes) widest = lane > widest ? lane : widest;
    scan.slack += widest * scan.beams_per_radian;
    scan.direction_x = scan.jittered_x;
    scan.direction_y = scan.jittered_y;
  }

  /// Sine and cosine within 1.2e-7 for |angle| <= 1000 rad (Cephes single precision, S. Moshier).
  static void SinCos(F angle, F& sin, F& cos) {
    // Quadrant q and rest f in [-pi/4, pi/4]; pi/2 in three parts keeps the rest exact.
    const F turns = angle * V::Set(0.636619772F);
    const I q = V::Truncate(turns + V::CopySign(V::Set(0.5F), turns));
    const F n = V::ToFloat(q);
    F f = angle - n * V::Set(1.5703125F);
    f = f - n * V::Set(4.837512969970703125e-4F);
    f = f - n * V::Set(7.549789948768648e-8F);
    const F s = f * f;
    const F sine = f + f * s *
                           (V::Set(-1.6666654611e-1F) +
                            s * (V::Set(8.3321608736e-3F) + s * V::Set(-1.9515295891e-4F)));
    const F cosine = V::Set(1.0F) - s * V::Set(0.5F) +
                     s * s *
                         (V::Set(4.166664568298827e-2F) +
                          s * (V::Set(-1.388731625493765e-3F) + s * V::Set(2.443315711809948e-5F)));
    // Odd quadrants swap the two; the sign follows the quadrant.
    const M odd = V::HasBit(q, 1);
    const F a = V::Select(odd, cosine, sine);
    const F b = V::Select(odd, sine, cosine);
    sin = V::Select(V::HasBit(q, 2), V::Set(0.0F) - a, a);
    cos = V::Select(V::HasBit(q + V::SetI(1), 2), V::Set(0.0F) - b, b);
  }
};

}  // namespace planarium
