#ifndef LADDER_TRAINER_EVALUATE_COMPARISON_H_
#define LADDER_TRAINER_EVALUATE_COMPARISON_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "trainer/evaluate/metric.h"
#include "trainer/evaluate/seed_results.h"

namespace ladder::trainer {

struct Interval {
  double low = 0;
  double high = 0;
};

// By how much two methods differ in one metric when both have the same seed.
struct PairedDifference {
  double mean = 0;
  // From the 2.5 to the 97.5 percentile of the means of 10,000 bootstrap
  // samples of the seeds: a description of so few of them, not a test. None if
  // there is one seed.
  std::optional<Interval> interval = {};
};

// The first method minus the second.
struct Comparison {
  std::string first = {};
  std::string second = {};
  std::vector<uint64_t> seeds = {};  // Those that both have, ascending.
  std::map<Metric, PairedDifference> metrics = {};  // Those that both have.
};

// A pure function: the bootstrap has a seed of its own. InvalidArgument if the
// methods have no seed in common.
absl::StatusOr<Comparison> Compare(const MethodSummary& first,
                                   const MethodSummary& second);

}  // namespace ladder::trainer

#endif  // LADDER_TRAINER_EVALUATE_COMPARISON_H_
