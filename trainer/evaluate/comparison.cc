#include "trainer/evaluate/comparison.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "routing/counter_rng.h"
#include "trainer/evaluate/mean.h"

namespace ladder::trainer {
namespace {

constexpr size_t kNumResamples = 10'000;
constexpr uint64_t kBootstrapSeed = 0;

struct SeedPair {
  size_t first;   // Its place in the first method's list of seeds.
  size_t second;  // And in the second's.
};

std::vector<SeedPair> PairSeeds(const MethodSummary& first,
                                const MethodSummary& second) {
  std::vector<SeedPair> pairs;
  for (size_t i = 0; i < first.seeds.size(); ++i) {
    const auto match =
        std::find(second.seeds.begin(), second.seeds.end(), first.seeds[i]);
    if (match == second.seeds.end()) continue;
    pairs.push_back(
        {.first = i,
         .second = static_cast<size_t>(match - second.seeds.begin())});
  }
  return pairs;
}

// Between two of the ascending `values` it goes linearly from one to the other.
double Quantile(std::span<const double> values, double p) {
  const double place = p * static_cast<double>(values.size() - 1);
  const auto below = static_cast<size_t>(std::floor(place));
  const size_t above = std::min(below + 1, values.size() - 1);
  return std::lerp(values[below], values[above], place - std::floor(place));
}

Interval BootstrapInterval(std::span<const double> differences) {
  const routing::CounterRng rng(kBootstrapSeed);
  const size_t size = differences.size();
  std::vector<double> resample(size);
  std::vector<double> means(kNumResamples);
  for (size_t r = 0; r < kNumResamples; ++r) {
    for (size_t i = 0; i < size; ++i) {
      resample[i] = differences[rng.Below(size, /*counter=*/r * size + i)];
    }
    means[r] = Mean(resample);
  }
  std::sort(means.begin(), means.end());
  return {.low = Quantile(means, 0.025), .high = Quantile(means, 0.975)};
}

PairedDifference Difference(const Spread& first, const Spread& second,
                            std::span<const SeedPair> pairs) {
  std::vector<double> differences;
  for (const SeedPair& pair : pairs) {
    differences.push_back(first.values[pair.first] -
                          second.values[pair.second]);
  }
  PairedDifference result{.mean = Mean(differences)};
  if (pairs.size() > 1) result.interval = BootstrapInterval(differences);
  return result;
}

}  // namespace

absl::StatusOr<Comparison> Compare(const MethodSummary& first,
                                   const MethodSummary& second) {
  const std::vector<SeedPair> pairs = PairSeeds(first, second);
  if (pairs.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "comparison: expected a seed in common, got ",
        absl::StrJoin(first.seeds, ", "), " of ", first.method, " and ",
        absl::StrJoin(second.seeds, ", "), " of ", second.method));
  }
  Comparison comparison{.first = first.method, .second = second.method};
  for (const SeedPair& pair : pairs) {
    comparison.seeds.push_back(first.seeds[pair.first]);
  }
  for (const auto& [metric, spread] : first.metrics) {
    const auto other = second.metrics.find(metric);
    if (other == second.metrics.end()) continue;
    comparison.metrics[metric] = Difference(spread, other->second, pairs);
  }
  return comparison;
}

}  // namespace ladder::trainer
