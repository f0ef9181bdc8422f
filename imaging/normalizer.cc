#include "imaging/normalizer.h"

#include <cmath>
#include <cstddef>

#include "absl/strings/str_cat.h"
#include "imaging/simd/lookup.h"

namespace ladder::imaging {

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
  simd::LookUpPlanes(image.pixels, image.num_bytes() / kChannels, tables,
                     planes.data());
}

}  // namespace ladder::imaging
