#include "client/command/load/load_report.h"

#include <algorithm>
#include <array>

#include "absl/strings/str_cat.h"
#include "base/system/mutex.h"
#include "base/terminal/table.h"
#include "base/text/quantities.h"
#include "base/text/text.h"
#include "nlohmann/json.hpp"

namespace ladder::client {
namespace {

struct Percentile {
  const char* name;
  double q;
};

constexpr std::array<Percentile, 5> kPercentiles = {{{"p50", 0.5},
                                                     {"p90", 0.9},
                                                     {"p95", 0.95},
                                                     {"p99", 0.99},
                                                     {"p99.9", 0.999}}};

std::string LoadText(const LoadOptions& options) {
  return options.rate > 0
             ? absl::StrCat(base::NumberText(options.rate),
                            " requests/s at random times (open loop)")
             : absl::StrCat(options.concurrency,
                            options.concurrency == 1 ? " caller" : " callers",
                            " at once (closed loop)");
}

void AddLatencies(const std::string& name, const LatencyHistogram& histogram,
                  base::Table& table) {
  std::vector<base::Cell> row = {name};
  for (const Percentile& percentile : kPercentiles) {
    row.emplace_back(base::DurationText(histogram.Quantile(percentile.q)));
  }
  row.emplace_back(base::DurationText(histogram.Max()));
  table.AddRow(std::move(row));
}

std::string LatencyTable(const LoadReport& report,
                         const base::Terminal& terminal) {
  std::vector<base::Column> columns = {{"time of"}};
  for (const Percentile& percentile : kPercentiles) {
    columns.push_back({percentile.name, base::ColumnKind::kNumber});
  }
  columns.push_back({"max", base::ColumnKind::kNumber});
  base::Table table(std::move(columns));
  AddLatencies("request", report.latency, table);
  for (const auto& [stage, histogram] : report.stages) {
    AddLatencies(absl::StrCat("server's ", stage), histogram, table);
  }
  return table.Render(terminal);
}

std::string ErrorTable(const LoadReport& report,
                       const base::Terminal& terminal) {
  base::Table table(
      {{"error"}, {"requests", base::ColumnKind::kNumber}, {"first message"}});
  for (const auto& [code, error] : report.errors) {
    table.AddRow({base::Cell(absl::StatusCodeToString(code), base::Style::kBad),
                  base::CountText(error.count), error.first_message});
  }
  return table.Render(terminal);
}

nlohmann::ordered_json Seconds(const LatencyHistogram& histogram) {
  nlohmann::ordered_json json = {
      {"count", histogram.count()},
      {"mean", absl::ToDoubleSeconds(histogram.Mean())}};
  for (const Percentile& percentile : kPercentiles) {
    json[percentile.name] =
        absl::ToDoubleSeconds(histogram.Quantile(percentile.q));
  }
  json["max"] = absl::ToDoubleSeconds(histogram.Max());
  return json;
}

}  // namespace

double LoadReport::RequestsPerSecond() const {
  const double seconds = absl::ToDoubleSeconds(elapsed);
  return seconds > 0 ? static_cast<double>(succeeded) / seconds : 0;
}

std::string RenderLoadReport(const LoadReport& report,
                             const LoadOptions& options,
                             const base::Terminal& terminal) {
  std::string text = absl::StrCat(
      "model ", base::PrintableText(report.target, terminal.utf8),
      ", protocol ", LoadProtocolName(options.protocol), ", ",
      base::CountText(options.samples),
      options.samples == 1 ? " sample" : " samples", " per request, ",
      LoadText(options), "\n\n", base::CountText(report.succeeded),
      " requests succeeded, ", base::CountText(report.failed), " failed, in ",
      base::DurationText(report.elapsed), "\n",
      base::NumberText(report.RequestsPerSecond()), " requests/s, ",
      base::NumberText(report.RequestsPerSecond() *
                       static_cast<double>(options.samples)),
      " samples/s\n");
  if (report.unsent > 0) {
    absl::StrAppend(&text, base::CountText(report.unsent),
                    " more were due and not sent, since ",
                    base::CountText(options.max_in_flight), " had no answer\n");
  }
  if (report.abandoned > 0) {
    absl::StrAppend(&text, base::CountText(report.abandoned),
                    " were called off at the end\n");
  }
  if (report.succeeded > 0) {
    absl::StrAppend(&text, "\n", LatencyTable(report, terminal));
  }
  if (!report.errors.empty()) {
    absl::StrAppend(&text, "\n", ErrorTable(report, terminal));
  }
  return text;
}

std::string LoadReportJson(const LoadReport& report,
                           const LoadOptions& options) {
  nlohmann::ordered_json json = {
      {"target", report.target},
      {"protocol", std::string(LoadProtocolName(options.protocol))},
      {"samples_per_request", options.samples},
      {"seed", options.seed}};
  if (options.rate > 0) {
    json["rate"] = options.rate;
  } else {
    json["concurrency"] = options.concurrency;
  }
  json["elapsed_seconds"] = absl::ToDoubleSeconds(report.elapsed);
  json["succeeded"] = report.succeeded;
  json["failed"] = report.failed;
  json["unsent"] = report.unsent;
  json["abandoned"] = report.abandoned;
  json["requests_per_second"] = report.RequestsPerSecond();
  json["samples_per_second"] =
      report.RequestsPerSecond() * static_cast<double>(options.samples);
  json["latency_seconds"] = Seconds(report.latency);
  json["server_stages_seconds"] = nlohmann::ordered_json::object();
  for (const auto& [stage, histogram] : report.stages) {
    json["server_stages_seconds"][stage] = Seconds(histogram);
  }
  json["errors"] = nlohmann::ordered_json::object();
  for (const auto& [code, error] : report.errors) {
    json["errors"][absl::StatusCodeToString(code)] = {
        {"count", error.count}, {"first_message", error.first_message}};
  }
  // A server's message may be any bytes.
  return json.dump(/*indent=*/2, /*indent_char=*/' ', /*ensure_ascii=*/false,
                   nlohmann::ordered_json::error_handler_t::replace);
}

void LoadRecorder::Record(absl::Duration due, absl::Duration finished,
                          const LoadOutcome& outcome, bool stopped) {
  if (due < warm_up_) return;
  const base::MutexLock lock(mutex_);
  if (stopped && absl::IsCancelled(outcome.status)) {
    ++report_.abandoned;
    return;
  }
  report_.elapsed = std::max(report_.elapsed, finished - warm_up_);
  if (outcome.status.ok()) {
    RecordSuccess(finished - due, outcome);
    return;
  }
  ++report_.failed;
  LoadReport::Error& error = report_.errors[outcome.status.code()];
  if (error.count++ == 0) {
    error.first_message = std::string(outcome.status.message());
  }
}

void LoadRecorder::RecordSuccess(absl::Duration latency,
                                 const LoadOutcome& outcome) {
  ++report_.succeeded;
  report_.latency.Record(latency);
  for (const auto& taken : outcome.stages) {
    auto it = std::find_if(
        report_.stages.begin(), report_.stages.end(),
        [&](const auto& stage) { return stage.first == taken.first; });
    if (it == report_.stages.end()) {
      it = report_.stages.insert(it, {taken.first, LatencyHistogram()});
    }
    it->second.Record(taken.second);
  }
}

void LoadRecorder::RecordUnsent(absl::Duration due) {
  if (due < warm_up_) return;
  const base::MutexLock lock(mutex_);
  ++report_.unsent;
}

LoadReport LoadRecorder::Report() const {
  const base::MutexLock lock(mutex_);
  return report_;
}

}  // namespace ladder::client
