// Compiled with -mavx2. Only the table of kernels leaves this source.
#include <immintrin.h>

#include "physics/ray_kernel_circles.h"
#include "physics/ray_kernel_segments.h"

namespace planarium {
namespace {

// Row `keep`: the positions of its set bits, in order.
struct KeptTable {
  std::uint8_t lanes[256][kRayLanes] = {};

  constexpr KeptTable() {
    for (int keep = 0; keep < 256; ++keep) {
      int at = 0;
      for (int lane = 0; lane < kRayLanes; ++lane) {
        if ((keep >> lane & 1) != 0) lanes[keep][at++] = static_cast<std::uint8_t>(lane);
      }
    }
  }
};
constexpr KeptTable kKept;

// 8 lanes in AVX2 registers; a D is two of them.
struct Avx2 {
  struct F {
    __m256 v;
  };
  struct M {
    __m256 v;
  };
  struct I {
    __m256i v;
  };
  struct D {
    __m256d low, high;
  };

  static F Set(float a) { return {_mm256_set1_ps(a)}; }
  static F Load(const float* p) { return {_mm256_loadu_ps(p)}; }
  static F LoadPart(const float* p, int count) {
    return {_mm256_maskload_ps(p, FirstLanes(count))};
  }
  static void Store(float* p, F a) { _mm256_storeu_ps(p, a.v); }
  static F Min(F a, F b) { return {_mm256_min_ps(a.v, b.v)}; }
  static F Max(F a, F b) { return {_mm256_max_ps(a.v, b.v)}; }
  static F Sqrt(F a) { return {_mm256_sqrt_ps(a.v)}; }
  static F Abs(F a) { return {_mm256_andnot_ps(_mm256_set1_ps(-0.0F), a.v)}; }
  static F CopySign(F size, F sign) {
    const __m256 bit = _mm256_set1_ps(-0.0F);
    return {_mm256_or_ps(_mm256_andnot_ps(bit, size.v), _mm256_and_ps(bit, sign.v))};
  }
  static F ApproximateReciprocal(F a) { return {_mm256_rcp_ps(a.v)}; }
  static F Select(M mask, F yes, F no) { return {_mm256_blendv_ps(no.v, yes.v, mask.v)}; }

  static M And(M a, M b) { return {_mm256_and_ps(a.v, b.v)}; }
  static M Or(M a, M b) { return {_mm256_or_ps(a.v, b.v)}; }
  static unsigned Bits(M a) { return static_cast<unsigned>(_mm256_movemask_ps(a.v)); }

