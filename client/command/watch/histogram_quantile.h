#ifndef LADDER_CLIENT_COMMAND_WATCH_HISTOGRAM_QUANTILE_H_
#define LADDER_CLIENT_COMMAND_WATCH_HISTOGRAM_QUANTILE_H_

#include "client/command/watch/exposition.h"

namespace ladder::command {

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

}  // namespace ladder::command

#endif  // LADDER_CLIENT_COMMAND_WATCH_HISTOGRAM_QUANTILE_H_
