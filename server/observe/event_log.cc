#include "server/observe/event_log.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "model_store/store/version_state.h"
#include "routing/coverage.h"

namespace ladder::server {
namespace {

constexpr size_t kNumTopWeights = 3;

// Keeps as many decimals as a reader of logs can use.
double Rounded(double value) { return std::round(value * 1e4) / 1e4; }

double Seconds(absl::Duration duration) {
  return static_cast<double>(absl::ToInt64Microseconds(duration)) / 1e6;
}

NamedNumbers TopWeights(std::vector<SourceWeight> weights) {
  const size_t n = std::min(kNumTopWeights, weights.size());
  // Equal weights keep the sources' order.
  std::stable_sort(weights.begin(), weights.end(),
                   [](const SourceWeight& a, const SourceWeight& b) {
                     return a.weight > b.weight;
                   });
  NamedNumbers top;
  for (size_t i = 0; i < n && weights[i].weight > 0; ++i) {
    top.emplace_back(weights[i].source, Rounded(weights[i].weight));
  }
  return top;
}

NamedNumbers Timings(const GroupReport& report) {
  NamedNumbers timings;
  for (size_t i = 0; i < kNumStages; ++i) {
    if (report.stages[i] == absl::ZeroDuration()) continue;
    timings.emplace_back(StageName(static_cast<Stage>(i)),
                         Seconds(report.stages[i]));
  }
  return timings;
}

bool IsServersFault(absl::StatusCode code) {
  return code == absl::StatusCode::kInternal ||
         code == absl::StatusCode::kUnknown ||
         code == absl::StatusCode::kDataLoss;
}

void AddRouting(const GroupReport& report, std::vector<LogField>& fields) {
  fields.emplace_back("method", report.method);
  fields.emplace_back("top_weights", TopWeights(report.weights));
  fields.emplace_back("effective_experts", Rounded(report.effective_experts));
  fields.emplace_back("coverage",
                      routing::CoverageVerdictName(report.coverage.verdict));
  if (report.has_distances) {
    fields.emplace_back("nearest_distance", report.coverage.nearest_distance);
  }
  if (!report.fallback.empty()) {
    fields.emplace_back("fallback", report.fallback);
    fields.emplace_back("fallback_reason", report.fallback_reason);
  }
}

using model_store::VersionEvent;
using model_store::VersionState;

struct Headline {
  LogLevel level;
  absl::string_view message;
};

Headline HeadlineOf(const VersionEvent& event) {
  if (event.from == event.to) {
    return event.status.ok()
               ? Headline{LogLevel::kInfo, "model version's files are back"}
               : Headline{LogLevel::kWarn, "model version's files changed"};
  }
  switch (event.to) {
    case VersionState::kServing:
      return {LogLevel::kInfo, "model version served"};
    case VersionState::kFailed:
      return {LogLevel::kError, "model version failed to load"};
    case VersionState::kUnloaded:
      return {LogLevel::kInfo, "model version unloaded"};
    case VersionState::kDiscovered:
    case VersionState::kLoading:
    case VersionState::kDraining:
      break;
  }
  return {LogLevel::kDebug, "model version moved on"};
}

}  // namespace

void AccessLog::OnGroup(const GroupReport& report) {
  const absl::StatusCode code = report.status.code();
  const LogLevel level =
      IsServersFault(code) ? LogLevel::kError : LogLevel::kInfo;
  if (!logger_.Enabled(level)) return;

  std::vector<LogField> fields = {{"request_id", report.request_id}};
  if (report.trace.has_value()) {
    fields.emplace_back("trace_id", TraceIdHex(*report.trace));
  }
  fields.emplace_back("rpc", report.rpc);
  if (!report.model.empty()) {
    fields.emplace_back("model", report.model);
    fields.emplace_back("version", report.version);
  }
  fields.emplace_back("group", report.group);
  fields.emplace_back("n", report.num_samples);
  if (report.num_rejected > 0) {
    fields.emplace_back("rejected", report.num_rejected);
  }
  if (report.routed) AddRouting(report, fields);
  fields.emplace_back("code", absl::StatusCodeToString(code));
  if (!report.status.ok()) {
    fields.emplace_back("error", report.status.message());
  }
  fields.emplace_back("duration_seconds", Seconds(report.duration));
  fields.emplace_back("stage_seconds", Timings(report));
  logger_.Log(level, "group", fields);
}

void StoreLog::OnVersionState(const VersionEvent& event) {
  const Headline headline = HeadlineOf(event);
  std::vector<LogField> fields = {
      {"model", event.model},
      {"version", event.version},
      {"from", model_store::VersionStateName(event.from)},
      {"to", model_store::VersionStateName(event.to)},
      {"after_seconds", absl::ToDoubleSeconds(event.duration)}};
  if (!event.status.ok()) fields.emplace_back("error", event.status.message());
  logger_.Log(headline.level, headline.message, fields);
}

void StoreLog::OnStoreStatus(const absl::Status& status) {
  if (status.ok()) {
    logger_.Log(LogLevel::kInfo, "model store is readable again");
  } else {
    logger_.Log(LogLevel::kError, "model store cannot be read",
                {{"error", status.message()}});
  }
}

void StoreLog::OnLabels(const model_store::LabelsEvent& event) {
  const std::string labels =
      absl::StrJoin(event.labels, ",", absl::PairFormatter("="));
  std::vector<LogField> fields = {{"model", event.model}, {"labels", labels}};
  if (!event.status.ok()) fields.emplace_back("error", event.status.message());
  logger_.Log(event.status.ok() ? LogLevel::kInfo : LogLevel::kWarn,
              "model labels", fields);
}

}  // namespace ladder::server
