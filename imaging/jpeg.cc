#include "imaging/jpeg.h"

#include <csetjmp>
#include <cstdio>  // jpeglib.h needs it and does not say so.
#include <cstdlib>
#include <cstring>
#include <memory>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "imaging/rejection.h"
#include "jerror.h"
#include "jpeglib.h"

namespace ladder::imaging {
namespace {

constexpr int kCmykChannels = 4;
constexpr int kApp1 = JPEG_APP0 + 1;
constexpr unsigned int kLongestSegment = 0xFFFF;

// True for what libjpeg has not implemented, as opposed to what a file gets
// wrong.
bool IsUnsupported(int code) {
  return code == JERR_BAD_PRECISION || code == JERR_SOF_UNSUPPORTED ||
         code == JERR_CONVERSION_NOTIMPL || code == JERR_ARITH_NOTIMPL ||
         code == JERR_NOT_COMPILED;
}

// a * b / 255, rounded to the nearest.
uint8_t ScaleByte(int a, int b) {
  return static_cast<uint8_t>((2 * a * b + 255) / 510);
}

// CMYK as Adobe's programs write it, inverted: 255 is no ink.
void CmykToRgb(const uint8_t* cmyk, int width, uint8_t* rgb) {
  for (int x = 0; x < width; ++x) {
    for (int c = 0; c < kChannels; ++c) rgb[c] = ScaleByte(cmyk[c], cmyk[3]);
    cmyk += kCmykChannels;
    rgb += kChannels;
  }
}

bool IsHarmless(int warning) {
  return warning == JWRN_EXTRANEOUS_DATA || warning == JWRN_JFIF_MAJOR ||
         warning == JWRN_ADOBE_XFORM;
}

// By this libjpeg's errors get out of libjpeg: it calls back, and the callback
// must not return. So every function that calls libjpeg begins with
//   if (setjmp(error.escape) != 0) return false;
// and holds nothing that has a destructor, which the jump would skip.
struct JpegError {
  jmp_buf escape;
  char message[JMSG_LENGTH_MAX] = "";
  int code = 0;  // One of libjpeg's J_MESSAGE_CODEs.
  jpeg_error_mgr manager = {};

  // Makes errors of `codec`, a jpeg_compress_struct or jpeg_decompress_struct
  // that is about to be created, end here. Must outlive it.
  template <typename Codec>
  void Catch(Codec& codec) {
    codec.err = jpeg_std_error(&manager);
    codec.client_data = this;
    manager.error_exit = Escape;
    manager.emit_message = [](j_common_ptr common, int level) {
      const bool is_warning = level < 0;  // The others are traces.
      if (is_warning && !IsHarmless(common->err->msg_code)) Escape(common);
    };
  }

 private:
  [[noreturn]] static void Escape(j_common_ptr codec) {
    auto* error = static_cast<JpegError*>(codec->client_data);
    error->code = codec->err->msg_code;
    codec->err->format_message(codec, error->message);
    std::longjmp(error->escape, 1);
  }
};

// One file on its way through libjpeg. After a step has failed, nothing but
// `Error` may be called.
class Decompressor {
 public:
  Decompressor() { error_.Catch(codec_); }
  ~Decompressor() { jpeg_destroy_decompress(&codec_); }
  Decompressor(const Decompressor&) = delete;
  Decompressor& operator=(const Decompressor&) = delete;

  bool ReadHeader(std::span<const std::byte> jpeg) {
    if (setjmp(error_.escape) != 0) return false;
    jpeg_create_decompress(&codec_);
    jpeg_save_markers(&codec_, kApp1, kLongestSegment);
    jpeg_mem_src(&codec_, reinterpret_cast<const unsigned char*>(jpeg.data()),
                 jpeg.size());
    jpeg_read_header(&codec_, /*require_image=*/TRUE);
    codec_.out_color_space = IsCmyk() ? JCS_CMYK : JCS_RGB;
    return true;
  }

  int64_t width() const { return codec_.image_width; }
  int64_t height() const { return codec_.image_height; }
  bool IsCmyk() const {
    return codec_.jpeg_color_space == JCS_CMYK ||
           codec_.jpeg_color_space == JCS_YCCK;
  }

  Orientation FindOrientation() const {
    for (const auto* segment = codec_.marker_list; segment != nullptr;
         segment = segment->next) {
      const auto exif = FindExif(
          std::as_bytes(std::span(segment->data, segment->data_length)));
      if (!exif.empty()) return ExifOrientation(exif);
    }
    return Orientation::kUpright;
  }

  // `image` has the right size. `cmyk_row` is needed if IsCmyk().
  bool ReadPixels(Image& image, uint8_t* cmyk_row) {
    if (setjmp(error_.escape) != 0) return false;
    jpeg_start_decompress(&codec_);
    while (codec_.output_scanline < codec_.output_height) {
      uint8_t* pixels = image.Row(static_cast<int>(codec_.output_scanline));
      uint8_t* row = IsCmyk() ? cmyk_row : pixels;
      jpeg_read_scanlines(&codec_, &row, 1);
      if (IsCmyk()) CmykToRgb(cmyk_row, image.width(), pixels);
    }
    jpeg_finish_decompress(&codec_);  // Reads up to the end marker.
    return true;
  }

