#ifndef LADDER_IMAGING_PREPROCESSOR_H_
#define LADDER_IMAGING_PREPROCESSOR_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "imaging/decode_limits.h"
#include "imaging/normalizer.h"

namespace ladder::imaging {

struct PreprocessOptions {
  int64_t height = 224;
  int64_t width = 224;
  NormalizeOptions normalize = {};
  DecodeLimits limits = {};

  // InvalidArgument, naming the option, what it may be and what it is.
  absl::Status Validate() const;
};

// Makes an encoded picture what an encoder network takes: decoded, turned
// upright, resized, normalised. Trainer and server both use it, so that they
// see the same pixels; docs/imaging.md defines them.
//
// Immutable and thread-safe. Keeps the scratch space of past calls, as many as
// ever ran at once, except for that of unusually large pictures.
class Preprocessor {
 public:
  static absl::StatusOr<Preprocessor> Create(const PreprocessOptions& options);

  Preprocessor(Preprocessor&&) noexcept;
  Preprocessor& operator=(Preprocessor&&) noexcept;
  ~Preprocessor();

  const PreprocessOptions& options() const { return options_; }

  // 3 * height * width: how many numbers a picture becomes.
  size_t output_size() const;

  // Writes the planes [3, height, width] of a JPEG or PNG file to `out`.
  // InvalidArgument if `out` has another size than output_size(), or if the
  // picture is rejected (rejection.h); then `out` is untouched.
  absl::Status Run(std::span<const std::byte> encoded,
                   std::span<float> out) const;

 private:
  struct Scratch;
  class ScratchPool;

  explicit Preprocessor(const PreprocessOptions& options);

  PreprocessOptions options_;
  Normalizer normalizer_;
  std::unique_ptr<ScratchPool> pool_;
};

}  // namespace ladder::imaging

#endif  // LADDER_IMAGING_PREPROCESSOR_H_
