#include "imaging/normalizer.h"

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "absl/strings/str_cat.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "imaging/normalizer.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace ladder::imaging::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Parts RGB pixels into three planes of `num_pixels` numbers each, looking
// every value up in its channel's table of 256.
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

}  // namespace ladder::imaging::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ladder::imaging {

HWY_EXPORT(LookUpPlanes);

absl::Status NormalizeOptions::Validate() const {
  for (size_t c = 0; c < kChannels; ++c) {
    if (!std::isfinite(mean[c])) {
      return absl::InvalidArgumentError(
          absl::StrCat("mean[", c, "] must be finite, got ", mean[c]));
    }
    if (!std::isfinite(std[c]) || std[c] <= 0) {
      return absl::InvalidArgumentError(absl::StrCat(
          "std[", c, "] must be positive and finite, got ", std[c]));
    }
  }
  return absl::OkStatus();
}

Normalizer::Normalizer(const NormalizeOptions& options) {
  for (size_t c = 0; c < kChannels; ++c) {
    for (size_t value = 0; value < table_[c].size(); ++value) {
      const float x = static_cast<float>(value) / 255.0F;
      table_[c][value] = (x - options.mean[c]) / options.std[c];
    }
  }
}

void Normalizer::Apply(const ImageView& image, std::span<float> planes) const {
  const float* const tables[kChannels] = {table_[0].data(), table_[1].data(),
                                          table_[2].data()};
  HWY_DYNAMIC_DISPATCH(LookUpPlanes)
  (image.pixels, image.num_bytes() / kChannels, tables, planes.data());
}

}  // namespace ladder::imaging
#endif  // HWY_ONCE
