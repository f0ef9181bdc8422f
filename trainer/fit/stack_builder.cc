#include "trainer/fit/stack_builder.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/status_macros.h"
#include "routing/sinkhorn_distance.h"

namespace ladder::trainer {
namespace {

using routing::MatrixView;

MatrixView ViewOf(const torch::Tensor& matrix) {
  return {matrix.data_ptr<float>(), static_cast<size_t>(matrix.size(0)),
          static_cast<size_t>(matrix.size(1))};
}

// Matrices of one width and the memory they lie in.
class Clouds {
 public:
  // InvalidArgument as StyleNormalizer::Apply.
  absl::Status Add(const torch::Tensor& raw,
                   const routing::StyleNormalizer& normalizer) {
    const MatrixView view = ViewOf(raw);
    std::vector<float>& values = values_.emplace_back(view.rows * view.cols);
    absl::Status status = normalizer.Apply(view, values);
    views_.push_back({values.data(), view.rows, view.cols});
    return status;
  }

  const std::vector<MatrixView>& views() const { return views_; }

 private:
  std::vector<std::vector<float>> values_;
  std::vector<MatrixView> views_;
};

absl::StatusOr<routing::LinearHeads> StackHeads(
    const std::vector<SourceSummary>& summaries) {
  std::vector<float> weights;
  std::vector<float> bias;
  for (const SourceSummary& summary : summaries) {
    const auto append = [](const torch::Tensor& tensor,
                           std::vector<float>& values) {
      const torch::Tensor flat = tensor.contiguous();
      values.insert(values.end(), flat.data_ptr<float>(),
                    flat.data_ptr<float>() + flat.numel());
    };
    append(summary.weight, weights);
    append(summary.bias, bias);
  }
  const torch::Tensor& weight = summaries.front().weight;
  return routing::LinearHeads::Create(
      summaries.size(), static_cast<size_t>(weight.size(0)),
      static_cast<size_t>(weight.size(1)), std::move(weights), std::move(bias));
}

absl::StatusOr<std::vector<double>> SourceDistances(
    const routing::SinkhornDistance& distance,
    const std::vector<MatrixView>& clouds,
    const routing::Execution& execution) {
  const size_t num_sources = clouds.size();
  std::vector<double> all(num_sources * num_sources, 0.0);
  for (size_t e = 0; e + 1 < num_sources; ++e) {
    // The divergence is symmetric but for rounding, so half of them suffices.
    std::vector<size_t> others(num_sources - e - 1);
    std::iota(others.begin(), others.end(), e + 1);
    std::vector<double> row(others.size());
    LADDER_RETURN_IF_ERROR(distance.Compute(clouds[e], others, row, execution));
    for (size_t i = 0; i < others.size(); ++i) {
      all[e * num_sources + others[i]] = std::max(row[i], 0.0);
      all[others[i] * num_sources + e] = all[e * num_sources + others[i]];
    }
  }
  return all;
}

absl::StatusOr<routing::CoverageCalibration> Calibrate(
    const routing::SinkhornDistance& distance,
    const std::vector<MatrixView>& held_out, uint64_t seed,
    const routing::Execution& execution) {
  auto calibration =
      routing::CalibrateCoverage(distance, held_out, {.seed = seed}, execution);
  if (absl::IsFailedPrecondition(calibration.status())) {
    return routing::CoverageCalibration{};
  }
  return calibration;
}

model_store::RoutingDefaults RoutingOf(const FitOptions& options) {
  return {.k = options.k == 0 ? routing::kAllSources
                              : static_cast<size_t>(options.k),
          .tau = options.tau,
          .sinkhorn = {.blur = options.blur, .scaling = options.scaling},
          .max_style_samples = static_cast<size_t>(options.max_style_samples),
          .seed = options.seed};
}

}  // namespace

absl::StatusOr<TrainedStack> BuildStack(
    const FitOptions& options, const Dataset& dataset,
    const SourceSelection& selection,
    const std::vector<SourceSummary>& summaries,
    const routing::Execution& execution) {
  std::vector<MatrixView> raw;
  std::vector<model_store::Source> sources;
  for (size_t e = 0; e < summaries.size(); ++e) {
    raw.push_back(ViewOf(summaries[e].style));
    sources.push_back({.name = dataset.domains[static_cast<size_t>(
                           selection.domain_of_source[e])],
                       .training_samples = selection.samples[e].size(),
                       .fingerprint_samples = raw.back().rows});
  }
  LADDER_ASSIGN_OR_RETURN(auto normalizer, routing::StyleNormalizer::Fit(raw));
  Clouds styles;
  Clouds held_out;
  for (const SourceSummary& summary : summaries) {
    LADDER_RETURN_IF_ERROR(styles.Add(summary.style, normalizer));
    LADDER_RETURN_IF_ERROR(held_out.Add(summary.held_out, normalizer));
  }
  model_store::RoutingDefaults routing = RoutingOf(options);
  if (routing.k != routing::kAllSources) {
    routing.k = std::min(routing.k, summaries.size());
  }
  LADDER_ASSIGN_OR_RETURN(auto fingerprints,
                          routing::Fingerprints::Create(
                              styles.views(), routing.sinkhorn, execution));
  const routing::SinkhornDistance distance(fingerprints.Copy());
  LADDER_ASSIGN_OR_RETURN(auto source_distances,
                          SourceDistances(distance, styles.views(), execution));
  LADDER_ASSIGN_OR_RETURN(auto coverage, Calibrate(distance, held_out.views(),
                                                   options.seed, execution));
  LADDER_ASSIGN_OR_RETURN(auto heads, StackHeads(summaries));
  return TrainedStack{
      .classes = dataset.classes,
      .sources = std::move(sources),
      .heads = std::move(heads),
      .styles = {std::move(normalizer), std::move(fingerprints)},
      .coverage = std::move(coverage),
      .source_distances = std::move(source_distances),
      .routing = routing};
}

}  // namespace ladder::trainer
