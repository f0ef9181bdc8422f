#include "client/command/load/latency_histogram.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace ladder::client {
namespace {

// Up to 2^8, every nanosecond has its bucket; each further power of two is cut
// into 2^7 of them.
constexpr int kBits = 7;

size_t BucketOf(uint64_t value) {
  const auto width = static_cast<int>(std::bit_width(value));
  const int shift = std::max(0, width - (kBits + 1));
  return (static_cast<size_t>(shift) << kBits) +
         static_cast<size_t>(value >> shift);
}

uint64_t MiddleOf(size_t bucket) {
  const size_t row = bucket >> kBits;
  if (row < 2) return bucket;
  const auto shift = static_cast<int>(row - 1);
  const uint64_t first = (bucket - ((row - 1) << kBits)) << shift;
  return first + (uint64_t{1} << shift) / 2;
}

}  // namespace

void LatencyHistogram::Record(absl::Duration duration) {
  // Saturates.
  const int64_t nanoseconds =
      std::max<int64_t>(0, absl::ToInt64Nanoseconds(duration));
  const size_t bucket = BucketOf(static_cast<uint64_t>(nanoseconds));
  if (bucket >= buckets_.size()) buckets_.resize(bucket + 1);
  ++buckets_[bucket];
  ++count_;
  max_ = std::max(max_, nanoseconds);
  sum_ += static_cast<double>(nanoseconds);
}

absl::Duration LatencyHistogram::Quantile(double q) const {
  if (count_ == 0) return absl::ZeroDuration();
  const double share = std::clamp(q, 0.0, 1.0);
  const auto rank = std::max<uint64_t>(
      1, static_cast<uint64_t>(std::ceil(share * static_cast<double>(count_))));
  uint64_t seen = 0;
  for (size_t i = 0; i < buckets_.size(); ++i) {
    seen += buckets_[i];
    if (seen == count_ && rank == count_) break;
    if (seen >= rank) {
      return std::min(Max(),
                      absl::Nanoseconds(static_cast<int64_t>(MiddleOf(i))));
    }
  }
  return Max();
}

absl::Duration LatencyHistogram::Mean() const {
  if (count_ == 0) return absl::ZeroDuration();
  return absl::Nanoseconds(sum_ / static_cast<double>(count_));
}

}  // namespace ladder::client
