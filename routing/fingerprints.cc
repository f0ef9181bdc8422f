#include "routing/fingerprints.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "routing/check_matrix.h"
#include "routing/sinkhorn.h"

namespace ladder::routing {

absl::StatusOr<Fingerprints> Fingerprints::Pack(
    std::span<const MatrixView> sources, const SinkhornOptions& options) {
  LADDER_RETURN_IF_ERROR(options.Validate());
  if (sources.empty()) {
    return absl::InvalidArgumentError("expected at least one source, got none");
  }
  size_t num_values = 0;
  for (size_t e = 0; e < sources.size(); ++e) {
    LADDER_RETURN_IF_ERROR(
        CheckMatrix(sources[e], absl::StrCat("source ", e), sources[0].cols));
    num_values += sources[e].rows * sources[e].cols;
  }

  Fingerprints fingerprints;
  fingerprints.options_ = options;
  fingerprints.dimension_ = sources[0].cols;
  fingerprints.values_.reserve(num_values);
  fingerprints.clouds_.resize(sources.size());
  for (size_t e = 0; e < sources.size(); ++e) {
    // Reserved above, so the copies never move again, not even with the object.
    const auto values = sources[e].Values();
    const float* copy =
        fingerprints.values_.data() + fingerprints.values_.size();
    fingerprints.values_.insert(fingerprints.values_.end(), values.begin(),
                                values.end());
    PackedCloud& cloud = fingerprints.clouds_[e];
    cloud.Assign({copy, sources[e].rows, sources[e].cols});
    LADDER_RETURN_IF_ERROR(options.CheckDiameter(
        PackedCloud::JointDiameter(cloud, cloud), "source ", e));
  }
  return fingerprints;
}

absl::StatusOr<Fingerprints> Fingerprints::Create(
    std::span<const MatrixView> sources, const SinkhornOptions& options,
    const Execution& execution) {
  LADDER_ASSIGN_OR_RETURN(Fingerprints fingerprints, Pack(sources, options));
  fingerprints.self_terms_.resize(sources.size());
  LADDER_RETURN_IF_ERROR(execution.ForEach(sources.size(), [&](size_t e) {
    SinkhornSolver solver(options);
    fingerprints.self_terms_[e] =
        SelfTerm::Compute(fingerprints.clouds_[e], options, solver);
  }));
  return fingerprints;
}

absl::StatusOr<Fingerprints> Fingerprints::CreateWithSelfTerms(
    std::span<const MatrixView> sources, std::vector<SelfTerm> self_terms,
    const SinkhornOptions& options) {
  if (self_terms.size() != sources.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("expected a self term for each of ", sources.size(),
                     " sources, got ", self_terms.size()));
  }
  LADDER_ASSIGN_OR_RETURN(Fingerprints fingerprints, Pack(sources, options));
  fingerprints.self_terms_ = std::move(self_terms);
  return fingerprints;
}

Fingerprints Fingerprints::Copy() const {
  std::vector<MatrixView> sources;
  for (const PackedCloud& cloud : clouds_) sources.push_back(cloud.points());
  Fingerprints copy = *Pack(sources, options_);
  copy.self_terms_ = self_terms_;
  return copy;
}

}  // namespace ladder::routing
