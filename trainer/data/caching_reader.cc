#include "trainer/data/caching_reader.h"

#include <algorithm>
#include <utility>

namespace ladder::trainer {

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
