#include "imaging/decode_png.h"

#include <csetjmp>
#include <cstdint>
#include <cstring>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "imaging/orientation.h"
#include "imaging/rejection.h"
#include "png.h"

namespace ladder::imaging {
namespace {

// One file on its way through libpng. After a step has failed, nothing but
// `Error` may be called. libpng's errors jump out of it, so that a function
// that calls it begins with setjmp and holds nothing that has a destructor.
class PngReader {
 public:
  explicit PngReader(std::span<const std::byte> data)
      : rest_(data),
        png_(png_create_read_struct(PNG_LIBPNG_VER_STRING, this, OnError,
                                    OnWarning)) {}
  ~PngReader() { png_destroy_read_struct(&png_, &info_, nullptr); }
  PngReader(const PngReader&) = delete;
  PngReader& operator=(const PngReader&) = delete;

  bool ReadHeader() {
    if (png_ == nullptr) return false;
    if (setjmp(png_jmpbuf(png_)) != 0) return false;
    info_ = png_create_info_struct(png_);
    if (info_ == nullptr) png_error(png_, "out of memory");
    png_set_read_fn(png_, this, OnRead);
    // Ours come later, and say more.
    png_set_user_limits(png_, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
    IgnoreMetadata();
    png_read_info(png_, info_);
    return true;
  }

  int64_t width() const { return png_get_image_width(png_, info_); }
  int64_t height() const { return png_get_image_height(png_, info_); }

  // `image` has the right size.
  bool ReadPixels(Image& image) {
    if (setjmp(png_jmpbuf(png_)) != 0) return false;
    ConvertToRgb();
    const int num_passes = png_set_interlace_handling(png_);
    png_read_update_info(png_, info_);
    if (png_get_rowbytes(png_, info_) != image.View().row_bytes()) {
      png_error(png_, "cannot be converted to 8-bit RGB");
    }
    for (int pass = 0; pass < num_passes; ++pass) {
      for (int y = 0; y < image.height(); ++y) {
        png_read_row(png_, image.Row(y), nullptr);
      }
    }
    png_read_end(png_, info_);
    return true;
  }

  Orientation FindOrientation() const {
    png_uint_32 size = 0;
    png_bytep exif = nullptr;
    png_get_eXIf_1(png_, info_, &size, &exif);
    return ExifOrientation(std::as_bytes(std::span(exif, size)));
  }

  absl::Status Error() const {
    return RejectImage(Rejection::kCorrupt,
                       absl::StrCat("broken PNG: ", message_));
  }

 private:
  [[noreturn]] static void OnError(png_structp png, png_const_charp message) {
    auto* reader = static_cast<PngReader*>(png_get_error_ptr(png));
    std::strncpy(reader->message_, message, sizeof reader->message_ - 1);
    png_longjmp(png, 1);
  }

  static void OnWarning(png_structp /*png*/, png_const_charp /*message*/) {}

  static void OnRead(png_structp png, png_bytep out, size_t count) {
    auto* reader = static_cast<PngReader*>(png_get_io_ptr(png));
    if (reader->rest_.size() < count) png_error(png, "ends too early");
    std::memcpy(out, reader->rest_.data(), count);
    reader->rest_ = reader->rest_.subspan(count);
  }

  // Reads EXIF and nothing else that is not needed for the pixels: texts and
  // profiles could be compressed to expand a thousandfold.
  void IgnoreMetadata() {
    constexpr int kAllButPixels = -1;
    png_set_keep_unknown_chunks(png_, PNG_HANDLE_CHUNK_NEVER, nullptr,
                                kAllButPixels);
    constexpr png_byte kExifChunk[] = "eXIf";
    png_set_keep_unknown_chunks(png_, PNG_HANDLE_CHUNK_AS_DEFAULT, kExifChunk,
                                1);
  }

  void ConvertToRgb() {
    png_set_strip_16(png_);
    switch (png_get_color_type(png_, info_)) {
      case PNG_COLOR_TYPE_PALETTE:
        png_set_palette_to_rgb(png_);
        break;
      case PNG_COLOR_TYPE_GRAY:
        png_set_expand_gray_1_2_4_to_8(png_);
        png_set_gray_to_rgb(png_);
        break;
      case PNG_COLOR_TYPE_GRAY_ALPHA:
        png_set_gray_to_rgb(png_);
        break;
      default:
        break;
    }
    png_set_strip_alpha(png_);  // After the palette, which may bring it along.
  }

  std::span<const std::byte> rest_;
  char message_[256] = "out of memory";  // If there is not even a png_.
  png_structp png_;
  png_infop info_ = nullptr;
};

}  // namespace

absl::StatusOr<Orientation> DecodePng(std::span<const std::byte> png,
                                      const DecodeLimits& limits,
                                      Image& image) {
  PngReader reader(png);
  if (!reader.ReadHeader()) return reader.Error();
  LADDER_RETURN_IF_ERROR(limits.CheckSize(reader.width(), reader.height()));
  image.Reset(static_cast<int>(reader.width()),
              static_cast<int>(reader.height()));
  if (!reader.ReadPixels(image)) return reader.Error();
  return reader.FindOrientation();
}

}  // namespace ladder::imaging
