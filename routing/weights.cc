#include "routing/weights.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "routing/check_matrix.h"
#include "routing/softmax.h"

namespace ladder::routing {
namespace {

constexpr double kSumTolerance = 1e-6;

// The names stand in the order of the enumerators.
constexpr absl::string_view kMethodNames[] = {
    "ladder",      "nearest",           "uniform",
    "sample_gate", "sample_gate_group", "fixed"};

absl::Status CheckTemperature(absl::string_view name, double value) {
  if (value > 0 && std::isfinite(value)) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(name, " must be positive and finite, got ", value));
}

absl::Status CheckWeight(absl::string_view source, double weight) {
  if (weight >= 0 && std::isfinite(weight)) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("weight of source ", source, " is ", weight,
                   "; expected a finite value of at least 0"));
}

absl::Status CheckGates(const MatrixView& gate_logits, double temperature) {
  if (gate_logits.cols == 0) {
    return absl::InvalidArgumentError(
        "gate logits: expected at least one column, got none");
  }
  LADDER_RETURN_IF_ERROR(
      CheckMatrix(gate_logits, "gate logits", gate_logits.cols));
  return CheckTemperature("gate temperature", temperature);
}

}  // namespace

absl::string_view MethodName(Method method) {
  return kMethodNames[static_cast<size_t>(method)];
}

absl::StatusOr<Method> ParseMethod(absl::string_view name) {
  const auto* const found =
      std::find(std::begin(kMethodNames), std::end(kMethodNames), name);
  if (found == std::end(kMethodNames)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "routing method must be one of ", absl::StrJoin(kMethodNames, ", "),
        ", got \"", name, "\""));
  }
  return static_cast<Method>(found - std::begin(kMethodNames));
}

std::vector<size_t> NearestSources(std::span<const double> distances,
                                   size_t k) {
  std::vector<size_t> sources(distances.size());
  std::iota(sources.begin(), sources.end(), size_t{0});
  const size_t count = std::min(k, sources.size());
  const auto nearer = [&](size_t a, size_t b) {
    return std::tie(distances[a], a) < std::tie(distances[b], b);
  };
  std::partial_sort(sources.data(), sources.data() + count,
                    sources.data() + sources.size(), nearer);
  sources.resize(count);
  return sources;
}

absl::StatusOr<std::vector<double>> SoftmaxWeights(
    std::span<const double> distances, size_t k, double tau) {
  if (distances.empty()) {
    return absl::InvalidArgumentError("there are no sources to weight");
  }
  if (k != kAllSources && (k == 0 || k > distances.size())) {
    return absl::InvalidArgumentError(
        absl::StrCat("k must be between 1 and ", distances.size(),
                     " (the number of sources) or all, got ", k));
  }
  LADDER_RETURN_IF_ERROR(CheckTemperature("tau", tau));
  for (size_t source = 0; source < distances.size(); ++source) {
    if (!std::isfinite(distances[source])) {
      return absl::InvalidArgumentError(
          absl::StrCat("distance to source ", source, " is ", distances[source],
                       "; expected a finite value"));
    }
  }

  const std::vector<size_t> nearest = NearestSources(distances, k);
  std::vector<double> shares;
  shares.reserve(nearest.size());
  for (const size_t source : nearest) shares.push_back(-distances[source]);
  Softmax(shares, tau);

  std::vector<double> weights(distances.size(), 0);
  for (size_t i = 0; i < nearest.size(); ++i) weights[nearest[i]] = shares[i];
  return weights;
}

std::vector<double> UniformWeights(size_t num_sources) {
  return std::vector<double>(num_sources, 1 / static_cast<double>(num_sources));
}

absl::Status CheckFixedWeights(std::span<const double> weights,
                               size_t num_sources) {
  if (weights.size() != num_sources) {
    return absl::InvalidArgumentError(
        absl::StrCat("expected ", num_sources,
                     " weights (one per source), got ", weights.size()));
  }
  for (size_t source = 0; source < num_sources; ++source) {
    LADDER_RETURN_IF_ERROR(CheckWeight(absl::StrCat(source), weights[source]));
  }
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  if (std::abs(sum - 1) > kSumTolerance) {
    // StrCat prints 1.000002 as 1, so the message gives the excess as well.
    return absl::InvalidArgumentError(
        absl::StrCat("weights must sum to 1, got a sum of ", sum, " (off by ",
                     sum - 1, "; ", kSumTolerance, " is allowed)"));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<double>> NamedWeights(
    std::span<const NamedWeight> named,
    std::span<const std::string> source_names) {
  std::vector<double> weights(source_names.size(), 0);
  std::vector<bool> given(source_names.size(), false);
  for (const NamedWeight& entry : named) {
    const auto found =
        std::find(source_names.begin(), source_names.end(), entry.source);
    if (found == source_names.end()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "weight for unknown source \"", entry.source, "\"; the sources are ",
          absl::StrJoin(source_names, ", ")));
    }
    const auto source = static_cast<size_t>(found - source_names.begin());
    if (given[source]) {
      return absl::InvalidArgumentError(absl::StrCat(
          "source \"", entry.source, "\" is given a weight twice"));
    }
    LADDER_RETURN_IF_ERROR(
        CheckWeight(absl::StrCat("\"", entry.source, "\""), entry.weight));
    given[source] = true;
    weights[source] = entry.weight;
  }
  LADDER_RETURN_IF_ERROR(CheckFixedWeights(weights, source_names.size()));
  return weights;
}

absl::Status SampleGateWeights(const MatrixView& gate_logits,
                               double temperature, std::span<float> weights) {
  LADDER_RETURN_IF_ERROR(CheckGates(gate_logits, temperature));
  if (weights.size() != gate_logits.Values().size()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "sample weights: expected room for ", gate_logits.Values().size(),
        " values, got ", weights.size()));
  }
  SoftmaxEachRow(gate_logits, temperature, weights);
  return absl::OkStatus();
}

absl::StatusOr<std::vector<double>> MeanGateWeights(
    const MatrixView& gate_logits, double temperature) {
  LADDER_RETURN_IF_ERROR(CheckGates(gate_logits, temperature));
  std::vector<double> mean(gate_logits.cols, 0);
  std::vector<double> gate(gate_logits.cols);
  for (size_t row = 0; row < gate_logits.rows; ++row) {
    const auto logits = gate_logits.Row(row);
    gate.assign(logits.begin(), logits.end());
    Softmax(gate, temperature);
    for (size_t source = 0; source < mean.size(); ++source) {
      mean[source] += gate[source];
    }
  }
  for (double& weight : mean) weight /= static_cast<double>(gate_logits.rows);
  return mean;
}

double EffectiveExperts(std::span<const double> weights) {
  double entropy = 0;
  for (const double weight : weights) {
    if (weight > 0) entropy -= weight * std::log(weight);  // 0 log 0 is 0.
  }
  return std::exp(entropy);
}

}  // namespace ladder::routing
