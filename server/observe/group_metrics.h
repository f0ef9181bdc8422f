#ifndef LADDER_SERVER_OBSERVE_GROUP_METRICS_H_
#define LADDER_SERVER_OBSERVE_GROUP_METRICS_H_

#include <memory>
#include <string>

#include "prometheus/counter.h"
#include "prometheus/family.h"
#include "prometheus/histogram.h"
#include "prometheus/registry.h"
#include "server/observe/by_label.h"
#include "server/observe/serving_observer.h"

namespace ladder::server {

// Counts groups and what their routing came to, by model. A source's mean
// weight over all groups is the ratio of two rates:
//
//   rate(ladder_source_weight_total[5m])
//     / on(model) group_left rate(ladder_routed_groups_total[5m])
//
// Thread-safe.
class GroupMetrics {
 public:
  // `registry` must outlive this.
  explicit GroupMetrics(prometheus::Registry& registry);
  ~GroupMetrics();

  void Count(const GroupReport& report);

 private:
  struct Families;
  struct Model;

  static void CountRouting(const GroupReport& report, Model& model);

  const std::unique_ptr<Families> families_;
  ByLabel<std::unique_ptr<Model>> models_;
};

}  // namespace ladder::server

#endif  // LADDER_SERVER_OBSERVE_GROUP_METRICS_H_
