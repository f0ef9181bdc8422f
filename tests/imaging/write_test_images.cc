// Writes files of kinds that Pillow reads but cannot write into a directory.
//
// Usage: write_test_images DIRECTORY

#include <cstdint>
#include <fstream>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include "png.h"
#include "tests/imaging/test_images.h"

namespace ladder::imaging {
namespace {

std::vector<std::pair<std::string, Bytes>> MakeFiles() {
  const Image photo = Photograph(203, 151);
  const ImageView view = photo.View();
  const std::vector<uint8_t> values = Values(view);
  return {
      {"sampled_1x2.jpg", WriteJpeg({.luma_across = 1, .luma_down = 2}, view)},
      {"sampled_4x1.jpg", WriteJpeg({.luma_across = 4, .luma_down = 1}, view)},
      {"sampled_4x2.jpg", WriteJpeg({.luma_across = 4, .luma_down = 2}, view)},
      {"arithmetic.jpg", WriteJpeg({.arithmetic = true}, view)},
      {"restarts.jpg", WriteJpeg({.restart_interval = 3}, view)},
      {"ycck.jpg", WriteJpeg({.colors = JpegColors::kYcck}, 100, 120, values)},
      {"progressive_ycck.jpg",
       WriteJpeg({.colors = JpegColors::kYcck, .progressive = true}, 100, 120,
                 values)},
      {"interlaced.png", WritePng({.interlaced = true}, view)},
      {"grey_2_bits.png",
       WritePng({.color_type = PNG_COLOR_TYPE_GRAY, .bit_depth = 2}, 81, 60,
                values)},
      {"grey_4_bits.png",
       WritePng({.color_type = PNG_COLOR_TYPE_GRAY, .bit_depth = 4}, 81, 60,
                values)},
      {"grey_alpha_16_bits.png",
       WritePng({.color_type = PNG_COLOR_TYPE_GRAY_ALPHA, .bit_depth = 16}, 80,
                60, values)},
      {"rgb_16_bits.png", WritePng({.bit_depth = 16}, 100, 120, values)},
      {"rgba_16_bits_interlaced.png",
       WritePng({.color_type = PNG_COLOR_TYPE_RGBA,
                 .bit_depth = 16,
                 .interlaced = true},
                80, 60, values)},
  };
}

}  // namespace
}  // namespace ladder::imaging

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: write_test_images DIRECTORY\n";
    return 2;
  }
  for (const auto& [name, bytes] : ladder::imaging::MakeFiles()) {
    std::ofstream out(std::string(argv[1]) + "/" + name, std::ios::binary);
    out.write(reinterpret_cast<const char*>(bytes.data()),
              static_cast<std::streamsize>(bytes.size()));
  }
  return 0;
}
