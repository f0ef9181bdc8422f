// Loaded before a program by LD_PRELOAD: it then runs our kernels as on a
// machine without AVX-512. Libraries that ask the processor themselves are not
// affected.

#include "hwy/targets.h"

namespace {

[[gnu::constructor]] void MaskAvx512() {
  // Highway numbers better instruction sets lower.
  hwy::DisableTargets(HWY_AVX2 - 1);
}

}  // namespace
