#include "trainer/evaluate/seed_results.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <span>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "routing/counter_rng.h"
#include "trainer/evaluate/metrics.h"
#include "trainer/evaluate/routed_rows.h"

namespace ladder::trainer {
namespace {

constexpr const char* kOrder[] = {"ERM",          "IRM",       "EQRM",
                                  "DSNR",         "RDM",       kUniformExperts,
                                  kNearestExpert, kSampleGate, kSampleGateGroup,
                                  kLadderSplit,   kLadderGroup};

// Methods that the order does not name share the last place.
ptrdiff_t PlaceOf(const std::string& method) {
  return std::find(std::begin(kOrder), std::end(kOrder), method) -
         std::begin(kOrder);
}

std::vector<std::string> MethodsOf(std::span<const SeedResult> results) {
  std::vector<std::string> methods;
  for (const SeedResult& result : results) {
    if (std::find(methods.begin(), methods.end(), result.method) ==
        methods.end()) {
      methods.push_back(result.method);
    }
  }
  std::stable_sort(methods.begin(), methods.end(),
                   [](const std::string& a, const std::string& b) {
                     return PlaceOf(a) < PlaceOf(b);
                   });
  return methods;
}

Spread SpreadOf(std::vector<double> values) {
  Spread spread{.mean = Mean(values)};
  if (values.size() > 1) {
    double squares = 0;
    for (const double value : values) {
      squares += (value - spread.mean) * (value - spread.mean);
    }
    spread.sd = std::sqrt(squares / static_cast<double>(values.size() - 1));
  }
  spread.values = std::move(values);
  return spread;
}

absl::StatusOr<MethodSummary> SummarizeMethod(
    const std::string& method, std::span<const SeedResult> results) {
  std::map<uint64_t, const Metrics*> by_seed;
  for (const SeedResult& result : results) {
    if (result.method != method) continue;
    if (!by_seed.emplace(result.seed, &result.metrics).second) {
      return absl::InvalidArgumentError(
          absl::StrCat("results of ", method, ": expected one per seed, got ",
                       "two of seed ", result.seed));
    }
  }
  MethodSummary summary{.method = method};
  for (const auto& [seed, metrics] : by_seed) summary.seeds.push_back(seed);
  for (const Metric metric : kAllMetrics) {
    std::vector<double> values;
    for (const auto& [seed, metrics] : by_seed) {
      const auto value = InfoOf(metric).value(*metrics);
      if (value.has_value()) values.push_back(*value);
    }
    if (values.size() < by_seed.size()) continue;
    summary.metrics[metric] = SpreadOf(std::move(values));
  }
  return summary;
}

constexpr size_t kNumResamples = 10'000;
constexpr uint64_t kBootstrapSeed = 0;

struct SeedPair {
  size_t first;   // The seed's place in the first method's list of seeds.
  size_t second;  // Its place in the second method's list.
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

absl::StatusOr<std::vector<MethodSummary>> Summarize(
    std::span<const SeedResult> results) {
  std::vector<MethodSummary> summaries;
  for (const std::string& method : MethodsOf(results)) {
    LADDER_ASSIGN_OR_RETURN(auto summary, SummarizeMethod(method, results));
    summaries.push_back(std::move(summary));
  }
  return summaries;
}

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
