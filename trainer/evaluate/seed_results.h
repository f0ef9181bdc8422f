#ifndef LADDER_TRAINER_EVALUATE_SEED_RESULTS_H_
#define LADDER_TRAINER_EVALUATE_SEED_RESULTS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "trainer/evaluate/metrics.h"

namespace ladder::trainer {

// The metrics that one method reached when it was trained with one seed.
struct SeedResult {
  std::string method = {};
  uint64_t seed = 0;
  Metrics metrics = {};
};

// One metric over the seeds of a method.
struct Spread {
  double mean = 0;
  std::optional<double> sd = {};    // Divides by n - 1; none if n is 1.
  std::vector<double> values = {};  // One for each of MethodSummary::seeds.
};

struct MethodSummary {
  std::string method = {};
  std::vector<uint64_t> seeds = {};       // Ascending.
  std::map<Metric, Spread> metrics = {};  // Those that every seed has.
};

// One summary per method: ERM, IRM, EQRM, DSNR and RDM, then the rows of
// routed_rows.h, then others in the order in which they first appear.
// InvalidArgument if a method has a seed twice.
absl::StatusOr<std::vector<MethodSummary>> Summarize(
    std::span<const SeedResult> results);

struct Interval {
  double low = 0;
  double high = 0;
};

// The difference of two methods in one metric when both have the same seed.
struct PairedDifference {
  double mean = 0;
  // Reaches from the 2.5 to the 97.5 percentile of the means of 10,000
  // bootstrap samples of the seeds: a description of so few of them, not a
  // test. There is none if there is only one seed.
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

#endif  // LADDER_TRAINER_EVALUATE_SEED_RESULTS_H_
