#ifndef LADDER_SERVER_OBSERVE_SERVING_OBSERVER_H_
#define LADDER_SERVER_OBSERVE_SERVING_OBSERVER_H_

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "routing/coverage.h"
#include "server/observe/trace_context.h"

namespace ladder::server {

// The stages of a group's life that take time.
enum class Stage {
  kDecode,  // Pictures to numbers.
  kQueue,   // Waiting for a place in a batch.
  kEncode,  // Numbers to codes, as part of a batch.
  kStyle,   // Keeping the style sample.
  kRoute,   // Distances, weights and reasons.
  kHeads,   // Predictions.
};
inline constexpr size_t kNumStages = 6;

// "decode", "queue", ...
inline absl::string_view StageName(Stage stage) {
  constexpr std::array<absl::string_view, kNumStages> kNames = {
      "decode", "queue", "encode", "style", "route", "heads"};
  return kNames.at(static_cast<size_t>(stage));
}

// The time from when a stage first began until it last ended. Samples arrive in
// chunks, so that other stages may run in between.
struct TimeRange {
  absl::Time begin = absl::InfiniteFuture();
  absl::Time end = absl::InfinitePast();

  bool empty() const { return end < begin; }
  void Extend(absl::Time from, absl::Time to) {
    begin = std::min(begin, from);
    end = std::max(end, to);
  }
};

struct SourceWeight {
  std::string source = {};
  double weight = 0;
  double distance = 0;  // Not a number if the method measures none.
};

// A group that has ended, well or not, as it is told to observers.
struct GroupReport {
  std::string request_id = {};
  std::optional<TraceContext> trace = {};  // The caller's, if it sent one.
  std::string rpc = {};
  std::string model = {};  // Empty if the group ended before it had one.
  uint64_t version = 0;
  std::string group = {};
  absl::Status status = {};
  uint64_t num_samples = 0;
  uint64_t num_rejected = 0;
  absl::Time started = absl::UnixEpoch();
  absl::Duration duration = absl::ZeroDuration();
  // Indexed by Stage; zero, and empty, for stages that did not happen.
  std::array<absl::Duration, kNumStages> stages = {};
  std::array<TimeRange, kNumStages> stage_ranges = {};

  // What follows is set if the group was routed.
  bool routed = false;
  std::string method = {};
  std::vector<SourceWeight> weights = {};  // All sources in order.
  bool has_distances = false;
  double effective_experts = 0;
  routing::Coverage coverage = {};
  std::string fallback = {};         // The rule's name; empty if none fired.
  std::string fallback_reason = {};  // "too_few_samples", "out_of_coverage".
};

struct BatchReport {
  absl::string_view model = {};
  uint64_t version = 0;
  size_t num_rows = 0;
  absl::Duration duration = absl::ZeroDuration();
};

// Is told what happens while groups are served, so that others can count and
// log; does nothing unless told otherwise. Calls come from many threads at once
// and must not block.
class ServingObserver {
 public:
  virtual ~ServingObserver() = default;

  virtual void OnRpcStarted(absl::string_view /*rpc*/) {}
  virtual void OnRpcEnded(absl::string_view /*rpc*/, absl::StatusCode /*code*/,
                          absl::Duration /*duration*/) {}

  // A batch went through an encoder.
  virtual void OnBatch(const BatchReport& /*report*/) {}
  virtual void OnStage(Stage /*stage*/, absl::Duration /*duration*/) {}
  // `reason` is one of imaging::RejectionName's.
  virtual void OnImageRejected(absl::string_view /*reason*/) {}
  virtual void OnGroup(const GroupReport& /*report*/) {}
};

}  // namespace ladder::server

#endif  // LADDER_SERVER_OBSERVE_SERVING_OBSERVER_H_
