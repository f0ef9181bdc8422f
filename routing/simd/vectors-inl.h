// Included once per instruction set, like the files that include it.

#if defined(LADDER_ROUTING_SIMD_VECTORS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LADDER_ROUTING_SIMD_VECTORS_INL_H_
#undef LADDER_ROUTING_SIMD_VECTORS_INL_H_
#else
#define LADDER_ROUTING_SIMD_VECTORS_INL_H_
#endif

#include "hwy/highway.h"
#include "routing/simd/cost_matrix.h"

// True if vectors are 512 bits of AVX-512, whose own instructions pay off.
#undef LADDER_WIDE
#define LADDER_WIDE (HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3)

HWY_BEFORE_NAMESPACE();
namespace ladder::routing::simd::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// The widest vectors of floats; every array is padded for them.
using Floats = hn::CappedTag<float, kLanePad>;
using V = hn::Vec<Floats>;
constexpr Floats kFloats;
constexpr size_t kMaxLanes = hn::MaxLanes(kFloats);

}  // namespace ladder::routing::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per target
