#include "routing/router.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "routing/check_matrix.h"

namespace ladder::routing {
namespace {

// The sources that may get weight, ascending.
absl::StatusOr<std::vector<size_t>> AllowedSources(
    const RoutingOptions& options, size_t num_sources) {
  std::vector<size_t> allowed = options.sources;
  if (allowed.empty()) {
    allowed.resize(num_sources);
    std::iota(allowed.begin(), allowed.end(), size_t{0});
  }
  std::sort(allowed.begin(), allowed.end());
  if (allowed.back() >= num_sources) {
    return absl::InvalidArgumentError(
        absl::StrCat("sources: index must be below ", num_sources, ", got ",
                     allowed.back()));
  }
  const auto twice = std::adjacent_find(allowed.begin(), allowed.end());
  if (twice != allowed.end()) {
    return absl::InvalidArgumentError(
        absl::StrCat("sources: ", *twice, " is listed twice"));
  }
  return allowed;
}

absl::Status CheckFixedWithin(std::span<const double> weights,
                              std::span<const size_t> allowed,
                              size_t num_sources) {
  LADDER_RETURN_IF_ERROR(CheckFixedWeights(weights, num_sources));
  for (size_t source = 0; source < num_sources; ++source) {
    if (weights[source] > 0 &&
        !std::binary_search(allowed.begin(), allowed.end(), source)) {
      return absl::InvalidArgumentError(absl::StrCat(
          "fixed_weights: source ", source, " has weight ", weights[source],
          " but is not among the sources that may get any"));
    }
  }
  return absl::OkStatus();
}

std::vector<double> Gather(std::span<const double> values,
                           std::span<const size_t> allowed) {
  std::vector<double> gathered;
  gathered.reserve(allowed.size());
  for (const size_t source : allowed) gathered.push_back(values[source]);
  return gathered;
}

// The inverse of Gather; zero for the sources that are not allowed.
std::vector<double> Scatter(std::span<const double> values,
                            std::span<const size_t> allowed,
                            size_t num_sources) {
  std::vector<double> scattered(num_sources, 0);
  for (size_t i = 0; i < allowed.size(); ++i) scattered[allowed[i]] = values[i];
  return scattered;
}

std::vector<float> GatherColumns(const MatrixView& matrix,
                                 std::span<const size_t> columns) {
  std::vector<float> values;
  values.reserve(matrix.rows * columns.size());
  for (size_t i = 0; i < matrix.rows; ++i) {
    const auto row = matrix.Row(i);
    for (const size_t column : columns) values.push_back(row[column]);
  }
  return values;
}

// The gates of the allowed sources alone: renormalising over them is a softmax
// that never saw the others.
absl::StatusOr<std::vector<float>> AllowedGates(const MatrixView& gate_logits,
                                                std::span<const size_t> allowed,
                                                size_t num_sources) {
  if (gate_logits.rows == 0) {
    return absl::InvalidArgumentError(
        "gate logits: the routing method needs them, got none");
  }
  LADDER_RETURN_IF_ERROR(CheckMatrix(gate_logits, "gate logits", num_sources));
  return GatherColumns(gate_logits, allowed);
}

absl::Status CheckHasStyle(const MatrixView& style) {
  if (style.rows > 0) return absl::OkStatus();
  return absl::InvalidArgumentError(
      "style vectors: the routing method needs them, got none");
}

absl::Status CheckDistances(std::span<const double> distances,
                            size_t num_sources) {
  if (distances.size() != num_sources) {
    return absl::InvalidArgumentError(absl::StrCat(
        "expected ", num_sources, " distances, got ", distances.size()));
  }
  for (size_t source = 0; source < num_sources; ++source) {
    if (!std::isfinite(distances[source])) {
      return absl::InvalidArgumentError(
          absl::StrCat("distance to source ", source, " is ", distances[source],
                       ": style values are too large"));
    }
  }
  return absl::OkStatus();
}

}  // namespace

bool UsesDistances(Method method) {
  return method == Method::kLadder || method == Method::kNearest;
}

Router::Router(std::shared_ptr<const StyleDistance> distance,
               CoverageCalibration calibration)
    : distance_(std::move(distance)), calibration_(std::move(calibration)) {}

absl::StatusOr<Router> Router::Create(
    std::shared_ptr<const StyleDistance> distance,
    CoverageCalibration calibration) {
  if (distance == nullptr) {
    return absl::InvalidArgumentError("a router needs a style distance");
  }
  LADDER_RETURN_IF_ERROR(calibration.Validate());
  return Router(std::move(distance), std::move(calibration));
}

absl::Status Router::CheckOptions(const RoutingOptions& options) const {
  LADDER_ASSIGN_OR_RETURN(const auto allowed,
                          AllowedSources(options, num_sources()));
  if (options.stability.has_value()) {
    LADDER_RETURN_IF_ERROR(options.stability->Validate());
  }
  // Where a rule checks its own options, it is tried on made-up input.
  switch (options.method) {
    case Method::kLadder:
      return SoftmaxWeights(std::vector<double>(num_sources()), options.k,
                            options.tau)
          .status();
    case Method::kNearest:
    case Method::kUniform:
      return absl::OkStatus();
    case Method::kSampleGate:
    case Method::kSampleGateGroup: {
      const float gate = 0;
      return MeanGateWeights({&gate, 1, 1}, options.gate_temperature).status();
    }
    case Method::kFixed:
      return CheckFixedWithin(options.fixed_weights, allowed, num_sources());
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "unknown routing method ", static_cast<int>(options.method)));
}

