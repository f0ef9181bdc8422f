#ifndef LADDER_SERVER_OBSERVE_GROUP_METRICS_H_
#define LADDER_SERVER_OBSERVE_GROUP_METRICS_H_

#include <cstddef>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "base/system/mutex.h"
#include "prometheus/registry.h"
#include "server/observe/metric_series.h"
#include "server/observe/serving_observer.h"

namespace ladder::server {

// Counts groups and what their routing came to, by model and version. A
// source's mean weight over all groups is the ratio of two rates:
//
//   rate(ladder_source_weight_total[5m])
//     / on(model, version) group_left rate(ladder_routed_groups_total[5m])
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
  struct Version;
  struct Model;

  static void CountRouting(const GroupReport& report, Version& version);

  const std::unique_ptr<Families> families_;
  ByLabel<std::unique_ptr<Model>> models_;
};

struct RecentGroupsOptions {
  size_t max_groups = 50;  // 0: none is kept.
  absl::Duration expiry = absl::Minutes(10);
  std::function<absl::Time()> now = [] { return absl::Now(); };
};

// The weights of the groups that were routed last, as
// ladder_group_weight{model, group, source}. Users choose the groups' names, so
// only few are kept: the least recently routed are dropped, and all of them
// after a while. Groups whose names look alike as labels (LabelText) share one
// place.
//
// Thread-safe.
class RecentGroups {
 public:
  explicit RecentGroups(RecentGroupsOptions options);

  // Replaces what was known of the group. Weights that are not positive are
  // left out.
  void Record(absl::string_view model, absl::string_view group,
              std::span<const SourceWeight> weights);

  MetricFamilies Collect() const;

 private:
  using Key = std::pair<std::string, std::string>;  // Model and group.
  struct Entry {
    Key key;
    std::map<std::string, double> weights;  // By source.
    absl::Time seen;
  };

  void DropExpired(absl::Time now) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void DropLast() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const RecentGroupsOptions options_;
  mutable base::Mutex mutex_;
  mutable std::list<Entry> entries_ ABSL_GUARDED_BY(mutex_);  // Newest first.
  mutable absl::flat_hash_map<Key, std::list<Entry>::iterator> places_
      ABSL_GUARDED_BY(mutex_);
};

}  // namespace ladder::server

#endif  // LADDER_SERVER_OBSERVE_GROUP_METRICS_H_
