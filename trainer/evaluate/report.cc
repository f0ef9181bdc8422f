#include "trainer/evaluate/report.h"

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "base/files/csv.h"
#include "base/terminal/table.h"
#include "base/terminal/terminal.h"
#include "base/text/quantities.h"
#include "nlohmann/json.hpp"

namespace ladder::trainer {
namespace {

struct ReportRow {
  std::string name = {};
  size_t num_seeds = 0;
  std::map<Metric, std::string> cells = {};
};

struct Number {
  double scale;
  int decimals;
};

Number NumberOf(Metric metric) {
  return InfoOf(metric).is_share ? Number{.scale = 100, .decimals = 2}
                                 : Number{.scale = 1, .decimals = 1};
}

std::string SpreadText(Metric metric, const Spread& spread) {
  const auto [scale, decimals] = NumberOf(metric);
  std::string text = absl::StrFormat("%.*f", decimals, scale * spread.mean);
  if (spread.sd.has_value()) {
    absl::StrAppendFormat(&text, " ± %.*f", decimals, scale * *spread.sd);
  }
  return text;
}

std::string DifferenceText(Metric metric, const PairedDifference& difference) {
  const auto [scale, decimals] = NumberOf(metric);
  std::string text =
      absl::StrFormat("%+.*f", decimals, scale * difference.mean);
  if (difference.interval.has_value()) {
    absl::StrAppendFormat(&text, " [%.*f, %.*f]", decimals,
                          scale * difference.interval->low, decimals,
                          scale * difference.interval->high);
  }
  return text;
}

std::vector<ReportRow> RowsOf(std::span<const MethodSummary> summaries) {
  std::vector<ReportRow> rows;
  for (const MethodSummary& summary : summaries) {
    ReportRow& row = rows.emplace_back();
    row.name = summary.method;
    row.num_seeds = summary.seeds.size();
    for (const auto& [metric, spread] : summary.metrics) {
      row.cells[metric] = SpreadText(metric, spread);
    }
  }
  return rows;
}

std::vector<ReportRow> RowsOf(std::span<const Comparison> comparisons) {
  std::vector<ReportRow> rows;
  for (const Comparison& comparison : comparisons) {
    ReportRow& row = rows.emplace_back();
    row.name = absl::StrCat(comparison.first, " - ", comparison.second);
    row.num_seeds = comparison.seeds.size();
    for (const auto& [metric, difference] : comparison.metrics) {
      row.cells[metric] = DifferenceText(metric, difference);
    }
  }
  return rows;
}

// Metrics that no row has get no column.
std::string TableText(absl::string_view heading,
                      std::span<const ReportRow> rows) {
  std::set<Metric> metrics;
  for (const ReportRow& row : rows) {
    for (const auto& [metric, cell] : row.cells) metrics.insert(metric);
  }
  std::vector<base::Column> columns = {{std::string(heading)},
                                       {"Seeds", base::ColumnKind::kNumber}};
  for (const Metric metric : metrics) {
    columns.push_back(
        {std::string(InfoOf(metric).title), base::ColumnKind::kNumber});
  }
  base::Table table(std::move(columns));
  for (const ReportRow& row : rows) {
    std::vector<base::Cell> cells = {row.name, absl::StrCat(row.num_seeds)};
    for (const Metric metric : metrics) {
      const auto cell = row.cells.find(metric);
      cells.emplace_back(cell == row.cells.end() ? "-" : cell->second);
    }
    table.AddRow(std::move(cells));
  }
  return table.Render(base::Terminal());
}

std::string NumberField(std::optional<double> number) {
  return number.has_value() ? base::ShortestText(*number) : "";
}

void AppendSummaries(absl::string_view table,
                     std::span<const MethodSummary> summaries,
                     std::string& csv) {
  for (const MethodSummary& summary : summaries) {
    for (const auto& [metric, spread] : summary.metrics) {
      absl::StrAppend(&csv, table, ",", base::CsvField(summary.method), ",",
                      InfoOf(metric).key, ",", summary.seeds.size(), ",");
      absl::StrAppend(&csv, NumberField(spread.mean), ",",
                      NumberField(spread.sd), ",,\n");
    }
  }
}

void AppendComparisons(std::span<const Comparison> comparisons,
                       std::string& csv) {
  for (const Comparison& comparison : comparisons) {
    const std::string row = base::CsvField(
        absl::StrCat(comparison.first, " - ", comparison.second));
    for (const auto& [metric, difference] : comparison.metrics) {
      std::optional<double> low, high;
      if (difference.interval.has_value()) {
        low = difference.interval->low;
        high = difference.interval->high;
      }
      absl::StrAppend(&csv, "comparisons,", row, ",", InfoOf(metric).key, ",",
                      comparison.seeds.size(), ",");
      absl::StrAppend(&csv, NumberField(difference.mean), ",,",
                      NumberField(low), ",", NumberField(high), "\n");
    }
  }
}

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

std::string ReportText(const EvaluationReport& report) {
  const std::pair<absl::string_view, std::vector<ReportRow>> tables[] = {
      {"Method", RowsOf(report.methods)},
      {"Paired difference [95 % interval]", RowsOf(report.comparisons)},
      {"Neighbours", RowsOf(report.k_sweep)},
      {"Temperature", RowsOf(report.tau_sweep)}};
  std::string text;
  for (const auto& [heading, rows] : tables) {
    if (rows.empty()) continue;
    if (!text.empty()) text += '\n';
    text += TableText(heading, rows);
  }
  return text;
}

std::string ReportCsv(const EvaluationReport& report) {
  std::string csv = "table,row,metric,seeds,mean,sd,low,high\n";
  AppendSummaries("methods", report.methods, csv);
  AppendComparisons(report.comparisons, csv);
  AppendSummaries("k_sweep", report.k_sweep, csv);
  AppendSummaries("tau_sweep", report.tau_sweep, csv);
  return csv;
}

ordered_json ReportJson(const EvaluationReport& report) {
  ordered_json json = ordered_json::object();
  json["methods"] = SummariesJson("method", report.methods);
  json["comparisons"] = ComparisonsJson(report.comparisons);
  json["k_sweep"] = SummariesJson("setting", report.k_sweep);
  json["tau_sweep"] = SummariesJson("setting", report.tau_sweep);
  return json;
}

}  // namespace ladder::trainer
