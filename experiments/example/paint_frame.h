#ifndef LADDER_EXPERIMENTS_EXAMPLE_PAINT_FRAME_H_
#define LADDER_EXPERIMENTS_EXAMPLE_PAINT_FRAME_H_

#include <cstdint>
#include <span>

#include "experiments/example/garments.h"
#include "imaging/image.h"

namespace ladder::experiments {

inline constexpr int kFrameSide = 64;  // A frame's side in pixels.

// Paints what the camera sees: the garment, in some light, before a background,
// with noise. Colours and noise are drawn by the habitat, but spread so widely
// that one frame says little about it. A pure function of its arguments.
//
// The scene has 32 x 32 pixels, each painted as 2 x 2, because JPEG stores
// colours at half resolution. About half of the noise's standard deviation is
// left after JPEG and resizing back to 32 x 32, which also blends neighbours.
imaging::Image PaintFrame(std::span<const uint8_t, kGarmentPixels> garment,
                          double habitat, uint64_t seed);

}  // namespace ladder::experiments

#endif  // LADDER_EXPERIMENTS_EXAMPLE_PAINT_FRAME_H_
