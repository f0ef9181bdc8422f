#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/terminal/table.h"
#include "experiments/simulate/simulation_report.h"

namespace ladder::experiments {
namespace {

using nlohmann::ordered_json;

constexpr int kDecimals[kSimMetrics.size()] = {2, 3, 2};

// "72.25 ± 12.89"
std::string SpreadText(size_t metric, double mean, double sd) {
  return absl::StrFormat("%5.*f ± %5.*f", kDecimals[metric], mean,
                         kDecimals[metric], sd);
}

// Adds our figure, the paper's, and how far they lie apart.
void AddComparison(size_t metric, const std::optional<SimFigure>& figure,
                   std::vector<base::Cell>& cells) {
  if (!figure.has_value()) {
    cells.insert(cells.end(), {"-", "-", "-"});
    return;
  }
  cells.emplace_back(SpreadText(metric, figure->mean, figure->sd));
  if (!figure->paper.has_value()) {
    cells.insert(cells.end(), {"-", "-"});
    return;
  }
  cells.emplace_back(
      SpreadText(metric, figure->paper->mean, figure->paper->sd));
  cells.emplace_back(absl::StrFormat("%+.1f", *figure->DifferenceFromPaper()));
}

std::string MethodTable(const SimulationReport& report, size_t target) {
  std::vector<base::Column> columns = {{"Method"}};
  for (const SimMetricInfo& metric : kSimMetrics) {
    columns.push_back({metric.title, base::ColumnKind::kNumber});
    columns.push_back({"paper", base::ColumnKind::kNumber});
    columns.push_back({"s.e.", base::ColumnKind::kNumber});
  }
  base::Table table(std::move(columns));
  for (const SimRow& row : report.methods) {
    std::vector<base::Cell> cells = {row.name};
    for (size_t m = 0; m < kSimMetrics.size(); ++m) {
      AddComparison(m, row.figures[target][m], cells);
    }
    table.AddRow(std::move(cells));
  }
  return absl::StrFormat("Target %s (%s)\n%s", kSimTargets[target].name,
                         kSimTargets[target].meaning, table.Render({}));
}

// Mean and standard error, both targets in a line.
std::string AblationTable(const std::string& title,
                          std::span<const SimRow> rows) {
  std::vector<base::Column> columns = {{title}};
  for (const SimulatedTarget& target : kSimTargets) {
    for (const SimMetricInfo& metric : kSimMetrics) {
      columns.push_back({absl::StrCat(target.name, " ", metric.title),
                         base::ColumnKind::kNumber});
    }
  }
  base::Table table(std::move(columns));
  for (const SimRow& row : rows) {
    std::vector<base::Cell> cells = {row.name};
    for (const auto& figures : row.figures) {
      for (size_t m = 0; m < kSimMetrics.size(); ++m) {
        cells.emplace_back(
            SpreadText(m, figures[m]->mean, figures[m]->standard_error));
      }
    }
    table.AddRow(std::move(cells));
  }
  return table.Render({});
}

ordered_json FigureJson(const SimFigure& figure) {
  ordered_json json = {{"mean", figure.mean},
                       {"sd", figure.sd},
                       {"standard_error", figure.standard_error}};
  if (figure.paper.has_value()) {
    json["paper"] = {{"mean", figure.paper->mean}, {"sd", figure.paper->sd}};
    json["difference_in_standard_errors"] = *figure.DifferenceFromPaper();
  }
  json["values"] = figure.values;
  return json;
}

ordered_json RowsJson(std::span<const SimRow> rows) {
  ordered_json json = ordered_json::array();
  for (const SimRow& row : rows) {
    ordered_json targets = ordered_json::object();
    for (size_t t = 0; t < std::size(kSimTargets); ++t) {
      ordered_json& metrics = targets[kSimTargets[t].name];
      for (size_t m = 0; m < kSimMetrics.size(); ++m) {
        const auto& figure = row.figures[t][m];
        if (figure.has_value()) {
          metrics[kSimMetrics[m].key] = FigureJson(*figure);
        }
      }
    }
    json.push_back({{"setting", row.name}, {"targets", std::move(targets)}});
  }
  return json;
}

}  // namespace

std::string SimulationText(const SimulationReport& report) {
  std::string text = absl::StrFormat(
      "%d replications: mean ± standard deviation; s.e.: how many standard "
      "errors of the\ndifference we are above the paper.\n\n",
      report.num_replications);
  for (size_t t = 0; t < std::size(kSimTargets); ++t) {
    absl::StrAppend(&text, MethodTable(report, t), "\n");
  }
  absl::StrAppend(&text, "LADDER's ablations: mean ± standard error\n",
                  AblationTable("Neighbours", report.neighbours), "\n",
                  AblationTable("Summary at K=4", report.summaries));
  return text;
}

std::string SimulationCsv(const SimulationReport& report) {
  const std::pair<const char*, const std::vector<SimRow>&> studies[] = {
      {"methods", report.methods},
      {"neighbours", report.neighbours},
      {"summaries", report.summaries}};
  std::string text =
      "study,setting,target,metric,replications,mean,sd,standard_error,"
      "paper_mean,paper_sd,difference_in_standard_errors\n";
  for (const auto& [study, rows] : studies) {
    for (const SimRow& row : rows) {
      for (size_t t = 0; t < std::size(kSimTargets); ++t) {
        for (size_t m = 0; m < kSimMetrics.size(); ++m) {
          const auto& figure = row.figures[t][m];
          if (!figure.has_value()) continue;
          absl::StrAppendFormat(
              &text, "%s,%s,%s,%s,%d,%.17g,%.17g,%.17g,", study, row.name,
              kSimTargets[t].name, kSimMetrics[m].key, report.num_replications,
              figure->mean, figure->sd, figure->standard_error);
          if (figure->paper.has_value()) {
            absl::StrAppendFormat(&text, "%g,%g,%.4f", figure->paper->mean,
                                  figure->paper->sd,
                                  *figure->DifferenceFromPaper());
          } else {
            text += ",,";
          }
          text += '\n';
        }
      }
    }
  }
  return text;
}

ordered_json SimulationJson(const SimulationReport& report) {
  return {{"replications", report.num_replications},
          {"methods", RowsJson(report.methods)},
          {"neighbours", RowsJson(report.neighbours)},
          {"summaries", RowsJson(report.summaries)}};
}

}  // namespace ladder::experiments
