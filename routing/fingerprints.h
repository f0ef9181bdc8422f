#ifndef LADDER_ROUTING_FINGERPRINTS_H_
#define LADDER_ROUTING_FINGERPRINTS_H_

#include <cstddef>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "routing/matrix_view.h"
#include "routing/packed_cloud.h"
#include "routing/self_term.h"
#include "routing/sinkhorn_options.h"
#include "routing/style_distance.h"

namespace ladder::routing {

// The sources' cached style samples, normalised, with what their distances to
// any target have in common: packed points, bounding boxes and self terms.
//
// Owns copies of all it is given. Immutable and thread-safe.
class Fingerprints {
 public:
  // Computes the self terms, in parallel over sources.
  //
  // InvalidArgument, naming the source by its index, if there is no source, a
  // source is empty, dimensions differ, a value is not finite or an option is
  // out of range; Cancelled if `execution.stop` was requested.
  static absl::StatusOr<Fingerprints> Create(
      std::span<const MatrixView> sources, const SinkhornOptions& options,
      const Execution& execution);

  // Takes self terms from an earlier Create with the same options.
  static absl::StatusOr<Fingerprints> CreateWithSelfTerms(
      std::span<const MatrixView> sources, std::vector<SelfTerm> self_terms,
      const SinkhornOptions& options);

  // Explicit, because it is tens of megabytes.
  Fingerprints Copy() const;

  size_t num_sources() const { return clouds_.size(); }
  size_t dimension() const { return dimension_; }
  const SinkhornOptions& options() const { return options_; }
  const PackedCloud& cloud(size_t source) const { return clouds_[source]; }
  const SelfTerm& self_term(size_t source) const { return self_terms_[source]; }

 private:
  static absl::StatusOr<Fingerprints> Pack(std::span<const MatrixView> sources,
                                           const SinkhornOptions& options);

  SinkhornOptions options_;
  size_t dimension_ = 0;
  std::vector<float> values_;  // All sources' points, one after the other.
  std::vector<PackedCloud> clouds_;
  std::vector<SelfTerm> self_terms_;
};

}  // namespace ladder::routing

#endif  // LADDER_ROUTING_FINGERPRINTS_H_
