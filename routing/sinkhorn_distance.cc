#include "routing/sinkhorn_distance.h"

#include <utility>

#include "base/status_macros.h"
#include "base/system/mutex.h"
#include "routing/sinkhorn.h"

namespace ladder::routing {

struct SinkhornDistance::Scratch {
  explicit Scratch(const SinkhornOptions& options) : solver(options) {}

  SinkhornSolver solver;
  PackedCloud target;
};

// Scratch space borrowed for as long as the lease lives.
class SinkhornDistance::Lease {
 public:
  explicit Lease(const SinkhornDistance& owner) : owner_(owner) {
    {
      const base::MutexLock lock(owner_.mutex_);
      if (!owner_.idle_.empty()) {
        scratch_ = std::move(owner_.idle_.back());
        owner_.idle_.pop_back();
      }
    }
    if (scratch_ == nullptr) {
      scratch_ = std::make_unique<Scratch>(owner_.fingerprints_.options());
    }
  }
  ~Lease() {
    const base::MutexLock lock(owner_.mutex_);
    owner_.idle_.push_back(std::move(scratch_));
  }
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;

  Scratch* operator->() { return scratch_.get(); }

 private:
  const SinkhornDistance& owner_;
  std::unique_ptr<Scratch> scratch_;
};

SinkhornDistance::SinkhornDistance(Fingerprints fingerprints)
    : fingerprints_(std::move(fingerprints)) {}

SinkhornDistance::~SinkhornDistance() = default;

absl::Status SinkhornDistance::DoCompute(const MatrixView& target,
                                         std::span<const size_t> sources,
                                         std::span<double> distances,
                                         const Execution& execution) const {
  const SinkhornOptions& options = fingerprints_.options();
  Lease lease(*this);
  lease->target.Assign(target);
  const PackedCloud& cloud = lease->target;
  for (const size_t source : sources) {
    const double diameter =
        PackedCloud::JointDiameter(cloud, fingerprints_.cloud(source));
    LADDER_RETURN_IF_ERROR(
        options.CheckDiameter(diameter, "target style and source ", source));
  }
  SelfTerm target_term;
  // The target's own term comes first: it can be the largest piece of work.
  LADDER_RETURN_IF_ERROR(
      execution.ForEach(sources.size() + 1, [&](size_t piece) {
        Lease worker(*this);
        if (piece == 0) {
          target_term = SelfTerm::Compute(cloud, options, worker->solver);
        } else {
          distances[piece - 1] =
              Between(cloud, sources[piece - 1], worker->solver);
        }
      }));

  for (size_t i = 0; i < sources.size(); ++i) {
    const double diameter =
        PackedCloud::JointDiameter(cloud, fingerprints_.cloud(sources[i]));
    if (diameter == 0) continue;
    const EpsilonSchedule schedule(diameter, options.blur, options.scaling);
    if (!SelfTerm::Covers(schedule, options)) continue;
    distances[i] -= target_term.At(schedule) +
                    fingerprints_.self_term(sources[i]).At(schedule);
  }
  return absl::OkStatus();
}

double SinkhornDistance::Between(const PackedCloud& target, size_t source,
                                 SinkhornSolver& solver) const {
  const SinkhornOptions& options = fingerprints_.options();
  const PackedCloud& cloud = fingerprints_.cloud(source);
  const double diameter = PackedCloud::JointDiameter(target, cloud);
  if (diameter == 0) return 0;  // All points are one.
  const EpsilonSchedule schedule(diameter, options.blur, options.scaling);
  double distance = solver.Cross(target, cloud, schedule);
  if (!SelfTerm::Covers(schedule, options)) {
    for (const PackedCloud* each : {&target, &cloud}) {
      solver.PrepareSelf(*each);
      distance -= solver.Self(schedule);
    }
  }
  return distance;
}

}  // namespace ladder::routing
