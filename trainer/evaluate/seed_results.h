#ifndef LADDER_TRAINER_EVALUATE_SEED_RESULTS_H_
#define LADDER_TRAINER_EVALUATE_SEED_RESULTS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "trainer/evaluate/metric.h"
#include "trainer/evaluate/metrics.h"

namespace ladder::trainer {

// What one method reached when it was trained with one seed.
struct SeedResult {
  std::string method = {};
  uint64_t seed = 0;
  Metrics metrics = {};
};

// One metric over the seeds of a method.
struct Spread {
  double mean = 0;
  std::optional<double> sd = {};    // With n - 1; none if there is one seed.
  std::vector<double> values = {};  // In the order of MethodSummary::seeds.
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

}  // namespace ladder::trainer

#endif  // LADDER_TRAINER_EVALUATE_SEED_RESULTS_H_
