#ifndef LADDER_SERVER_GROUPS_GROUP_REPORTER_H_
#define LADDER_SERVER_GROUPS_GROUP_REPORTER_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "server/groups/group_intake.h"
#include "server/groups/group_options.h"
#include "server/groups/route_group.h"
#include "server/observe/serving_observer.h"

namespace ladder::server {

struct GroupSummary {
  uint64_t num_samples = 0;
  uint64_t num_rejected = 0;
  // The place of the question that a failed group could not answer.
  std::optional<size_t> failed_question = {};
};

// Notes how long a group takes, and tells the observer about it. One user at a
// time.
class GroupReporter {
 public:
  // The group begins now. Both must outlive it.
  GroupReporter(const GroupSetup& setup, ServingObserver& observer);

  // Both times by base::SteadyNow.
  void AddTime(Stage stage, absl::Time begin, absl::Time end);

  // Adds what a chunk took until it was encoded.
  void AddTimes(const GroupChunk& chunk);

  // What the group has taken until now, by Stage.
  const std::array<absl::Duration, kNumStages>& stages() const {
    return stages_;
  }

  // To be called once, at the end. `answer` is null if the group was not
  // routed.
  void End(const absl::Status& status, const GroupSummary& summary,
           const RoutingAnswer* answer);

 private:
  const GroupSetup& setup_;
  ServingObserver& observer_;
  const absl::Time started_;
  std::array<absl::Duration, kNumStages> stages_ = {};
  std::array<TimeRange, kNumStages> stage_ranges_ = {};
};

}  // namespace ladder::server

#endif  // LADDER_SERVER_GROUPS_GROUP_REPORTER_H_
