#include "routing/simd/potentials.h"

#include <cstddef>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "routing/simd/potentials.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "routing/simd/vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace ladder::routing::simd::HWY_NAMESPACE {

// log2 of positive, normal floats, split so that neither part loses digits:
// an integer and the logarithm of a mantissa in [1/sqrt 2, sqrt 2), the latter
// by the series of atanh.
struct Log2Parts {
  V integer;
  V fraction;
};

HWY_INLINE Log2Parts SplitLog2(V x) {
  const hn::RebindToSigned<Floats> ints;
  const auto bits = hn::BitCast(ints, x);
  const auto exponent = hn::ShiftRight<23>(
      hn::Sub(bits, hn::Set(ints, 0x3f3504f3)));  // The bits of 1/sqrt 2.
  const V mantissa =
      hn::BitCast(kFloats, hn::Sub(bits, hn::ShiftLeft<23>(exponent)));
  const V one = hn::Set(kFloats, 1.0f);
  const V s = hn::Div(hn::Sub(mantissa, one), hn::Add(mantissa, one));
  const V s2 = hn::Mul(s, s);
  constexpr double kTwoLog2E = 2.8853900817779268;
  V series = hn::Set(kFloats, float(kTwoLog2E / 9));
  series = hn::MulAdd(series, s2, hn::Set(kFloats, float(kTwoLog2E / 7)));
  series = hn::MulAdd(series, s2, hn::Set(kFloats, float(kTwoLog2E / 5)));
  series = hn::MulAdd(series, s2, hn::Set(kFloats, float(kTwoLog2E / 3)));
  series = hn::MulAdd(series, s2, hn::Set(kFloats, float(kTwoLog2E)));
  return {hn::ConvertTo(kFloats, exponent), hn::Mul(series, s)};
}

bool SumsInRange(const float* HWY_RESTRICT sums, size_t count) {
  const size_t lanes = hn::Lanes(kFloats);
  const V smallest = hn::Set(kFloats, 1e-30f);
  const V largest = hn::Set(kFloats, 1e30f);
  for (size_t i = 0; i < count; i += lanes) {
    const V sum = hn::Load(kFloats, sums + i);
    const auto in_range =
        hn::And(hn::Ge(sum, smallest), hn::Le(sum, largest));  // False for NaN.
    const auto counts = hn::FirstN(kFloats, count - i);
    if (!hn::AllFalse(kFloats, hn::AndNot(in_range, counts))) return false;
  }
  return true;
}

// Updates the potentials of half a vector of points, in double precision.
template <class Doubles, class Half>
HWY_INLINE void UpdateHalf(const Doubles doubles, const PotentialUpdate& update,
                           Half log2_integer, Half log2_fraction,
                           double* HWY_RESTRICT potentials,
                           float* HWY_RESTRICT exponents) {
  const hn::Rebind<float, Doubles> floats;
  const double keep = update.average ? 0.5 : 0.0;
  const auto take = hn::Set(doubles, (1 - keep) / update.scale);
  const auto log2_mean = hn::Add(hn::Sub(hn::PromoteTo(doubles, log2_integer),
                                         hn::Set(doubles, update.log2_count)),
                                 hn::PromoteTo(doubles, log2_fraction));
  const auto exponent = hn::PromoteTo(doubles, hn::Load(floats, exponents));
  const auto kept =
      hn::Mul(hn::Set(doubles, keep), hn::Load(doubles, potentials));
  const auto potential = hn::MulAdd(take, hn::Sub(exponent, log2_mean), kept);
  hn::Store(potential, doubles, potentials);
  hn::Store(hn::DemoteTo(floats, hn::Mul(potential,
                                         hn::Set(doubles, update.next_scale))),
            floats, exponents);
}

void UpdatePotentials(const PotentialUpdate& update,
                      const float* HWY_RESTRICT sums, size_t count,
                      double* HWY_RESTRICT potentials,
                      float* HWY_RESTRICT exponents) {
  const size_t lanes = hn::Lanes(kFloats);
  for (size_t i = 0; i < count; i += lanes) {
    const Log2Parts log2 = SplitLog2(hn::Load(kFloats, sums + i));
#if HWY_TARGET == HWY_SCALAR
    UpdateHalf(hn::CappedTag<double, 1>(), update, log2.integer, log2.fraction,
               potentials + i, exponents + i);
#else
    const hn::RepartitionToWide<Floats> doubles;
    const hn::Half<Floats> half;
    UpdateHalf(doubles, update, hn::LowerHalf(half, log2.integer),
               hn::LowerHalf(half, log2.fraction), potentials + i,
               exponents + i);
    UpdateHalf(doubles, update, hn::UpperHalf(half, log2.integer),
               hn::UpperHalf(half, log2.fraction), potentials + i + lanes / 2,
               exponents + i + lanes / 2);
#endif
  }
}

}  // namespace ladder::routing::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ladder::routing::simd {

HWY_EXPORT(SumsInRange);
HWY_EXPORT(UpdatePotentials);

bool SumsInRange(const float* sums, size_t count) {
  return HWY_DYNAMIC_DISPATCH(SumsInRange)(sums, count);
}

void UpdatePotentials(const PotentialUpdate& update, const float* sums,
                      size_t count, double* potentials, float* exponents) {
  HWY_DYNAMIC_DISPATCH(UpdatePotentials)
  (update, sums, count, potentials, exponents);
}

}  // namespace ladder::routing::simd
#endif  // HWY_ONCE
