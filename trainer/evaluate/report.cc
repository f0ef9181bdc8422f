#include "trainer/evaluate/report.h"

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/files/csv.h"
#include "base/terminal/table.h"
#include "base/terminal/terminal.h"
#include "base/text/quantities.h"
#include "nlohmann/json.hpp"

namespace ladder::trainer {
namespace {

using nlohmann::ordered_json;

// A metric of a method, or of the difference of two.
struct Figure {
  double mean = 0;
  std::optional<double> sd = {};
  std::optional<Interval> interval = {};
  std::vector<double> values = {};
};

struct ReportRow {
  std::string name = {};
  ordered_json keys = {};  // What JSON calls the row.
  std::vector<uint64_t> seeds = {};
  bool is_difference = false;
  std::map<Metric, Figure> figures = {};
};

struct ReportTable {
  std::string heading = {};
  std::string key = {};
  std::vector<ReportRow> rows = {};
};

std::vector<ReportRow> RowsOf(const std::string& name_key,
                              std::span<const MethodSummary> summaries) {
  std::vector<ReportRow> rows;
  for (const MethodSummary& summary : summaries) {
    ReportRow& row = rows.emplace_back();
    row.name = summary.method;
    row.keys = {{name_key, summary.method}};
    row.seeds = summary.seeds;
    for (const auto& [metric, spread] : summary.metrics) {
      row.figures[metric] = {
          .mean = spread.mean, .sd = spread.sd, .values = spread.values};
    }
  }
  return rows;
}

std::vector<ReportRow> RowsOf(std::span<const Comparison> comparisons) {
  std::vector<ReportRow> rows;
  for (const Comparison& comparison : comparisons) {
    ReportRow& row = rows.emplace_back();
    row.name = absl::StrCat(comparison.first, " - ", comparison.second);
    row.keys = {{"first", comparison.first}, {"second", comparison.second}};
    row.seeds = comparison.seeds;
    row.is_difference = true;
    for (const auto& [metric, difference] : comparison.metrics) {
      row.figures[metric] = {.mean = difference.mean,
                             .interval = difference.interval};
    }
  }
  return rows;
}

std::vector<ReportTable> TablesOf(const EvaluationReport& report) {
  return {{"Method", "methods", RowsOf("method", report.methods)},
          {"Paired difference [95 % interval]", "comparisons",
           RowsOf(report.comparisons)},
          {"Neighbours", "k_sweep", RowsOf("setting", report.k_sweep)},
          {"Temperature", "tau_sweep", RowsOf("setting", report.tau_sweep)}};
}

std::string CellText(Metric metric, const Figure& figure, bool is_difference) {
  const bool is_share = InfoOf(metric).is_share;
  const double scale = is_share ? 100 : 1;
  const int decimals = is_share ? 2 : 1;
  const double mean = scale * figure.mean;
  std::string text = is_difference ? absl::StrFormat("%+.*f", decimals, mean)
                                   : absl::StrFormat("%.*f", decimals, mean);
  if (figure.sd.has_value()) {
    absl::StrAppendFormat(&text, " ± %.*f", decimals, scale * *figure.sd);
  }
  if (figure.interval.has_value()) {
    absl::StrAppendFormat(&text, " [%.*f, %.*f]", decimals,
                          scale * figure.interval->low, decimals,
                          scale * figure.interval->high);
  }
  return text;
}

// Metrics that no row has get no column.
std::string TableText(const ReportTable& report_table) {
  std::set<Metric> metrics;
  for (const ReportRow& row : report_table.rows) {
    for (const auto& [metric, figure] : row.figures) metrics.insert(metric);
  }
  std::vector<base::Column> columns = {{report_table.heading},
                                       {"Seeds", base::ColumnKind::kNumber}};
  for (const Metric metric : metrics) {
    columns.push_back(
        {std::string(InfoOf(metric).title), base::ColumnKind::kNumber});
  }
  base::Table table(std::move(columns));
  for (const ReportRow& row : report_table.rows) {
    std::vector<base::Cell> cells = {row.name, absl::StrCat(row.seeds.size())};
    for (const Metric metric : metrics) {
      const auto found = row.figures.find(metric);
      cells.emplace_back(
          found == row.figures.end()
              ? "-"
              : CellText(metric, found->second, row.is_difference));
    }
    table.AddRow(std::move(cells));
  }
  return table.Render(base::Terminal());
}

std::string NumberField(std::optional<double> number) {
  return number.has_value() ? base::ShortestText(*number) : "";
}

}  // namespace

std::string ReportText(const EvaluationReport& report) {
  std::string text;
  for (const ReportTable& table : TablesOf(report)) {
    if (table.rows.empty()) continue;
    if (!text.empty()) text += '\n';
    text += TableText(table);
  }
  return text;
}

std::string ReportCsv(const EvaluationReport& report) {
  std::string csv = "table,row,metric,seeds,mean,sd,low,high\n";
  for (const ReportTable& table : TablesOf(report)) {
    for (const ReportRow& row : table.rows) {
      for (const auto& [metric, figure] : row.figures) {
        std::optional<double> low, high;
        if (figure.interval.has_value()) {
          low = figure.interval->low;
          high = figure.interval->high;
        }
        absl::StrAppend(&csv, table.key, ",", base::CsvField(row.name), ",",
                        InfoOf(metric).key, ",", row.seeds.size());
        for (const auto& number :
             {std::optional(figure.mean), figure.sd, low, high}) {
          absl::StrAppend(&csv, ",", NumberField(number));
        }
        csv += '\n';
      }
    }
  }
  return csv;
}

ordered_json ReportJson(const EvaluationReport& report) {
  ordered_json json = ordered_json::object();
  for (const ReportTable& table : TablesOf(report)) {
    ordered_json& rows = json[table.key] = ordered_json::array();
    for (const ReportRow& row : table.rows) {
      ordered_json metrics = ordered_json::object();
      for (const auto& [metric, figure] : row.figures) {
        ordered_json& entry = metrics[std::string(InfoOf(metric).key)];
        entry["mean"] = figure.mean;
        if (figure.sd.has_value()) entry["sd"] = *figure.sd;
        if (figure.interval.has_value()) {
          entry["low"] = figure.interval->low;
          entry["high"] = figure.interval->high;
        }
        if (!row.is_difference) entry["values"] = figure.values;
      }
      ordered_json& entry = rows.emplace_back(row.keys);
      entry["seeds"] = row.seeds;
      entry["metrics"] = std::move(metrics);
    }
  }
  return json;
}

}  // namespace ladder::trainer
