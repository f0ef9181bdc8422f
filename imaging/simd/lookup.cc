#include "imaging/simd/lookup.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "imaging/simd/lookup.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace ladder::imaging::simd::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

void LookUpPlanes(const uint8_t* HWY_RESTRICT pixels, size_t num_pixels,
                  const float* const tables[3], float* HWY_RESTRICT planes) {
  const float* HWY_RESTRICT red_table = tables[0];
  const float* HWY_RESTRICT green_table = tables[1];
  const float* HWY_RESTRICT blue_table = tables[2];
  float* HWY_RESTRICT red_plane = planes;
  float* HWY_RESTRICT green_plane = planes + num_pixels;
  float* HWY_RESTRICT blue_plane = planes + 2 * num_pixels;
  size_t i = 0;
#if HWY_TARGET <= HWY_AVX2  // Those before it gather one by one.
  const hn::ScalableTag<float> floats;
  const hn::RebindToSigned<decltype(floats)> ints;
  const hn::Rebind<uint8_t, decltype(floats)> bytes;
  const size_t lanes = hn::Lanes(floats);
  for (; i + lanes <= num_pixels; i += lanes) {
    hn::Vec<decltype(bytes)> red;
    hn::Vec<decltype(bytes)> green;
    hn::Vec<decltype(bytes)> blue;
    hn::LoadInterleaved3(bytes, pixels + 3 * i, red, green, blue);
    hn::StoreU(hn::GatherIndex(floats, red_table, hn::PromoteTo(ints, red)),
               floats, red_plane + i);
    hn::StoreU(hn::GatherIndex(floats, green_table, hn::PromoteTo(ints, green)),
               floats, green_plane + i);
    hn::StoreU(hn::GatherIndex(floats, blue_table, hn::PromoteTo(ints, blue)),
               floats, blue_plane + i);
  }
#endif
  for (; i < num_pixels; ++i) {
    red_plane[i] = red_table[pixels[3 * i]];
    green_plane[i] = green_table[pixels[3 * i + 1]];
    blue_plane[i] = blue_table[pixels[3 * i + 2]];
  }
}

}  // namespace ladder::imaging::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ladder::imaging::simd {

HWY_EXPORT(LookUpPlanes);

void LookUpPlanes(const uint8_t* pixels, size_t num_pixels,
                  const float* const tables[3], float* planes) {
  HWY_DYNAMIC_DISPATCH(LookUpPlanes)(pixels, num_pixels, tables, planes);
}

}  // namespace ladder::imaging::simd
#endif  // HWY_ONCE
