#include "imaging/preprocessor.h"

#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "base/system/mutex.h"
#include "imaging/decoder.h"
#include "imaging/resizer.h"

namespace ladder::imaging {
namespace {

constexpr int64_t kLargestOutput = 16'384;  // The product fits an int.

// More than this is given back, so that one huge picture per thread does not
// stay in memory for ever.
constexpr size_t kMostScratchKept = 64 << 20;

absl::Status CheckSide(absl::string_view name, int64_t size) {
  if (size < 1 || size > kLargestOutput) {
    return absl::InvalidArgumentError(
        absl::StrCat(name, " must lie in 1..", kLargestOutput, ", got ", size));
  }
  return absl::OkStatus();
}

}  // namespace

// The memory that one thread needs for a picture.
struct Preprocessor::Scratch {
  explicit Scratch(const DecodeLimits& limits) : decoder(limits) {}

  size_t capacity() const { return decoder.capacity() + resizer.capacity(); }

  Decoder decoder;
  Resizer resizer;
};

class Preprocessor::ScratchPool {
 public:
  std::unique_ptr<Scratch> Take(const DecodeLimits& limits) {
    {
      const base::MutexLock lock(mutex_);
      if (!idle_.empty()) {
        std::unique_ptr<Scratch> scratch = std::move(idle_.back());
        idle_.pop_back();
        return scratch;
      }
    }
    return std::make_unique<Scratch>(limits);
  }

  void Return(std::unique_ptr<Scratch> scratch) {
    if (scratch->capacity() > kMostScratchKept) return;
    const base::MutexLock lock(mutex_);
    idle_.push_back(std::move(scratch));
  }

 private:
  base::Mutex mutex_;
  std::vector<std::unique_ptr<Scratch>> idle_ ABSL_GUARDED_BY(mutex_);
};

absl::Status PreprocessOptions::Validate() const {
  absl::Status status = CheckSide("height", height);
  if (status.ok()) status = CheckSide("width", width);
  if (status.ok()) status = normalize.Validate();
  if (status.ok()) status = limits.Validate();
  return status;
}

absl::StatusOr<Preprocessor> Preprocessor::Create(
    const PreprocessOptions& options) {
  LADDER_RETURN_IF_ERROR(options.Validate());
  return Preprocessor(options);
}

Preprocessor::Preprocessor(const PreprocessOptions& options)
    : options_(options),
      normalizer_(options.normalize),
      pool_(std::make_unique<ScratchPool>()) {}

Preprocessor::Preprocessor(Preprocessor&&) noexcept = default;
Preprocessor& Preprocessor::operator=(Preprocessor&&) noexcept = default;
Preprocessor::~Preprocessor() = default;

size_t Preprocessor::output_size() const {
  return static_cast<size_t>(kChannels * options_.height * options_.width);
}

absl::Status Preprocessor::Run(std::span<const std::byte> encoded,
                               std::span<float> out) const {
  if (out.size() != output_size()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "expected room for ", kChannels, " x ", options_.height, " x ",
        options_.width, " = ", output_size(), " numbers, got ", out.size()));
  }
  std::unique_ptr<Scratch> scratch = pool_->Take(options_.limits);
  const absl::StatusOr<ImageView> image = scratch->decoder.Decode(encoded);
  if (image.ok()) {
    normalizer_.Apply(
        scratch->resizer.Resize(*image, static_cast<int>(options_.width),
                                static_cast<int>(options_.height)),
        out);
  }
  pool_->Return(std::move(scratch));
  return image.status();
}

}  // namespace ladder::imaging