absl::StatusOr<Routing> Router::Route(const GroupStyle& group,
                                      const RoutingOptions& options,
                                      const Execution& execution) const {
  LADDER_RETURN_IF_ERROR(CheckOptions(options));
  if (!UsesDistances(options.method)) {
    return Decide(group, /*distances=*/{}, options, execution);
  }
  LADDER_ASSIGN_OR_RETURN(const auto distances,
                          Distances(group.style, execution));
  return Decide(group, distances, options, execution);
}

absl::StatusOr<std::vector<double>> Router::Distances(
    const MatrixView& style, const Execution& execution) const {
  LADDER_RETURN_IF_ERROR(CheckHasStyle(style));
  std::vector<size_t> sources(num_sources());
  std::iota(sources.begin(), sources.end(), size_t{0});
  std::vector<double> distances(sources.size());
  LADDER_RETURN_IF_ERROR(
      distance_->Compute(style, sources, distances, execution));
  return distances;
}

absl::StatusOr<Routing> Router::Decide(const GroupStyle& group,
                                       std::span<const double> distances,
                                       const RoutingOptions& options,
                                       const Execution& execution) const {
  LADDER_RETURN_IF_ERROR(CheckOptions(options));
  const std::vector<size_t> allowed = *AllowedSources(options, num_sources());
  Routing routing;
  routing.method = options.method;
  routing.per_sample = options.method == Method::kSampleGate;
  routing.num_seen = group.num_seen;
  switch (options.method) {
    case Method::kLadder:
    case Method::kNearest: {
      LADDER_RETURN_IF_ERROR(DecideByDistance(group, allowed, distances,
                                              options, execution, routing));
      break;
    }
    case Method::kUniform:
      routing.weights =
          Scatter(UniformWeights(allowed.size()), allowed, num_sources());
      break;
    case Method::kSampleGate:
    case Method::kSampleGateGroup: {
      LADDER_ASSIGN_OR_RETURN(
          const auto gates,
          AllowedGates(group.gate_logits, allowed, num_sources()));
      LADDER_ASSIGN_OR_RETURN(
          const auto mean,
          MeanGateWeights(
              {gates.data(), group.gate_logits.rows, allowed.size()},
              options.gate_temperature));
      routing.weights = Scatter(mean, allowed, num_sources());
      break;
    }
    case Method::kFixed:
      routing.weights = options.fixed_weights;
      break;
  }
  routing.effective_experts = EffectiveExperts(routing.weights);
  return routing;
}

absl::Status Router::DecideByDistance(const GroupStyle& group,
                                      std::span<const size_t> allowed,
                                      std::span<const double> distances,
                                      const RoutingOptions& options,
                                      const Execution& execution,
                                      Routing& routing) const {
  LADDER_RETURN_IF_ERROR(CheckHasStyle(group.style));
  LADDER_RETURN_IF_ERROR(CheckDistances(distances, num_sources()));
  const std::vector<double> near = Gather(distances, allowed);
  const bool nearest_only = options.method == Method::kNearest;
  const RoutedSample sample{
      .style = group.style,
      .sources = allowed,
      .distances = near,
      .k = nearest_only ? 1 : std::min(options.k, allowed.size()),
      .tau = nearest_only ? 1 : options.tau};
  LADDER_ASSIGN_OR_RETURN(const auto weights,
                          SoftmaxWeights(near, sample.k, sample.tau));
  routing.weights = Scatter(weights, allowed, num_sources());
  routing.distances.assign(distances.begin(), distances.end());
  routing.num_style = group.style.rows;
  routing.coverage =
      AssessCoverage(calibration_, *std::min_element(near.begin(), near.end()),
                     routing.num_style);
  if (!options.stability.has_value()) return absl::OkStatus();
  LADDER_ASSIGN_OR_RETURN(
      routing.stability,
      group.halves != nullptr
          ? AssessStability(*distance_, sample, *group.halves, execution)
          : AssessStability(*distance_, sample, *options.stability, execution));
  return absl::OkStatus();
}

absl::Status Router::SampleWeights(const MatrixView& gate_logits,
                                   const RoutingOptions& options,
                                   std::span<float> weights) const {
  LADDER_ASSIGN_OR_RETURN(const auto allowed,
                          AllowedSources(options, num_sources()));
  LADDER_ASSIGN_OR_RETURN(const auto gates,
                          AllowedGates(gate_logits, allowed, num_sources()));
  if (weights.size() != gate_logits.rows * num_sources()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "sample weights: expected room for ", gate_logits.rows * num_sources(),
        " values, got ", weights.size()));
  }
  std::vector<float> allowed_weights(gates.size());
  LADDER_RETURN_IF_ERROR(
      SampleGateWeights({gates.data(), gate_logits.rows, allowed.size()},
                        options.gate_temperature, allowed_weights));
  std::fill(weights.begin(), weights.end(), 0.0f);
  for (size_t i = 0; i < allowed_weights.size(); ++i) {
    const size_t row = i / allowed.size();
    const size_t source = allowed[i % allowed.size()];
    weights[row * num_sources() + source] = allowed_weights[i];
  }
  return absl::OkStatus();
}

}  // namespace ladder::routing
