#ifndef LADDER_TESTS_IMAGING_TEST_IMAGES_H_
#define LADDER_TESTS_IMAGING_TEST_IMAGES_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "imaging/image.h"

// Pictures and files made for tests, by libjpeg and libpng themselves.
namespace ladder::imaging {

using Bytes = std::vector<std::byte>;

// Smooth, with some noise, and different in every corner.
Image Photograph(int width, int height, uint32_t seed = 1);

// The values of a picture, for comparing.
std::vector<uint8_t> Values(const ImageView& image);

// An EXIF block with this number as orientation, as II or MM.
std::string ExifBlock(int orientation, bool big_endian = false);

enum class JpegColors { kYCbCr, kRgb, kGrey, kCmyk, kYcck };

struct JpegFile {
  JpegColors colors = JpegColors::kYCbCr;
  int quality = 90;
  bool progressive = false;
  bool arithmetic = false;
  int num_scans = 0;         // If not 0, progressive with this many; kGrey.
  int restart_interval = 0;  // In blocks.
  int luma_across = 2;       // Colours are sampled at 1 in this many.
  int luma_down = 2;
  std::string exif = {};
};

// `values` has as many channels as the colours: 1, 3 or 4 (CMYK and YCCK).
Bytes WriteJpeg(const JpegFile& file, int width, int height,
                std::span<const uint8_t> values);
Bytes WriteJpeg(const JpegFile& file, const ImageView& image);

struct PngFile {
  int color_type = 2;  // libpng's numbers; 2 is RGB.
  int bit_depth = 8;
  bool interlaced = false;
  std::vector<uint8_t> palette = {};        // RGB triples.
  std::vector<uint8_t> palette_alpha = {};  // Makes a tRNS chunk.
  std::string exif = {};
};

// `rows` are as the file has them, before filtering and compression.
Bytes WritePng(const PngFile& file, int width, int height,
               std::span<const uint8_t> rows);
Bytes WritePng(const PngFile& file, const ImageView& image);

}  // namespace ladder::imaging

#endif  // LADDER_TESTS_IMAGING_TEST_IMAGES_H_
