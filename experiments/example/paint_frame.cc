#include "experiments/example/paint_frame.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "experiments/random_draws.h"

namespace ladder::experiments {
namespace {

constexpr int kZoom = 2;
constexpr int kSceneSide = kFrameSide / kZoom;
constexpr int kGarmentRows = static_cast<int>(kGarmentSide);
constexpr int kMargin = (kSceneSide - kGarmentRows) / 2;
constexpr double kBackgroundLight = 0.6;

using Color = std::array<double, imaging::kChannels>;

// All pixels of a frame have these in common.
struct Appearance {
  Color background = {};
  double contrast = 0;  // How bright the garment is.
  double noise_sd = 0;
};

Appearance DrawAppearance(double habitat, RandomDraws& draws) {
  const double hue = std::tanh(0.6 * (habitat - 0.5) + 0.45 * draws.Normal());
  Appearance appearance;
  appearance.background = {0.5 + 0.5 * hue, 0.5 - 0.3 * hue,
                           0.5 + 0.2 * draws.Normal()};
  for (double& channel : appearance.background) channel *= kBackgroundLight;
  appearance.contrast = 1.0 - 0.5 * draws.Uniform();
  appearance.noise_sd =
      0.4 + 0.6 * draws.Beta(1.0 + 4.0 * habitat, 5.0 - 4.0 * habitat);
  return appearance;
}

// The share of a pixel of the scene that the garment, which lies in the middle,
// covers.
double Cover(std::span<const uint8_t, kGarmentPixels> garment, int x, int y) {
  const int column = x - kMargin;
  const int row = y - kMargin;
  if (column < 0 || column >= kGarmentRows || row < 0 || row >= kGarmentRows) {
    return 0.0;
  }
  return garment[static_cast<size_t>(row * kGarmentRows + column)] / 255.0;
}

}  // namespace

imaging::Image PaintFrame(std::span<const uint8_t, kGarmentPixels> garment,
                          double habitat, uint64_t seed) {
  RandomDraws draws(seed);
  const Appearance appearance = DrawAppearance(habitat, draws);
  imaging::Image frame;
  frame.Reset(kFrameSide, kFrameSide);
  for (int y = 0; y < kSceneSide; ++y) {
    uint8_t* const row = frame.Row(kZoom * y);
    uint8_t* pixel = row;
    for (int x = 0; x < kSceneSide; ++x) {
      const double cover = Cover(garment, x, y);
      for (int channel = 0; channel < imaging::kChannels; ++channel) {
        const double value = (1.0 - cover) * appearance.background[channel] +
                             cover * appearance.contrast +
                             appearance.noise_sd * draws.Normal();
        pixel[channel] = static_cast<uint8_t>(
            std::lround(255.0 * std::clamp(value, 0.0, 1.0)));
      }
      std::copy_n(pixel, imaging::kChannels, pixel + imaging::kChannels);
      pixel += kZoom * imaging::kChannels;
    }
    std::copy(row, pixel, frame.Row(kZoom * y + 1));
  }
  return frame;
}

}  // namespace ladder::experiments
