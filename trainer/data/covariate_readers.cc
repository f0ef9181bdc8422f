#include "trainer/data/covariate_readers.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/files/csv.h"
#include "base/files/fault.h"
#include "base/files/random_access_file.h"
#include "base/status_macros.h"
#include "imaging/rejection.h"

namespace ladder::trainer {
namespace {

// Far above any picture within the limits of decoding.
constexpr int64_t kMaxFileBytes = int64_t{256} << 20;

}  // namespace

absl::StatusOr<std::shared_ptr<const ImageReader>> ImageReader::Create(
    ImageFiles files, const model_store::ImageInput& input,
    const imaging::DecodeLimits& limits) {
  LADDER_ASSIGN_OR_RETURN(
      imaging::Preprocessor preprocessor,
      imaging::Preprocessor::Create(
          {.height = input.height,
           .width = input.width,
           .normalize = {.mean = input.mean, .std = input.std},
           .limits = limits}));
  return std::shared_ptr<const ImageReader>(
      new ImageReader(std::move(files), std::move(preprocessor)));
}

ImageReader::ImageReader(ImageFiles files, imaging::Preprocessor preprocessor)
    : files_(std::move(files)), preprocessor_(std::move(preprocessor)) {}

absl::Status ImageReader::Read(size_t sample, std::span<float> x) const {
  const ImageFiles::Entry& entry = files_.entries[sample];
  const std::filesystem::path path = files_.folder / entry.path;
  const absl::StatusOr<std::vector<std::byte>> encoded =
      base::ReadWholeFile(path, kMaxFileBytes);
  const std::string line = base::LinePlace(files_.list, entry.line);
  if (!encoded.ok()) return base::AtPlace(line, encoded.status());
  const absl::Status status = preprocessor_.Run(*encoded, x);
  const std::optional<imaging::Rejection> rejection =
      imaging::GetRejection(status);
  if (!rejection.has_value()) return base::AtPlace(line, status);
  return base::Fault(
      imaging::RejectionName(*rejection),
      absl::StrCat(line, ": ", path.string(), ": ", status.message()));
}

absl::Status AttachImages(ImageFiles files,
                          const model_store::ImageInput& input,
                          const imaging::DecodeLimits& limits,
                          Dataset& dataset) {
  LADDER_ASSIGN_OR_RETURN(std::shared_ptr<const ImageReader> reader,
                          ImageReader::Create(std::move(files), input, limits));
  dataset.input = input;
  dataset.reader = std::move(reader);
  return absl::OkStatus();
}

CachingReader::CachingReader(std::shared_ptr<const CovariateReader> reader,
                             size_t num_samples, size_t sample_size,
                             size_t max_bytes)
    : reader_(std::move(reader)),
      sample_size_(sample_size),
      capacity_(max_bytes / (sample_size * sizeof(float))),
      kept_(num_samples) {}

CachingReader::~CachingReader() {
  for (const std::atomic<const float*>& kept : kept_) delete[] kept.load();
}

absl::Status CachingReader::Read(size_t sample, std::span<float> x) const {
  const float* kept = kept_[sample].load(std::memory_order_acquire);
  if (kept != nullptr && x.size() == sample_size_) {
    std::copy_n(kept, sample_size_, x.begin());
    return absl::OkStatus();
  }
  absl::Status status = reader_->Read(sample, x);
  if (status.ok()) Keep(sample, x);
  return status;
}

size_t CachingReader::size() const {
  return std::min(num_claimed_.load(), capacity_);
}

void CachingReader::Keep(size_t sample, std::span<const float> x) const {
  // Looking first keeps the counter from growing without end.
  if (num_claimed_.load(std::memory_order_relaxed) >= capacity_) return;
  if (num_claimed_.fetch_add(1) >= capacity_) return;
  auto copy = std::make_unique_for_overwrite<float[]>(x.size());
  std::copy(x.begin(), x.end(), copy.get());
  const float* none = nullptr;
  if (kept_[sample].compare_exchange_strong(none, copy.get(),
                                            std::memory_order_release)) {
    copy.release();
  } else {
    num_claimed_.fetch_sub(1);  // Another thread read the same sample.
  }
}

Dataset WithCache(Dataset dataset, size_t max_bytes) {
  if (max_bytes == 0) return dataset;
  dataset.reader = std::make_shared<CachingReader>(
      std::move(dataset.reader), dataset.samples.size(), dataset.sample_size(),
      max_bytes);
  return dataset;
}

}  // namespace ladder::trainer
