#ifndef LADDER_IMAGING_NORMALIZER_H_
#define LADDER_IMAGING_NORMALIZER_H_

#include <array>
#include <span>

#include "absl/status/status.h"
#include "imaging/image.h"

namespace ladder::imaging {

// Channels in [0, 1] become what a network expects by (x - mean) / std.
struct NormalizeOptions {
  std::array<float, kChannels> mean = {0, 0, 0};
  std::array<float, kChannels> std = {1, 1, 1};

  // InvalidArgument unless all are finite and every std is positive.
  absl::Status Validate() const;
};

// Turns pictures into float planes, all reds first: (value / 255 - mean) / std,
// each operation rounded to float, as torchvision computes it.
//
// Immutable and thread-safe.
class Normalizer {
 public:
  // Expects valid options.
  explicit Normalizer(const NormalizeOptions& options);

  // Expects room for 3 * height * width numbers.
  void Apply(const ImageView& image, std::span<float> planes) const;

 private:
  // What each value of each channel becomes.
  std::array<std::array<float, 256>, kChannels> table_;
};

}  // namespace ladder::imaging

#endif  // LADDER_IMAGING_NORMALIZER_H_
