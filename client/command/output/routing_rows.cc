#include "client/command/output/routing_rows.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/files/csv.h"
#include "base/text/quantities.h"
#include "client/command/output/message_text.h"
#include "client/command/output/row_text.h"

namespace ladder::client {
namespace {

// A routing as users read it.
struct RoutingSummary {
  std::string method = {};
  std::string coverage = {};
  std::optional<double> nearest_distance = {};
  std::optional<double> stability = {};
  std::string fallback = {};  // Empty if no rule fired.
  std::string fallback_reason = {};
};

RoutingSummary Summarize(const v1::Routing& routing) {
  RoutingSummary summary;
  summary.method = MethodName(routing.method());
  summary.coverage = VerdictName(routing);
  if (routing.has_distances()) {
    summary.nearest_distance = routing.coverage().nearest_distance();
  }
  if (routing.has_stability()) {
    summary.stability = routing.stability().mean_total_variation();
  }
  if (routing.has_fallback()) {
    const v1::AppliedFallback& fallback = routing.fallback();
    summary.fallback = FallbackName(fallback.fallback());
    summary.fallback_reason = FallbackReasonName(fallback.reason());
  }
  return summary;
}

double RoundedSeconds(absl::Duration duration) {
  return std::round(absl::ToDoubleMilliseconds(duration)) / 1000;
}

void AppendCsvRow(absl::string_view group, uint64_t num_samples,
                  const v1::Routing& routing, absl::Duration elapsed,
                  std::string& row) {
  const RoutingSummary summary = Summarize(routing);
  const auto add_number = [&row](std::optional<double> number) {
    row.push_back(',');
    if (number.has_value()) row += base::ShortestText(*number);
  };
  absl::StrAppend(&row, base::CsvField(group), ",", num_samples, ",",
                  base::CsvField(routing.model()), ",", routing.version(), ",",
                  summary.method, ",", summary.coverage);
  add_number(summary.nearest_distance);
  add_number(routing.effective_experts());
  add_number(summary.stability);
  absl::StrAppend(&row, ",", summary.fallback, ",", summary.fallback_reason);
  for (const v1::SourceWeight& source : routing.sources()) {
    add_number(source.weight());
  }
  for (const v1::SourceWeight& source : routing.sources()) {
    add_number(routing.has_distances() ? std::optional(source.distance())
                                       : std::nullopt);
  }
  add_number(RoundedSeconds(elapsed));
  row.push_back('\n');
}

void AppendJsonRow(absl::string_view group, uint64_t num_samples,
                   const v1::Routing& routing, absl::Duration elapsed,
                   std::string& row) {
  const RoutingSummary summary = Summarize(routing);
  const auto add_text = [&row](absl::string_view name, absl::string_view text) {
    absl::StrAppend(&row, name);
    if (text.empty()) {
      row.append("null");
    } else {
      AppendJsonString(text, row);
    }
  };
  const auto add_number = [&row](absl::string_view name,
                                 std::optional<double> number) {
    absl::StrAppend(&row, name);
    AppendJsonNumber(number.value_or(NAN), row);
  };
  const auto add_sources = [&](absl::string_view name, auto value_of) {
    absl::StrAppend(&row, name);
    bool is_first = true;
    for (const v1::SourceWeight& source : routing.sources()) {
      row.push_back(is_first ? '{' : ',');
      AppendJsonString(source.source(), row);
      add_number(":", value_of(source));
      is_first = false;
    }
    row.append(is_first ? "{}" : "}");
  };
  add_text("{\"group\":", group);
  absl::StrAppend(&row, ",\"n\":", num_samples);
  add_text(",\"model\":", routing.model());
  absl::StrAppend(&row, ",\"version\":", routing.version());
  add_text(",\"method\":", summary.method);
  add_text(",\"coverage\":", summary.coverage);
  add_number(",\"nearest_distance\":", summary.nearest_distance);
  add_number(",\"effective_experts\":", routing.effective_experts());
  add_number(",\"stability\":", summary.stability);
  add_text(",\"fallback\":", summary.fallback);
  add_text(",\"fallback_reason\":", summary.fallback_reason);
  add_sources(",\"weights\":",
              [](const v1::SourceWeight& source) { return source.weight(); });
  if (routing.has_distances()) {
    add_sources(",\"distances\":", [](const v1::SourceWeight& source) {
      return source.distance();
    });
  } else {
    add_text(",\"distances\":", "");
  }
  add_number(",\"seconds\":", RoundedSeconds(elapsed));
  row.append("}\n");
}

}  // namespace

RoutingRows::RoutingRows(const OutputFileOptions& options)
    : format_(options.format), sources_(options.sources) {}

std::string RoutingRows::Header() const {
  if (format_ == OutputFormat::kJsonLines) return "";
  std::string header =
      "group,n,model,version,method,coverage,nearest_distance,"
      "effective_experts,stability,fallback,fallback_reason";
  for (const absl::string_view prefix : {"w_", "d_"}) {
    for (const std::string& source : sources_) {
      absl::StrAppend(&header, ",",
                      base::CsvField(absl::StrCat(prefix, source)));
    }
  }
  return header + ",seconds\n";
}

absl::Status RoutingRows::Append(absl::string_view group, uint64_t num_samples,
                                 const v1::Routing& routing,
                                 absl::Duration elapsed,
                                 std::string& rows) const {
  if (format_ == OutputFormat::kJsonLines) {
    AppendJsonRow(group, num_samples, routing, elapsed, rows);
    return absl::OkStatus();
  }
  const bool has_columns =
      std::equal(sources_.begin(), sources_.end(), routing.sources().begin(),
                 routing.sources().end(),
                 [](const std::string& column, const v1::SourceWeight& source) {
                   return column == source.source();
                 });
  if (!has_columns) {
    return absl::FailedPreconditionError(absl::StrCat(
        "routing of group \"", group, "\": expected the ", sources_.size(),
        " sources that are columns, the server sent ", routing.sources_size(),
        " of version ", routing.version(),
        "; has the model been replaced meanwhile?"));
  }
  AppendCsvRow(group, num_samples, routing, elapsed, rows);
  return absl::OkStatus();
}

}  // namespace ladder::client