  absl::Status Error() const {
    if (IsUnsupported(error_.code)) {
      return RejectImage(Rejection::kUnsupported,
                         absl::StrCat("JPEG not supported: ", error_.message));
    }
    return RejectImage(Rejection::kCorrupt,
                       absl::StrCat("broken JPEG: ", error_.message));
  }

 private:
  JpegError error_;
  jpeg_decompress_struct codec_ = {};
};

constexpr uint8_t kPrefix = 0xFF;
constexpr uint8_t kStartOfImage = 0xD8;
constexpr uint8_t kEndOfImage = 0xD9;
constexpr uint8_t kStartOfScan = 0xDA;
constexpr uint8_t kTemporary = 0x01;

bool IsRestart(uint8_t marker) { return marker >= 0xD0 && marker <= 0xD7; }

// A frame's header, among whose markers are three of other meaning.
bool IsStartOfFrame(uint8_t marker) {
  return marker >= 0xC0 && marker <= 0xCF && marker != 0xC4 && marker != 0xC8 &&
         marker != 0xCC;
}

bool HasContents(uint8_t marker) {
  return !IsRestart(marker) && marker != kTemporary && marker != kStartOfImage;
}

class Walker {
 public:
  explicit Walker(std::span<const std::byte> jpeg) : rest_(jpeg) {}

  // The next marker, and the end of the file as one. Skips what lies in
  // between, coded data above all: in it a zero follows every byte that looks
  // like a prefix.
  uint8_t NextMarker() {
    while (!rest_.empty()) {
      const void* prefix = std::memchr(rest_.data(), kPrefix, rest_.size());
      if (prefix == nullptr) break;
      Skip(static_cast<const std::byte*>(prefix) - rest_.data() + 1);
      // A prefix may be repeated as padding.
      while (!rest_.empty() && First() == kPrefix) Skip(1);
      if (rest_.empty()) break;
      const uint8_t marker = First();
      Skip(1);
      if (marker != 0) return marker;
    }
    return kEndOfImage;
  }

  // The segment's contents, whose length they begin with.
  void SkipContents() {
    const int64_t length = ContentsAt(0);
    Skip(length < 2 ? 2 : static_cast<size_t>(length));
  }

  // The two bytes at `offset` of the segment's contents, as a number; 0 if the
  // file ends before.
  int64_t ContentsAt(size_t offset) const {
    if (rest_.size() < offset + 2) return 0;
    return std::to_integer<int64_t>(rest_[offset]) << 8 |
           std::to_integer<int64_t>(rest_[offset + 1]);
  }

 private:
  uint8_t First() const { return std::to_integer<uint8_t>(rest_.front()); }
  void Skip(size_t count) {
    rest_ = rest_.subspan(count < rest_.size() ? count : rest_.size());
  }

  std::span<const std::byte> rest_;
};

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

absl::StatusOr<Orientation> DecodeJpeg(std::span<const std::byte> jpeg,
                                       const DecodeLimits& limits,
                                       Image& image) {
  Decompressor decompressor;
  if (!decompressor.ReadHeader(jpeg)) return decompressor.Error();
  LADDER_RETURN_IF_ERROR(
      limits.CheckSize(decompressor.width(), decompressor.height()));
  LADDER_RETURN_IF_ERROR(limits.CheckJpegScans(CountJpegScans(jpeg)));

  // Now, because libjpeg forgets segments when it reaches the end.
  const Orientation orientation = decompressor.FindOrientation();
  image.Reset(static_cast<int>(decompressor.width()),
              static_cast<int>(decompressor.height()));
  std::unique_ptr<uint8_t[]> cmyk_row;
  if (decompressor.IsCmyk()) {
    cmyk_row = std::make_unique_for_overwrite<uint8_t[]>(
        static_cast<size_t>(image.width()) * kCmykChannels);
  }
  if (!decompressor.ReadPixels(image, cmyk_row.get())) {
    return decompressor.Error();
  }
  return orientation;
}

int64_t CountJpegScans(std::span<const std::byte> jpeg) {
  Walker walker(jpeg);
  int64_t scans = 0;
  for (uint8_t marker = walker.NextMarker(); marker != kEndOfImage;
       marker = walker.NextMarker()) {
    if (marker == kStartOfScan) ++scans;
    if (HasContents(marker)) walker.SkipContents();
  }
  return scans;
}

int64_t CountJpegPixels(std::span<const std::byte> jpeg) {
  // Behind the segment's length and the precision.
  constexpr size_t kHeightAt = 3;
  constexpr size_t kWidthAt = 5;
  Walker walker(jpeg);
  for (uint8_t marker = walker.NextMarker(); marker != kEndOfImage;
       marker = walker.NextMarker()) {
    if (IsStartOfFrame(marker)) {
      return walker.ContentsAt(kHeightAt) * walker.ContentsAt(kWidthAt) *
             CountJpegScans(jpeg);
    }
    if (HasContents(marker)) walker.SkipContents();
  }
  return 0;
}

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
