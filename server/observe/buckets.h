#ifndef LADDER_SERVER_OBSERVE_BUCKETS_H_
#define LADDER_SERVER_OBSERVE_BUCKETS_H_

#include <cstddef>

#include "prometheus/histogram.h"

namespace ladder::server {

// How many values a label may take, and the upper bounds of the histograms'
// buckets.

inline constexpr size_t kMaxModels = 256;
inline constexpr size_t kMaxCodes = 32;  // There are seventeen.

// From a routing step of a small group to a long stream.
inline prometheus::Histogram::BucketBoundaries SecondsBuckets() {
  return {0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1,
          0.25,   0.5,     1,      2.5,   5,      10,    30,   60,    300};
}

inline prometheus::Histogram::BucketBoundaries BatchSizeBuckets() {
  return {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024};
}

// Style vectors are normalised by the sources' statistics, so that distances
// between domains are about one.
inline prometheus::Histogram::BucketBoundaries DistanceBuckets() {
  return {0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25,
          0.5,   1,      2.5,   5,    10,    25,   50,  100};
}

inline prometheus::Histogram::BucketBoundaries ExpertsBuckets() {
  return {1, 1.5, 2, 3, 4, 6, 8, 12, 16, 24, 32, 64, 128};
}

}  // namespace ladder::server

#endif  // LADDER_SERVER_OBSERVE_BUCKETS_H_
