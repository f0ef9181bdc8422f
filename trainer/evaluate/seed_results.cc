#include "trainer/evaluate/seed_results.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "trainer/evaluate/mean.h"
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

}  // namespace

absl::StatusOr<std::vector<MethodSummary>> Summarize(
    std::span<const SeedResult> results) {
  std::vector<MethodSummary> summaries;
  for (const std::string& method : MethodsOf(results)) {
    auto summary = SummarizeMethod(method, results);
    if (!summary.ok()) return summary.status();
    summaries.push_back(*std::move(summary));
  }
  return summaries;
}

}  // namespace ladder::trainer
