#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <utility>

#include "trainer/evaluate/report.h"

namespace ladder::trainer {
namespace {

using nlohmann::ordered_json;

std::string KeyOf(Metric metric) { return std::string(InfoOf(metric).key); }

ordered_json SummariesJson(const char* name_key,
                           std::span<const MethodSummary> summaries) {
  ordered_json rows = ordered_json::array();
  for (const MethodSummary& summary : summaries) {
    ordered_json metrics = ordered_json::object();
    for (const auto& [metric, spread] : summary.metrics) {
      ordered_json& json = metrics[KeyOf(metric)];
      json["mean"] = spread.mean;
      if (spread.sd.has_value()) json["sd"] = *spread.sd;
      json["values"] = spread.values;
    }
    ordered_json& row = rows.emplace_back();
    row[name_key] = summary.method;
    row["seeds"] = summary.seeds;
    row["metrics"] = std::move(metrics);
  }
  return rows;
}

ordered_json ComparisonsJson(std::span<const Comparison> comparisons) {
  ordered_json rows = ordered_json::array();
  for (const Comparison& comparison : comparisons) {
    ordered_json metrics = ordered_json::object();
    for (const auto& [metric, difference] : comparison.metrics) {
      ordered_json& json = metrics[KeyOf(metric)];
      json["mean"] = difference.mean;
      if (!difference.interval.has_value()) continue;
      json["low"] = difference.interval->low;
      json["high"] = difference.interval->high;
    }
    ordered_json& row = rows.emplace_back();
    row["first"] = comparison.first;
    row["second"] = comparison.second;
    row["seeds"] = comparison.seeds;
    row["metrics"] = std::move(metrics);
  }
  return rows;
}

}  // namespace

ordered_json ReportJson(const EvaluationReport& report) {
  ordered_json json = ordered_json::object();
  json["methods"] = SummariesJson("method", report.methods);
  json["comparisons"] = ComparisonsJson(report.comparisons);
  json["k_sweep"] = SummariesJson("setting", report.k_sweep);
  json["tau_sweep"] = SummariesJson("setting", report.tau_sweep);
  return json;
}

}  // namespace ladder::trainer
