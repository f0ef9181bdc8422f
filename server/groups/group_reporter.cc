#include "server/groups/group_reporter.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "base/system/steady_time.h"
#include "model_store/format/manifest.h"
#include "routing/weights.h"

namespace ladder::server {
namespace {

void DescribeRouting(const model_store::Manifest& manifest,
                     const RoutingAnswer& answer, GroupReport& report) {
  const routing::Routing& routing = answer.routing;
  report.routed = true;
  report.method = std::string(routing::MethodName(routing.method));
  report.has_distances = !routing.distances.empty();
  report.effective_experts = routing.effective_experts;
  report.coverage = routing.coverage;
  for (size_t e = 0; e < manifest.num_sources(); ++e) {
    report.weights.push_back({.source = manifest.sources[e].name,
                              .weight = routing.weights[e],
                              .distance = report.has_distances
                                              ? routing.distances[e]
                                              : std::nan("")});
  }
  if (answer.fallback.has_value()) {
    report.fallback = std::string(FallbackName(answer.fallback->fallback));
    report.fallback_reason =
        std::string(FallbackReasonName(answer.fallback->reason));
  }
}

}  // namespace

GroupReporter::GroupReporter(const GroupSetup& setup, ServingObserver& observer)
    : setup_(setup), observer_(observer), started_(base::SteadyNow()) {}

void GroupReporter::AddTime(Stage stage, absl::Time begin, absl::Time end) {
  stages_[static_cast<size_t>(stage)] += end - begin;
  stage_ranges_[static_cast<size_t>(stage)].Extend(begin, end);
  observer_.OnStage(stage, end - begin);
}

void GroupReporter::AddTimes(const GroupChunk& chunk) {
  if (!chunk.verdict.empty()) {
    AddTime(Stage::kDecode, chunk.decoding_since, chunk.decoded_at);
  }
  if (chunk.num_rows == 0) return;
  const EncodedRows& encoded = *chunk.encoded;
  constexpr auto kQueue = static_cast<size_t>(Stage::kQueue);
  constexpr auto kEncode = static_cast<size_t>(Stage::kEncode);
  // Chunks wait side by side, so that their sum would say little.
  const absl::Duration queued = encoded.taken - encoded.submitted;
  stages_[kQueue] = std::max(stages_[kQueue], queued);
  stage_ranges_[kQueue].Extend(encoded.submitted, encoded.taken);
  observer_.OnStage(Stage::kQueue, queued);
  // The scheduler has told the observer of the batches.
  stages_[kEncode] += encoded.encoding;
  stage_ranges_[kEncode].Extend(encoded.taken, encoded.encoded);
}

void GroupReporter::End(const absl::Status& status, const GroupSummary& summary,
                        const RoutingAnswer* answer) {
  const model_store::Manifest& manifest = setup_.model->manifest();
  GroupReport report = setup_.report;
  report.status = status;
  report.num_samples = summary.num_samples;
  report.num_rejected = summary.num_rejected;
  report.started = base::TimeOfDay(started_);
  // One difference for all, since the two clocks are not read at once.
  const absl::Duration to_time_of_day = report.started - started_;
  report.duration = base::SteadyNow() - started_;
  report.stages = stages_;
  for (size_t stage = 0; stage < kNumStages; ++stage) {
    const TimeRange& range = stage_ranges_[stage];
    if (range.empty()) continue;
    report.stage_ranges[stage] = {range.begin + to_time_of_day,
                                  range.end + to_time_of_day};
  }
  report.model = manifest.model;
  report.version = manifest.version;
  if (answer != nullptr) DescribeRouting(manifest, *answer, report);
  observer_.OnGroup(report);
}

}  // namespace ladder::server
