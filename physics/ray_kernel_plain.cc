// Portable lanes: the same operations as the wide kernels, one lane at a time.
#include "physics/ray_kernel_circles.h"
#include "physics/ray_kernel_segments.h"

namespace planarium {
namespace {

template <typename T>
struct Eight {
  T v[kRayLanes];
};

// Applies `op` to each lane.
template <typename R, typename T, typename Op>
Eight<R> Map(const Eight<T>& a, Op op) {
  Eight<R> r;
  for (int i = 0; i < kRayLanes; ++i) r.v[i] = op(a.v[i]);
  return r;
}
template <typename R, typename T, typename Op>
Eight<R> Map(const Eight<T>& a, const Eight<T>& b, Op op) {
  Eight<R> r;
  for (int i = 0; i < kRayLanes; ++i) r.v[i] = op(a.v[i], b.v[i]);
  return r;
}
template <typename T>
Eight<T> Choose(const Eight<std::int32_t>& mask, const Eight<T>& yes, const Eight<T>& no) {
  Eight<T> r;
  for (int i = 0; i < kRayLanes; ++i) r.v[i] = mask.v[i] != 0 ? yes.v[i] : no.v[i];
  return r;
}
template <typename T>
Eight<T> LoadFirst(const T* p, int count) {
  Eight<T> r;
  for (int i = 0; i < kRayLanes; ++i) r.v[i] = i < count ? p[i] : T{};
  return r;
}

// Min, Max and comparisons treat NaN as the x86 instructions do: the second operand, and false.
struct Plain {
  using F = Eight<float>;
  using D = Eight<double>;
  using I = Eight<std::int32_t>;
  struct M {
    Eight<std::int32_t> v;  // 0 or -1
  };

  static F Set(float a) { return {{a, a, a, a, a, a, a, a}}; }
  static F Load(const float* p) { return LoadFirst(p, kRayLanes); }
  static F LoadPart(const float* p, int count) { return LoadFirst(p, count); }
  static void Store(float* p, const F& a) {
    for (int i = 0; i < kRayLanes; ++i) p[i] = a.v[i];
  }
  static F Min(const F& a, const F& b) {
    return Map<float>(a, b, [](float x, float y) { return x < y ? x : y; });
  }
  static F Max(const F& a, const F& b) {
    return Map<float>(a, b, [](float x, float y) { return x > y ? x : y; });
  }
  static F Sqrt(const F& a) {
    return Map<float>(a, [](float x) { return __builtin_sqrtf(x); });
  }
  static F Abs(const F& a) {
    return Map<float>(a, [](float x) { return __builtin_fabsf(x); });
  }
  static F CopySign(const F& size, const F& sign) {
    return Map<float>(size, sign, [](float x, float y) { return __builtin_copysignf(x, y); });
  }
  static F ApproximateReciprocal(const F& a) {
    return Map<float>(a, [](float x) { return 1.0F / x; });
  }
  static F Select(const M& mask, const F& yes, const F& no) { return Choose(mask.v, yes, no); }

  static M And(const M& a, const M& b) {
    return {Map<std::int32_t>(a.v, b.v, [](std::int32_t x, std::int32_t y) { return x & y; })};
  }
  static M Or(const M& a, const M& b) {
    return {Map<std::int32_t>(a.v, b.v, [](std::int32_t x, std::int32_t y) { return x | y; })};
  }
  static unsigned Bits(const M& a) {
    unsigned bits = 0;
    for (int i = 0; i < kRayLanes; ++i) bits |= (a.v.v[i] != 0 ? 1U : 0U) << i;
    return bits;
  }

  static I SetI(std::int32_t a) { return {{a, a, a, a, a, a, a, a}}; }
  static I LoadI(const std::int32_t* p) { return LoadFirst(p, kRayLanes); }
  static void StoreI(std::int32_t* p, const I& a) {
    for (int i = 0; i < kRayLanes; ++i) p[i] = a.v[i];
  }
  static I SelectI(const M& mask, const I& yes, const I& no) { return Choose(mask.v, yes, no); }
  static I Truncate(const F& a) {
    return Map<std::int32_t>(a, [](float x) { return TruncateOne(x); });
  }
  static F ToFloat(const I& a) {
    return Map<float>(a, [](std::int32_t x) { return static_cast<float>(x); });
  }
  static M HasBit(const I& a, std::int32_t bit) {
    return {Map<std::int32_t>(a, [bit](std::int32_t x) { return (x & bit) == bit ? -1 : 0; })};
  }

  /// at, at + 1, ...
  static I Count(std::int32_t at) {
    I r;
    for (int i = 0; i < kRayLanes; ++i) r.v[i] = at + i;
    return r;
  }
  /// Stores the lanes of `keep` one after another; the rest of the vector may be overwritten.
  static void Pack(float* p, const F& a, unsigned keep) { PackRayLanes(p, a, keep); }
  static void PackI(std::int32_t* p, const I& a, unsigned keep) { PackRayLanes(p, a, keep); }
  /// 1 where `mask` holds, else 0.
  static void StoreBytes(std::uint8_t* p, const M& mask) {
    for (int i = 0; i < kRayLanes; ++i) p[i] = mask.v.v[i] != 0 ? 1 : 0;
  }

  static D SetD(double a) { return {{a, a, a, a, a, a, a, a}}; }
  static D LoadD(const double* p, int count) { return LoadFirst(p, count); }
  static F Narrow(const D& a) {
    return Map<float>(a, [](double x) { return static_cast<float>(x); });
  }

 private:
  template <typename T>
  static void PackRayLanes(T* p, const Eight<T>& a, unsigned keep) {
    for (int i = 0; i < kRayLanes; ++i) {
      if ((keep >> i & 1U) != 0) *p++ = a.v[i];
    }
  }

  // The x86 instruction gives the smallest integer for what does not fit, NaN included.
  static std::int32_t TruncateOne(float x) {
    const bool fits = x >= -2147483648.0F && x < 2147483648.0F;
    return fits ? static_cast<std::int32_t>(x) : static_cast<std::int32_t>(-2147483647 - 1);
  }
};

template <typename T>
Eight<T> operator+(const Eight<T>& a, const Eight<T>& b) {
  return Map<T>(a, b, [](T x, T y) { return static_cast<T>(x + y); });
}
template <typename T>
Eight<T> operator-(const Eight<T>& a, const Eight<T>& b) {
  return Map<T>(a, b, [](T x, T y) { return static_cast<T>(x - y); });
}
template <typename T>
Eight<T> operator*(const Eight<T>& a, const Eight<T>& b) {
  return Map<T>(a, b, [](T x, T y) { return x * y; });
}
template <typename T>
Eight<T> operator/(const Eight<T>& a, const Eight<T>& b) {
  return Map<T>(a, b, [](T x, T y) { return x / y; });
}
template <typename T>
Plain::M operator<(const Eight<T>& a, const Eight<T>& b) {
  return {Map<std::int32_t>(a, b, [](T x, T y) { return x < y ? -1 : 0; })};
}
template <typename T>
Plain::M operator<=(const Eight<T>& a, const Eight<T>& b) {
  return {Map<std::int32_t>(a, b, [](T x, T y) { return x <= y ? -1 : 0; })};
}

void Cast(const RayScan& scan, const RayArrays& scene) {
  RaySegments<Plain>::Cast(scan, scene);
  RayCircles<Plain>::Cast(scan, scene);
}

}  // namespace

const RayKernel kPlainRayKernel{"plain", RayBeams<Plain>::Begin, Cast, RayBeams<Plain>::Finish,
                                RayBeams<Plain>::Gate};

}  // namespace planarium
