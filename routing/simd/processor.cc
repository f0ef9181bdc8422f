#include "routing/simd/processor.h"

#include "hwy/targets.h"

#if HWY_ARCH_X86
#include <immintrin.h>
#endif

namespace ladder::routing::simd {

const char* TargetName() {
  const int64_t best = hwy::SupportedTargets() & HWY_TARGETS;
  return hwy::TargetName(best & -best);
}

#if HWY_ARCH_X86
ScopedFlushDenormals::ScopedFlushDenormals() : saved_(_mm_getcsr()) {
  constexpr unsigned int kFlushToZero = 0x8000;
  constexpr unsigned int kDenormalsAreZero = 0x0040;
  _mm_setcsr(saved_ | kFlushToZero | kDenormalsAreZero);
}
ScopedFlushDenormals::~ScopedFlushDenormals() { _mm_setcsr(saved_); }
#else  // Elsewhere denormals are rare in time and cheap in place.
ScopedFlushDenormals::ScopedFlushDenormals() : saved_(0) {}
ScopedFlushDenormals::~ScopedFlushDenormals() = default;
#endif

}  // namespace ladder::routing::simd
