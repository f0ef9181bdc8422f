#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "trainer/evaluate/report.h"

namespace ladder::trainer {
namespace {

struct Row {
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

std::vector<Row> RowsOf(std::span<const MethodSummary> summaries) {
  std::vector<Row> rows;
  for (const MethodSummary& summary : summaries) {
    Row& row = rows.emplace_back();
    row.name = summary.method;
    row.num_seeds = summary.seeds.size();
    for (const auto& [metric, spread] : summary.metrics) {
      row.cells[metric] = SpreadText(metric, spread);
    }
  }
  return rows;
}

std::vector<Row> RowsOf(std::span<const Comparison> comparisons) {
  std::vector<Row> rows;
  for (const Comparison& comparison : comparisons) {
    Row& row = rows.emplace_back();
    row.name = absl::StrCat(comparison.first, " - ", comparison.second);
    row.num_seeds = comparison.seeds.size();
    for (const auto& [metric, difference] : comparison.metrics) {
      row.cells[metric] = DifferenceText(metric, difference);
    }
  }
  return rows;
}

using Lines = std::vector<std::vector<std::string>>;

// Metrics that no row has get no column.
Lines LinesOf(absl::string_view heading, std::span<const Row> rows) {
  std::set<Metric> columns;
  for (const Row& row : rows) {
    for (const auto& [metric, cell] : row.cells) columns.insert(metric);
  }
  Lines lines = {{std::string(heading), "Seeds"}};
  for (const Metric metric : columns) {
    lines.front().emplace_back(InfoOf(metric).title);
  }
  for (const Row& row : rows) {
    auto& line = lines.emplace_back();
    line = {row.name, absl::StrCat(row.num_seeds)};
    for (const Metric metric : columns) {
      const auto cell = row.cells.find(metric);
      line.push_back(cell == row.cells.end() ? "-" : cell->second);
    }
  }
  return lines;
}

// In characters: "±" has two bytes, of which the second continues the first.
size_t WidthOf(absl::string_view text) {
  return static_cast<size_t>(std::count_if(
      text.begin(), text.end(),
      [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

// Names to the left, numbers to the right.
std::string Aligned(const Lines& lines) {
  std::vector<size_t> widths(lines.front().size());
  for (const auto& line : lines) {
    for (size_t i = 0; i < line.size(); ++i) {
      widths[i] = std::max(widths[i], WidthOf(line[i]));
    }
  }
  std::string text;
  for (const auto& line : lines) {
    for (size_t i = 0; i < line.size(); ++i) {
      const std::string padding(widths[i] - WidthOf(line[i]), ' ');
      if (i == 0) {
        absl::StrAppend(&text, line[i], padding);
      } else {
        absl::StrAppend(&text, "  ", padding, line[i]);
      }
    }
    text += '\n';
  }
  return text;
}

}  // namespace

std::string ReportText(const EvaluationReport& report) {
  const std::pair<absl::string_view, std::vector<Row>> tables[] = {
      {"Method", RowsOf(report.methods)},
      {"Paired difference [95 % interval]", RowsOf(report.comparisons)},
      {"Neighbours", RowsOf(report.k_sweep)},
      {"Temperature", RowsOf(report.tau_sweep)}};
  std::string text;
  for (const auto& [heading, rows] : tables) {
    if (rows.empty()) continue;
    if (!text.empty()) text += '\n';
    text += Aligned(LinesOf(heading, rows));
  }
  return text;
}

}  // namespace ladder::trainer
