#include "client/command/watch/histogram_quantile.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ladder::command {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

}  // namespace

double HistogramQuantile(double q, const MetricHistogram& histogram) {
  const auto& buckets = histogram.buckets;
  if (buckets.size() < 2 || !std::isinf(buckets.back().upper_bound)) {
    return kNaN;
  }
  const double total = buckets.back().count;
  if (!(total > 0)) return kNaN;
  const double rank = q * total;
  const auto bucket =
      std::find_if(buckets.begin(), buckets.end() - 1,
                   [&](const auto& b) { return b.count >= rank; });
  if (bucket == buckets.end() - 1) return (bucket - 1)->upper_bound;
  const bool is_first = bucket == buckets.begin();
  // There is no lower bound to begin a line at.
  if (is_first && bucket->upper_bound <= 0) return bucket->upper_bound;
  const double start = is_first ? 0 : (bucket - 1)->upper_bound;
  const double below = is_first ? 0 : (bucket - 1)->count;
  const double inside = bucket->count - below;
  if (inside <= 0) return start;  // Of q = 0, in an empty first bucket.
  return start + (bucket->upper_bound - start) * (rank - below) / inside;
}

double HistogramMean(const MetricHistogram& histogram) {
  return histogram.count > 0 ? histogram.sum / histogram.count : kNaN;
}

MetricHistogram HistogramIncrease(const MetricHistogram& newer,
                                  const MetricHistogram& older) {
  if (newer.buckets.size() != older.buckets.size() ||
      newer.count < older.count) {
    return newer;
  }
  MetricHistogram increase = newer;
  increase.count -= older.count;
  increase.sum -= older.sum;
  for (size_t i = 0; i < newer.buckets.size(); ++i) {
    const auto& old_bucket = older.buckets[i];
    if (newer.buckets[i].upper_bound != old_bucket.upper_bound ||
        newer.buckets[i].count < old_bucket.count) {
      return newer;
    }
    increase.buckets[i].count -= old_bucket.count;
  }
  return increase;
}

}  // namespace ladder::command
