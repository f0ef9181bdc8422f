#include "tests/imaging/test_images.h"

#include <cstdio>  // jpeglib.h needs it.
#include <cstdlib>
#include <random>

#include "jpeglib.h"
#include "png.h"

namespace ladder::imaging {
namespace {

int NumChannels(JpegColors colors) {
  switch (colors) {
    case JpegColors::kGrey:
      return 1;
    case JpegColors::kYCbCr:
    case JpegColors::kRgb:
      return 3;
    case JpegColors::kCmyk:
    case JpegColors::kYcck:
      break;
  }
  return 4;
}

J_COLOR_SPACE InputColors(int channels) {
  return channels == 1 ? JCS_GRAYSCALE : channels == 3 ? JCS_RGB : JCS_CMYK;
}

J_COLOR_SPACE StoredColors(JpegColors colors) {
  switch (colors) {
    case JpegColors::kGrey:
      return JCS_GRAYSCALE;
    case JpegColors::kYCbCr:
      return JCS_YCbCr;
    case JpegColors::kRgb:
      return JCS_RGB;
    case JpegColors::kCmyk:
      return JCS_CMYK;
    case JpegColors::kYcck:
      break;
  }
  return JCS_YCCK;
}

// One scan for the averages, then each frequency's bits, one scan per bit.
std::vector<jpeg_scan_info> ManyScans(int count) {
  constexpr int kHighestBit = 10;
  std::vector<jpeg_scan_info> scans;
  const auto add = [&](int frequency, int previous_bit, int bit) {
    jpeg_scan_info scan = {};
    scan.comps_in_scan = 1;
    scan.Ss = scan.Se = frequency;
    scan.Ah = previous_bit;
    scan.Al = bit;
    if (static_cast<int>(scans.size()) < count) scans.push_back(scan);
  };
  add(0, 0, 0);
  for (int frequency = 1; frequency < 64; ++frequency) {
    add(frequency, 0, kHighestBit);
    for (int bit = kHighestBit - 1; bit >= 0; --bit) {
      add(frequency, bit + 1, bit);
    }
  }
  return scans;
}

void AppendNumber(std::string& out, uint32_t value, int size, bool big_endian) {
  for (int i = 0; i < size; ++i) {
    const int place = big_endian ? size - 1 - i : i;
    out.push_back(static_cast<char>(value >> (8 * place) & 0xFF));
  }
}

}  // namespace

Image Photograph(int width, int height, uint32_t seed) {
  std::mt19937 random(seed);
  Image image;
  image.Reset(width, height);
  for (int y = 0; y < height; ++y) {
    uint8_t* value = image.Row(y);
    for (int x = 0; x < width; ++x) {
      const auto noise = static_cast<uint32_t>(random());
      *value++ = static_cast<uint8_t>(200 * x / width + (noise & 31));
      *value++ = static_cast<uint8_t>(200 * y / height + (noise >> 5 & 31));
      *value++ = static_cast<uint8_t>(((x / 7 + y / 5) % 2) * 160 +
                                      static_cast<int>(noise >> 10 & 63));
    }
  }
  return image;
}

std::vector<uint8_t> Values(const ImageView& image) {
  return {image.pixels, image.pixels + image.num_bytes()};
}

std::string ExifBlock(int orientation, bool big_endian) {
  std::string tiff = big_endian ? "MM" : "II";
  const auto add = [&](uint32_t value, int size) {
    AppendNumber(tiff, value, size, big_endian);
  };
  add(42, 2);
  add(8, 4);  // Where the directory is.
  add(2, 2);  // How many entries it has.
  for (const uint32_t tag : {0x0100u, 0x0112u}) {
    add(tag, 2);
    add(3, 2);  // A short,
    add(1, 4);  // one of it.
    add(static_cast<uint32_t>(orientation), 2);
    add(0, 2);
  }
  add(0, 4);  // No further directory.
  return tiff;
}

Bytes WriteJpeg(const JpegFile& file, int width, int height,
                std::span<const uint8_t> values) {
  jpeg_compress_struct codec = {};
  jpeg_error_mgr error;
  codec.err = jpeg_std_error(&error);  // Ends the test's process on an error.
  jpeg_create_compress(&codec);
  unsigned char* data = nullptr;
  unsigned long size = 0;  // NOLINT: libjpeg's type.
  jpeg_mem_dest(&codec, &data, &size);

  codec.image_width = static_cast<JDIMENSION>(width);
  codec.image_height = static_cast<JDIMENSION>(height);
  codec.input_components = NumChannels(file.colors);
  codec.in_color_space = InputColors(codec.input_components);
  jpeg_set_defaults(&codec);
  jpeg_set_colorspace(&codec, StoredColors(file.colors));
  jpeg_set_quality(&codec, file.quality, TRUE);
  codec.arith_code = file.arithmetic ? TRUE : FALSE;
  codec.restart_interval = static_cast<unsigned int>(file.restart_interval);
  if (codec.num_components > 1) {
    codec.comp_info[0].h_samp_factor = file.luma_across;
    codec.comp_info[0].v_samp_factor = file.luma_down;
  }
  std::vector<jpeg_scan_info> scans;
  if (file.num_scans > 0) {
    scans = ManyScans(file.num_scans);
    codec.scan_info = scans.data();
    codec.num_scans = static_cast<int>(scans.size());
  } else if (file.progressive) {
    jpeg_simple_progression(&codec);
  }

  jpeg_start_compress(&codec, TRUE);
  if (!file.exif.empty()) {
    const std::string contents = std::string("Exif\0\0", 6) + file.exif;
    jpeg_write_marker(&codec, JPEG_APP0 + 1,
                      reinterpret_cast<const JOCTET*>(contents.data()),
                      static_cast<unsigned int>(contents.size()));
  }
  const size_t row_bytes =
      static_cast<size_t>(width) * static_cast<size_t>(codec.input_components);
  while (codec.next_scanline < codec.image_height) {
    auto* row =
        const_cast<uint8_t*>(values.data() + row_bytes * codec.next_scanline);
    jpeg_write_scanlines(&codec, &row, 1);
  }
  jpeg_finish_compress(&codec);
  jpeg_destroy_compress(&codec);
  const auto written = std::as_bytes(std::span(data, size));
  Bytes bytes(written.begin(), written.end());
  std::free(data);
  return bytes;
}

Bytes WriteJpeg(const JpegFile& file, const ImageView& image) {
  return WriteJpeg(file, image.width, image.height, Values(image));
}

Bytes WritePng(const PngFile& file, int width, int height,
               std::span<const uint8_t> rows) {
  Bytes bytes;
  png_structp png =
      png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
  png_infop info = png_create_info_struct(png);
  png_set_write_fn(
      png, &bytes,
      [](png_structp writer, png_bytep data, size_t size) {
        const auto written = std::as_bytes(std::span(data, size));
        auto* out = static_cast<Bytes*>(png_get_io_ptr(writer));
        out->insert(out->end(), written.begin(), written.end());
      },
      nullptr);
  png_set_IHDR(png, info, static_cast<png_uint_32>(width),
               static_cast<png_uint_32>(height), file.bit_depth,
               file.color_type,
               file.interlaced ? PNG_INTERLACE_ADAM7 : PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  if (!file.palette.empty()) {
    std::vector<png_color> colors;
    for (size_t i = 0; i + 2 < file.palette.size(); i += 3) {
      colors.push_back(
          {file.palette[i], file.palette[i + 1], file.palette[i + 2]});
    }
    png_set_PLTE(png, info, colors.data(), static_cast<int>(colors.size()));
  }
  if (!file.palette_alpha.empty()) {
    png_set_tRNS(png, info, file.palette_alpha.data(),
                 static_cast<int>(file.palette_alpha.size()), nullptr);
  }
  std::string exif = file.exif;
  if (!exif.empty()) {
    png_set_eXIf_1(png, info, static_cast<png_uint_32>(exif.size()),
                   reinterpret_cast<png_bytep>(exif.data()));
  }
  png_write_info(png, info);
  const int num_passes = png_set_interlace_handling(png);
  const size_t row_bytes = png_get_rowbytes(png, info);
  for (int pass = 0; pass < num_passes; ++pass) {
    for (int y = 0; y < height; ++y) {
      png_write_row(png, rows.data() + row_bytes * static_cast<size_t>(y));
    }
  }
  png_write_end(png, info);
  png_destroy_write_struct(&png, &info);
  return bytes;
}

Bytes WritePng(const PngFile& file, const ImageView& image) {
  return WritePng(file, image.width, image.height, Values(image));
}

}  // namespace ladder::imaging
