#ifndef LADDER_CLIENT_COMMAND_WATCH_EXPOSITION_H_
#define LADDER_CLIENT_COMMAND_WATCH_EXPOSITION_H_

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace ladder::client {

// Ordered by name, whatever order they came in.
using MetricLabels = std::map<std::string, std::string, std::less<>>;

struct MetricSample {
  MetricLabels labels;
  double value = 0;

  // Empty if there is no such label.
  absl::string_view label(absl::string_view name) const;
};

struct MetricHistogram {
  struct Bucket {
    double upper_bound = 0;  // The last one's is infinite.
    double count = 0;        // All observations up to the bound.
  };

  MetricLabels labels;          // Without "le".
  std::vector<Bucket> buckets;  // Ordered by ascending bound.
  double sum = 0;
  double count = 0;
};

// One answer of a metrics port: the samples of Prometheus' text format.
// Immutable once parsed; thread-safe.
class Exposition {
 public:
  Exposition() = default;

  // InvalidArgument, naming the line, if it is not in that format. Comments,
  // types and time stamps are passed over.
  static absl::StatusOr<Exposition> Parse(absl::string_view text);

  // A metric's samples in the order of the text; none if it is not there.
  const std::vector<MetricSample>& Samples(absl::string_view name) const;

  // The histograms that `name`_bucket, _sum and _count make, in the order of
  // the text.
  std::vector<MetricHistogram> Histograms(absl::string_view name) const;

  // The sample with exactly these labels; 0 if there is none.
  double Value(absl::string_view name, const MetricLabels& labels = {}) const;

 private:
  std::map<std::string, std::vector<MetricSample>, std::less<>> samples_;
};

// The value that a share `q`, from 0 to 1, of the observations does not exceed,
// by straight lines within buckets, as Prometheus' histogram_quantile. In the
// last bucket it is the highest finite bound. NaN without observations or
// without an infinite last bucket.
double HistogramQuantile(double q, const MetricHistogram& histogram);

// NaN without observations.
double HistogramMean(const MetricHistogram& histogram);

// What was observed between two scrapes: `newer` less `older`. All of `newer`
// if the server began anew in between, which shows in a count that fell.
MetricHistogram HistogramIncrease(const MetricHistogram& newer,
                                  const MetricHistogram& older);

}  // namespace ladder::client

#endif  // LADDER_CLIENT_COMMAND_WATCH_EXPOSITION_H_
