#include "imaging/encode_jpeg.h"

#include <cstdlib>
#include <span>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "imaging/jpeg_error.h"

namespace ladder::imaging {
namespace {

// One file on its way out of libjpeg, which writes to malloc's memory.
class Compressor {
 public:
  Compressor() { error_.Catch(codec_); }
  ~Compressor() {
    jpeg_destroy_compress(&codec_);
    std::free(data_);
  }
  Compressor(const Compressor&) = delete;
  Compressor& operator=(const Compressor&) = delete;

  bool Write(const ImageView& image, int quality) {
    if (setjmp(error_.escape) != 0) return false;
    jpeg_create_compress(&codec_);
    jpeg_mem_dest(&codec_, &data_, &size_);
    codec_.image_width = static_cast<JDIMENSION>(image.width);
    codec_.image_height = static_cast<JDIMENSION>(image.height);
    codec_.input_components = kChannels;
    codec_.in_color_space = JCS_RGB;
    jpeg_set_defaults(&codec_);
    jpeg_set_quality(&codec_, quality, /*force_baseline=*/TRUE);
    jpeg_start_compress(&codec_, /*write_all_tables=*/TRUE);
    while (codec_.next_scanline < codec_.image_height) {
      // libjpeg's signature has no const; it does not write to the row.
      auto* row = const_cast<uint8_t*>(
          image.Row(static_cast<int>(codec_.next_scanline)));
      jpeg_write_scanlines(&codec_, &row, 1);
    }
    jpeg_finish_compress(&codec_);
    return true;
  }

  std::span<const std::byte> file() const {
    return std::as_bytes(std::span(data_, size_));
  }
  const char* error() const { return error_.message; }

 private:
  JpegError error_;
  jpeg_compress_struct codec_ = {};
  unsigned char* data_ = nullptr;
  unsigned long size_ = 0;  // NOLINT: libjpeg's type.
};

}  // namespace

absl::StatusOr<std::vector<std::byte>> EncodeJpeg(const ImageView& image,
                                                  int quality) {
  if (quality < 1 || quality > 100) {
    return absl::InvalidArgumentError(
        absl::StrCat("quality must lie in 1..100, got ", quality));
  }
  if (image.width < 1 || image.width > JPEG_MAX_DIMENSION || image.height < 1 ||
      image.height > JPEG_MAX_DIMENSION) {
    return absl::InvalidArgumentError(
        absl::StrCat("the sides of a JPEG must lie in 1..", JPEG_MAX_DIMENSION,
                     ", got ", image.width, " x ", image.height));
  }
  Compressor compressor;
  if (!compressor.Write(image, quality)) {
    return absl::InternalError(
        absl::StrCat("cannot encode JPEG: ", compressor.error()));
  }
  const auto file = compressor.file();
  return std::vector<std::byte>(file.begin(), file.end());
}

}  // namespace ladder::imaging
