#include "routing/simd/kernel_sums.h"

#include <algorithm>
#include <cstddef>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "routing/simd/kernel_sums.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "routing/simd/vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace ladder::routing::simd::HWY_NAMESPACE {

// 2^t as a product of two factors, so that callers accumulate it by fused
// multiply-adds. Every t has a product that callers can trust: t below -126
// gives 0 or less than 2^-126, t from 128 on gives infinity, and so may t that
// rounds up to it; what is not a number stays so.
struct Factors {
  V scale;
  V mantissa;
};

#if LADDER_WIDE

// Splits t into a multiple of 1/32 and a rest in [0, 1/32). A permutation looks
// up 2^(k/32) among 32 registers' lanes, scalef applies the integer part and a
// short polynomial the rest: ten instructions with the two additions of the
// caller, against fourteen without a table.
class Exp2 {
 public:
  HWY_INLINE Exp2()
      : low_(_mm512_load_ps(kPowers)),
        high_(_mm512_load_ps(kPowers + 16)),
        magic_(_mm512_set1_ps(0x1.8p23f / 32)) {}

  HWY_INLINE Factors operator()(V t) const {
    // Both round towards minus infinity, as scalef does, so that all three
    // agree on what the integer part is.
    const __m512 rest = _mm512_reduce_ps(t.raw, (5 << 4) | 1);
    const __m512 shifted = _mm512_add_round_ps(
        t.raw, magic_, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC);
    const __m512 power =
        _mm512_permutex2var_ps(low_, _mm512_castps_si512(shifted), high_);
    const __m512 polynomial =
        _mm512_fmadd_ps(_mm512_fmadd_ps(_mm512_set1_ps(0.242652711f), rest,
                                        _mm512_set1_ps(0.693123731f)),
                        rest, _mm512_set1_ps(1.0f));
    return {V{_mm512_scalef_ps(power, t.raw)}, V{polynomial}};
  }

 private:
  HWY_ALIGN static constexpr float kPowers[32] = {
      1.0f,        1.02189715f, 1.04427378f, 1.06714040f, 1.09050773f,
      1.11438674f, 1.13878863f, 1.16372486f, 1.18920712f, 1.21524736f,
      1.24185781f, 1.26905096f, 1.29683955f, 1.32523664f, 1.35425555f,
      1.38390988f, 1.41421356f, 1.44518081f, 1.47682615f, 1.50916443f,
      1.54221083f, 1.57598085f, 1.61049033f, 1.64575548f, 1.68179283f,
      1.71861930f, 1.75625216f, 1.79470907f, 1.83400809f, 1.87416763f,
      1.91520656f, 1.95714412f};
  __m512 low_;
  __m512 high_;
  __m512 magic_;  // Adding it leaves floor(32 t) in the low bits.
};
constexpr size_t kKernelRows = 4;

#else

// The exponent's bits end here: those of -127 make a zero, those of 128 an
// infinity, and one step further they would wrap around unnoticed.
constexpr float kLeastExponent = -127;
constexpr float kLargestExponent = 128;

#if HWY_TARGET == HWY_AVX2

// The same in steps of 1/8, which fill a narrow register, and with a cubic.
// Here the integer part is added to the exponent's bits; the table is
// compensated for the three bits of the eighth that come along.
class Exp2 {
 public:
  HWY_INLINE Exp2() : powers_(_mm256_load_ps(kPowers)) {
    const __m256i eighths = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    powers_ = _mm256_castsi256_ps(_mm256_sub_epi32(
        _mm256_castps_si256(powers_), _mm256_slli_epi32(eighths, kShift)));
  }

  HWY_INLINE Factors operator()(V t) const {
    // A NaN passes: if either operand is one, these return the second.
    const V clamped = hn::Min(hn::Set(kFloats, kLargestExponent),
                              hn::Max(hn::Set(kFloats, kLeastExponent), t));
    const V magic = hn::Set(kFloats, 0x1.8p23f / 8);
    const V shifted = hn::Add(clamped, magic);
    const V rest = hn::Sub(clamped, hn::Sub(shifted, magic));
    V polynomial = hn::Set(kFloats, kCubic[0]);
    for (size_t i = 1; i < 4; ++i) {
      polynomial = hn::MulAdd(polynomial, rest, hn::Set(kFloats, kCubic[i]));
    }
    const __m256i bits = _mm256_castps_si256(shifted.raw);
    const __m256 power = _mm256_permutevar8x32_ps(powers_, bits);
    const __m256i scale = _mm256_add_epi32(_mm256_castps_si256(power),
                                           _mm256_slli_epi32(bits, kShift));
    return {V{_mm256_castsi256_ps(scale)}, polynomial};
  }

 private:
  static constexpr int kShift = 20;  // 23 bits of mantissa less 3 of eighths.
  HWY_ALIGN static constexpr float kPowers[8] = {
      1.0f,        1.09050773f, 1.18920712f, 1.29683955f,
      1.41421356f, 1.54221083f, 1.68179283f, 1.83400809f};
  static constexpr float kCubic[4] = {0.055496222f, 0.24025763f, 0.693147214f,
                                      1.0f};

  __m256 powers_;
};
constexpr size_t kKernelRows = 4;

#else