  static I SetI(std::int32_t a) { return {_mm256_set1_epi32(a)}; }
  static I LoadI(const std::int32_t* p) {
    return {_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p))};
  }
  static void StoreI(std::int32_t* p, I a) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), a.v);
  }
  static I SelectI(M mask, I yes, I no) {
    return {_mm256_blendv_epi8(no.v, yes.v, _mm256_castps_si256(mask.v))};
  }
  static I Truncate(F a) { return {_mm256_cvttps_epi32(a.v)}; }
  static F ToFloat(I a) { return {_mm256_cvtepi32_ps(a.v)}; }
  static M HasBit(I a, std::int32_t bit) {
    const __m256i mask = _mm256_set1_epi32(bit);
    return {_mm256_castsi256_ps(_mm256_cmpeq_epi32(_mm256_and_si256(a.v, mask), mask))};
  }

  /// at, at + 1, ...
  static I Count(std::int32_t at) {
    return {_mm256_add_epi32(_mm256_set1_epi32(at), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7))};
  }
  /// Stores the lanes of `keep` one after another; the rest of the vector may be overwritten.
  static void Pack(float* p, F a, unsigned keep) {
    _mm256_storeu_ps(p, _mm256_permutevar8x32_ps(a.v, KeptLanes(keep)));
  }
  static void PackI(std::int32_t* p, I a, unsigned keep) {
    StoreI(p, {_mm256_permutevar8x32_epi32(a.v, KeptLanes(keep))});
  }
  /// 1 where `mask` holds, else 0.
  static void StoreBytes(std::uint8_t* p, M mask) {
    const __m256i ones = _mm256_srli_epi32(_mm256_castps_si256(mask.v), 31);
    const __m128i words =
        _mm_packs_epi32(_mm256_castsi256_si128(ones), _mm256_extracti128_si256(ones, 1));
    _mm_storeu_si64(p, _mm_packs_epi16(words, words));
  }

  static D SetD(double a) { return {_mm256_set1_pd(a), _mm256_set1_pd(a)}; }
  static D LoadD(const double* p, int count) {
    if (count == kRayLanes) return {_mm256_loadu_pd(p), _mm256_loadu_pd(p + 4)};
    const __m256i lanes = FirstLanes(count);
    const __m256i low = _mm256_cvtepi32_epi64(_mm256_castsi256_si128(lanes));
    const __m256i high = _mm256_cvtepi32_epi64(_mm256_extracti128_si256(lanes, 1));
    return {_mm256_maskload_pd(p, low), _mm256_maskload_pd(p + 4, high)};
  }
  static F Narrow(D a) {
    return {_mm256_set_m128(_mm256_cvtpd_ps(a.high), _mm256_cvtpd_ps(a.low))};
  }

 private:
  // Positions of the set bits of `keep`, in order.
  static __m256i KeptLanes(unsigned keep) {
    const auto* row = reinterpret_cast<const __m128i*>(kKept.lanes[keep]);
    return _mm256_cvtepu8_epi32(_mm_loadu_si64(row));
  }
  static __m256i FirstLanes(int count) {
    const __m256i index = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    return _mm256_cmpgt_epi32(_mm256_set1_epi32(count), index);
  }
};

Avx2::F operator+(Avx2::F a, Avx2::F b) { return {_mm256_add_ps(a.v, b.v)}; }
Avx2::F operator-(Avx2::F a, Avx2::F b) { return {_mm256_sub_ps(a.v, b.v)}; }
Avx2::F operator*(Avx2::F a, Avx2::F b) { return {_mm256_mul_ps(a.v, b.v)}; }
Avx2::F operator/(Avx2::F a, Avx2::F b) { return {_mm256_div_ps(a.v, b.v)}; }
Avx2::M operator<(Avx2::F a, Avx2::F b) { return {_mm256_cmp_ps(a.v, b.v, _CMP_LT_OQ)}; }
Avx2::M operator<=(Avx2::F a, Avx2::F b) { return {_mm256_cmp_ps(a.v, b.v, _CMP_LE_OQ)}; }
Avx2::I operator+(Avx2::I a, Avx2::I b) { return {_mm256_add_epi32(a.v, b.v)}; }
Avx2::I operator-(Avx2::I a, Avx2::I b) { return {_mm256_sub_epi32(a.v, b.v)}; }
Avx2::M operator<=(Avx2::I a, Avx2::I b) {
  const __m256i greater = _mm256_cmpgt_epi32(a.v, b.v);
  return {_mm256_castsi256_ps(_mm256_xor_si256(greater, _mm256_set1_epi32(-1)))};
}
Avx2::D operator+(Avx2::D a, Avx2::D b) {
  return {_mm256_add_pd(a.low, b.low), _mm256_add_pd(a.high, b.high)};
}
Avx2::D operator-(Avx2::D a, Avx2::D b) {
  return {_mm256_sub_pd(a.low, b.low), _mm256_sub_pd(a.high, b.high)};
}
Avx2::D operator*(Avx2::D a, Avx2::D b) {
  return {_mm256_mul_pd(a.low, b.low), _mm256_mul_pd(a.high, b.high)};
}

void Cast(const RayScan& scan, const RayArrays& scene) {
  RaySegments<Avx2>::Cast(scan, scene);
  RayCircles<Avx2>::Cast(scan, scene);
}

}  // namespace

const RayKernel kAvx2RayKernel{"avx2", RayBeams<Avx2>::Begin, Cast, RayBeams<Avx2>::Finish,
                               RayBeams<Avx2>::Gate};

}  // namespace planarium
