#ifndef LADDER_SERVER_OBSERVE_COVERAGE_THRESHOLDS_H_
#define LADDER_SERVER_OBSERVE_COVERAGE_THRESHOLDS_H_

#include <functional>
#include <vector>

#include "model_store/engine/model.h"
#include "prometheus/collectable.h"
#include "prometheus/metric_family.h"

namespace ladder::server {

// The distances to the nearest source from which on a group is no longer IN,
// by served version and size of the group's sample:
//   ladder_coverage_threshold_distance{model, version, verdict, sample_size}
// with the verdicts EDGE and OUT, which groups have that lie farther away.
// Bundles hold few sizes, the trainer's eight; of one with more, the smallest
// ones are shown. Versions that are not calibrated have none.
//
// Thread-safe.
class CoverageThresholds final : public prometheus::Collectable {
 public:
  // `list` gives the served versions of all models.
  explicit CoverageThresholds(
      std::function<std::vector<model_store::ModelHandle>()> list);

  std::vector<prometheus::MetricFamily> Collect() const override;

 private:
  const std::function<std::vector<model_store::ModelHandle>()> list_;
};

}  // namespace ladder::server

#endif  // LADDER_SERVER_OBSERVE_COVERAGE_THRESHOLDS_H_
