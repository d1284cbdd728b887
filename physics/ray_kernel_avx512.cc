// Compiled with -mavx512f -mavx512vl -mavx512dq -mavx512bw. Only the table of kernels leaves this
// source.
#include <immintrin.h>

#include "physics/ray_kernel_circles.h"
#include "physics/ray_kernel_segments.h"

namespace planarium {
namespace {

// 8 lanes: floats in half of a register, doubles in a whole one, truth values in a mask register.
// 16 floats at a time were measured: slower by 8 %, for most segments are seen by fewer beams.
struct Avx512 {
  struct F {
    __m256 v;
  };
  struct M {
    __mmask8 v;
  };
  struct I {
    __m256i v;
  };
  struct D {
    __m512d v;
  };

  static F Set(float a) { return {_mm256_set1_ps(a)}; }
  static F Load(const float* p) { return {_mm256_loadu_ps(p)}; }
  static F LoadPart(const float* p, int count) {
    return {_mm256_maskz_loadu_ps(FirstLanes(count), p)};
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
  static F Select(M mask, F yes, F no) { return {_mm256_mask_blend_ps(mask.v, no.v, yes.v)}; }

  static M And(M a, M b) { return {static_cast<__mmask8>(a.v & b.v)}; }
  static M Or(M a, M b) { return {static_cast<__mmask8>(a.v | b.v)}; }
  static unsigned Bits(M a) { return a.v; }

  static I SetI(std::int32_t a) { return {_mm256_set1_epi32(a)}; }
  static I LoadI(const std::int32_t* p) { return {_mm256_loadu_epi32(p)}; }
  static void StoreI(std::int32_t* p, I a) { _mm256_storeu_epi32(p, a.v); }
  static I SelectI(M mask, I yes, I no) { return {_mm256_mask_blend_epi32(mask.v, no.v, yes.v)}; }
  static I Truncate(F a) { return {_mm256_cvttps_epi32(a.v)}; }
  static F ToFloat(I a) { return {_mm256_cvtepi32_ps(a.v)}; }
  static M HasBit(I a, std::int32_t bit) {
    return {_mm256_test_epi32_mask(a.v, _mm256_set1_epi32(bit))};
  }

  /// at, at + 1, ...
  static I Count(std::int32_t at) {
    return {_mm256_add_epi32(_mm256_set1_epi32(at), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7))};
  }
  /// Stores the lanes of `keep` one after another; the rest of the vector may be overwritten.
  static void Pack(float* p, F a, unsigned keep) {
    _mm256_storeu_ps(p, _mm256_maskz_compress_ps(static_cast<__mmask8>(keep), a.v));
  }
  static void PackI(std::int32_t* p, I a, unsigned keep) {
    _mm256_storeu_epi32(p, _mm256_maskz_compress_epi32(static_cast<__mmask8>(keep), a.v));
  }
  /// 1 where `mask` holds, else 0.
  static void StoreBytes(std::uint8_t* p, M mask) {
    _mm_storeu_si64(p, _mm_maskz_set1_epi8(mask.v, 1));
  }

  static D SetD(double a) { return {_mm512_set1_pd(a)}; }
  static D LoadD(const double* p, int count) {
    return {_mm512_maskz_loadu_pd(FirstLanes(count), p)};
  }
  static F Narrow(D a) { return {_mm512_cvtpd_ps(a.v)}; }

 private:
  static __mmask8 FirstLanes(int count) { return static_cast<__mmask8>((1U << count) - 1U); }
};

Avx512::F operator+(Avx512::F a, Avx512::F b) { return {_mm256_add_ps(a.v, b.v)}; }
Avx512::F operator-(Avx512::F a, Avx512::F b) { return {_mm256_sub_ps(a.v, b.v)}; }
Avx512::F operator*(Avx512::F a, Avx512::F b) { return {_mm256_mul_ps(a.v, b.v)}; }
Avx512::F operator/(Avx512::F a, Avx512::F b) { return {_mm256_div_ps(a.v, b.v)}; }
Avx512::M operator<(Avx512::F a, Avx512::F b) { return {_mm256_cmp_ps_mask(a.v, b.v, _CMP_LT_OQ)}; }
Avx512::M operator<=(Avx512::F a, Avx512::F b) {
  return {_mm256_cmp_ps_mask(a.v, b.v, _CMP_LE_OQ)};
}
Avx512::I operator+(Avx512::I a, Avx512::I b) { return {_mm256_add_epi32(a.v, b.v)}; }
Avx512::I operator-(Avx512::I a, Avx512::I b) { return {_mm256_sub_epi32(a.v, b.v)}; }
Avx512::M operator<=(Avx512::I a, Avx512::I b) { return {_mm256_cmple_epi32_mask(a.v, b.v)}; }
Avx512::D operator+(Avx512::D a, Avx512::D b) { return {_mm512_add_pd(a.v, b.v)}; }
Avx512::D operator-(Avx512::D a, Avx512::D b) { return {_mm512_sub_pd(a.v, b.v)}; }
Avx512::D operator*(Avx512::D a, Avx512::D b) { return {_mm512_mul_pd(a.v, b.v)}; }

void Cast(const RayScan& scan, const RayArrays& scene) {
  RaySegments<Avx512>::Cast(scan, scene);
  RayCircles<Avx512>::Cast(scan, scene);
}

}  // namespace

const RayKernel kAvx512RayKernel{"avx512", RayBeams<Avx512>::Begin, Cast, RayBeams<Avx512>::Finish,
                                 RayBeams<Avx512>::Gate};

}  // namespace planarium