// Rounds t to the nearest integer, which becomes the exponent's bits; a
// polynomial does the rest in [-1/2, 1/2].
class Exp2 {
 public:
  HWY_INLINE Factors operator()(V t) const {
    const hn::RebindToSigned<Floats> ints;
    // A NaN passes, on every target: it compares as neither.
    const V least = hn::Set(kFloats, kLeastExponent);
    const V largest = hn::Set(kFloats, kLargestExponent);
    const V clamped =
        hn::IfThenElse(hn::Lt(t, least), least,
                       hn::IfThenElse(hn::Gt(t, largest), largest, t));
    // Adding it leaves the exponent's bits of 2^t in the low ones.
    const V magic = hn::Set(kFloats, 0x1.8p23f + 127);
    const V shifted = hn::Add(clamped, magic);
    const V rest = hn::Sub(clamped, hn::Sub(shifted, magic));
    V polynomial = hn::Set(kFloats, 1.32647284e-3f);
    for (const float coefficient :
         {9.67151305e-3f, 5.55073374e-2f, 0.240222421f, 0.693146978f, 1.0f}) {
      polynomial = hn::MulAdd(polynomial, rest, hn::Set(kFloats, coefficient));
    }
    const auto exponent = hn::ShiftLeft<23>(hn::BitCast(ints, shifted));
    return {hn::BitCast(kFloats, exponent), polynomial};
  }
};
constexpr size_t kKernelRows = 2;

#endif  // HWY_AVX2
#endif  // LADDER_WIDE

// One block of kKernelRows rows against all columns from `first_col` on.
HWY_INLINE void KernelBlock(const CostMatrix& costs, size_t row,
                            size_t first_col, const Exp2& exp2,
                            const float* HWY_RESTRICT row_exponent,
                            const float* HWY_RESTRICT col_exponent, V scale,
                            float* HWY_RESTRICT row_sums,
                            float* HWY_RESTRICT col_sums) {
  const size_t lanes = hn::Lanes(kFloats);
  const float* HWY_RESTRICT cost = costs.data + row * costs.stride;
  const size_t stride = costs.stride;
  const size_t end = RoundUp(costs.cols, lanes);
  V exponent[kKernelRows];
  V sum[kKernelRows];
  HWY_UNROLL(kKernelRows)
  for (size_t r = 0; r < kKernelRows; ++r) {
    exponent[r] = hn::Set(kFloats, row_exponent[row + r]);
    sum[r] = hn::Zero(kFloats);
  }
  for (size_t j = first_col; j < end; j += lanes) {
    const V col = hn::Load(kFloats, col_exponent + j);
    V col_sum = hn::Load(kFloats, col_sums + j);
    HWY_UNROLL(kKernelRows)
    for (size_t r = 0; r < kKernelRows; ++r) {
      const V c = hn::Load(kFloats, cost + r * stride + j);
      const V t = hn::Add(hn::NegMulAdd(c, scale, col), exponent[r]);
      const Factors k = exp2(t);
      sum[r] = hn::MulAdd(k.scale, k.mantissa, sum[r]);
      col_sum = hn::MulAdd(k.scale, k.mantissa, col_sum);
    }
    hn::Store(col_sum, kFloats, col_sums + j);
  }
  HWY_UNROLL(kKernelRows)
  for (size_t r = 0; r < kKernelRows; ++r) {
    row_sums[row + r] = hn::GetLane(hn::SumOfLanes(kFloats, sum[r]));
  }
}

void KernelSums(const CostMatrix& costs, const float* row_exponent,
                const float* col_exponent, float scale, Sweep sweep,
                float* row_sums, float* col_sums) {
  const Exp2 exp2;
  const V scales = hn::Set(kFloats, scale);
  const size_t num_rows = RoundUp(costs.rows, kKernelRows);
  std::fill_n(col_sums, costs.stride, 0.0f);
  for (size_t done = 0; done < num_rows; done += kKernelRows) {
    const size_t row =
        sweep == Sweep::kDown ? done : num_rows - kKernelRows - done;
    const size_t first_col = costs.upper_only ? row / kLanePad * kLanePad : 0;
    KernelBlock(costs, row, first_col, exp2, row_exponent, col_exponent, scales,
                row_sums, col_sums);
  }
}

void AddMirrorAndDiagonal(const float* HWY_RESTRICT exponents,
                          const float* HWY_RESTRICT col_sums, float scale,
                          size_t count, float* HWY_RESTRICT row_sums) {
  const size_t lanes = hn::Lanes(kFloats);
  const Exp2 exp2;
  const V diagonal =
      hn::Set(kFloats, scale * static_cast<float>(kSmallestCost));
  for (size_t i = 0; i < count; i += lanes) {
    const V exponent = hn::Load(kFloats, exponents + i);
    const Factors k = exp2(hn::Sub(hn::Add(exponent, exponent), diagonal));
    const V mirrored = hn::Add(hn::Load(kFloats, row_sums + i),
                               hn::Load(kFloats, col_sums + i));
    hn::Store(hn::MulAdd(k.scale, k.mantissa, mirrored), kFloats, row_sums + i);
  }
}

}  // namespace ladder::routing::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ladder::routing::simd {

HWY_EXPORT(KernelSums);
HWY_EXPORT(AddMirrorAndDiagonal);

void KernelSums(const CostMatrix& costs, const float* row_exponent,
                const float* col_exponent, float scale, Sweep sweep,
                float* row_sums, float* col_sums) {
  HWY_DYNAMIC_DISPATCH(KernelSums)
  (costs, row_exponent, col_exponent, scale, sweep, row_sums, col_sums);
}

void AddMirrorAndDiagonal(const float* exponents, const float* col_sums,
                          float scale, size_t count, float* row_sums) {
  HWY_DYNAMIC_DISPATCH(AddMirrorAndDiagonal)
  (exponents, col_sums, scale, count, row_sums);
}

}  // namespace ladder::routing::simd
#endif  // HWY_ONCE
