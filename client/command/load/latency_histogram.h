#ifndef LADDER_CLIENT_COMMAND_LOAD_LATENCY_HISTOGRAM_H_
#define LADDER_CLIENT_COMMAND_LOAD_LATENCY_HISTOGRAM_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/time/time.h"

namespace ladder::client {

// Counts durations in buckets that widen with them, so that any number of
// durations takes 60 kB at most and every quantile is within kMaxRelativeError
// of the exact one. Not thread-safe.
class LatencyHistogram {
 public:
  // Half of a bucket, whose width is at most 1/128 of what it holds.
  static constexpr double kMaxRelativeError = 1.0 / 256;

  // Counts a duration, to the nanosecond. Negative ones count as 0, and those
  // beyond 292 years as 292 years.
  void Record(absl::Duration duration);

  uint64_t count() const { return count_; }

  // The smallest duration that a share `q`, from 0 to 1, of all does not
  // exceed; zero if there are none. Exact for q = 1.
  absl::Duration Quantile(double q) const;

  absl::Duration Max() const { return absl::Nanoseconds(max_); }
  absl::Duration Mean() const;  // Zero if there are none.

 private:
  std::vector<uint64_t> buckets_;  // There are as many as were needed so far.
  uint64_t count_ = 0;
  int64_t max_ = 0;
  double sum_ = 0;
};

}  // namespace ladder::client

#endif  // LADDER_CLIENT_COMMAND_LOAD_LATENCY_HISTOGRAM_H_
