#ifndef LADDER_ROUTING_SINKHORN_DISTANCE_H_
#define LADDER_ROUTING_SINKHORN_DISTANCE_H_

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "base/system/mutex.h"
#include "routing/fingerprints.h"
#include "routing/style_distance.h"

namespace ladder::routing {

class SinkhornSolver;

// The routing distance: the debiased Sinkhorn divergence between the target's
// style vectors and each source's fingerprint, of which the self terms are
// cached for the sources and computed once for the target.
//
// Thread-safe. Keeps the scratch space of past calls, as many as ever ran at
// once, and allocates nothing while targets are no larger than before. The
// result is the same, bit for bit, on any number of threads.
class SinkhornDistance final : public StyleDistance {
 public:
  explicit SinkhornDistance(Fingerprints fingerprints);
  ~SinkhornDistance() override;

  size_t num_sources() const override { return fingerprints_.num_sources(); }
  size_t dimension() const override { return fingerprints_.dimension(); }
  const Fingerprints& fingerprints() const { return fingerprints_; }

 private:
  // The memory that one thread, or one target, needs while it is worked on.
  struct Scratch;
  class Lease;

  absl::Status DoCompute(const MatrixView& target,
                         std::span<const size_t> sources,
                         std::span<double> distances,
                         const Execution& execution) const override;

  // The divergence except for self terms that SelfTerm can give.
  double Between(const PackedCloud& target, size_t source,
                 SinkhornSolver& solver) const;

  const Fingerprints fingerprints_;
  mutable base::Mutex mutex_;
  mutable std::vector<std::unique_ptr<Scratch>> idle_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace ladder::routing

#endif  // LADDER_ROUTING_SINKHORN_DISTANCE_H_
