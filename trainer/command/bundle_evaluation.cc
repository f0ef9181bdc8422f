#include "trainer/command/bundle_evaluation.h"

#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "trainer/command/model_session.h"
#include "trainer/evaluate/measured_split.h"
#include "trainer/evaluate/routed_rows.h"

namespace ladder::trainer {
namespace {

class Evaluation {
 public:
  Evaluation(const TrainedBundle& bundle, const Dataset& dataset,
             const EvaluationOptions& options,
             const routing::Execution& execution, FitObserver& observer)
      : bundle_(bundle),
        dataset_(dataset),
        options_(options),
        execution_(execution),
        observer_(observer) {}

  absl::StatusOr<BundleEvaluation> Run() {
    LADDER_ASSIGN_OR_RETURN(const auto samples, Encode(options_.split));
    BundleEvaluation evaluation;
    LADDER_ASSIGN_OR_RETURN(evaluation.rows, Measure(samples, &evaluation));
    if (!options_.source_split.has_value()) return evaluation;
    LADDER_ASSIGN_OR_RETURN(const auto source_samples,
                            Encode(*options_.source_split));
    LADDER_ASSIGN_OR_RETURN(const auto source_rows,
                            Measure(source_samples, /*evaluation=*/nullptr));
    for (size_t i = 0; i < source_rows.size(); ++i) {
      Metrics& metrics = evaluation.rows[i].metrics;
      metrics.drop = source_rows[i].metrics.accuracy - metrics.accuracy;
    }
    return evaluation;
  }

 private:
  absl::StatusOr<EncodedSamples> Encode(Split split) {
    auto encoded = EncodeShown(
        *bundle_.model, dataset_, dataset_.SamplesOf(split),
        absl::StrCat("encoding ", SplitName(split)), execution_, observer_);
    if (!encoded.ok() || encoded->size() > 0) return encoded;
    return absl::FailedPreconditionError(
        absl::StrCat("split ", std::string(SplitName(split)),
                     ": expected samples, found none"));
  }

  // The rows of one split; sweeps and groups too, unless `evaluation` is null.
  absl::StatusOr<std::vector<SeedResult>> Measure(
      const EncodedSamples& samples, BundleEvaluation* evaluation) {
    const LabelledSplit truth =
        SplitOf(samples, dataset_.regions, dataset_.classes.size());
    LADDER_ASSIGN_OR_RETURN(
        const auto whole,
        MeasuredSplit::Measure(bundle_.stack, samples, Grouping::kWholeSplit,
                               execution_));
    if (!bundle_.baseline.empty()) {
      LADDER_ASSIGN_OR_RETURN(
          const auto predicted,
          whole.Predict({.method = bundle_.stack.routing.method}, execution_));
      return Rows(truth,
                  {{absl::AsciiStrToUpper(bundle_.baseline), predicted}});
    }
    std::optional<MeasuredSplit> domains;
    if (options_.grouping == Grouping::kPerDomain) {
      LADDER_ASSIGN_OR_RETURN(
          domains, MeasuredSplit::Measure(bundle_.stack, samples,
                                          Grouping::kPerDomain, execution_));
    }
    LADDER_ASSIGN_OR_RETURN(
        auto routed,
        PredictRows(whole, domains.has_value() ? &*domains : nullptr,
                    execution_));
    if (evaluation != nullptr) {
      evaluation->groups = std::move(routed.groups);
      LADDER_RETURN_IF_ERROR(
          Sweep(domains.has_value() ? *domains : whole, truth, *evaluation));
    }
    return Rows(truth, routed.rows);
  }

  absl::StatusOr<std::vector<SeedResult>> Rows(
      const LabelledSplit& truth,
      const std::vector<MethodPredictions>& predictions) const {
    std::vector<SeedResult> rows;
    for (const MethodPredictions& row : predictions) {
      LADDER_ASSIGN_OR_RETURN(
          auto metrics, ComputeMetrics(truth, row.labels, options_.metrics));
      rows.push_back({.method = row.method,
                      .seed = bundle_.seed,
                      .metrics = std::move(metrics)});
    }
    return rows;
  }

  absl::Status Sweep(const MeasuredSplit& split, const LabelledSplit& truth,
                     BundleEvaluation& evaluation) const {
    std::vector<size_t> ks;
    for (const size_t k : options_.ks) {
      if (k == routing::kAllSources || k <= bundle_.stack.sources.size()) {
        ks.push_back(k);
      }
    }
    LADDER_ASSIGN_OR_RETURN(
        evaluation.k_sweep,
        SweepK(split, truth, bundle_.seed, ks, options_.metrics, execution_));
    LADDER_ASSIGN_OR_RETURN(evaluation.tau_sweep,
                            SweepTau(split, truth, bundle_.seed, options_.taus,
                                     options_.metrics, execution_));
    return absl::OkStatus();
  }

  const TrainedBundle& bundle_;
  const Dataset& dataset_;
  const EvaluationOptions& options_;
  const routing::Execution& execution_;
  FitObserver& observer_;
};

}  // namespace

absl::StatusOr<BundleEvaluation> EvaluateBundle(
    const TrainedBundle& bundle, const Dataset& dataset,
    const EvaluationOptions& options, const routing::Execution& execution,
    FitObserver& observer) {
  return Evaluation(bundle, dataset, options, execution, observer).Run();
}

}  // namespace ladder::trainer
