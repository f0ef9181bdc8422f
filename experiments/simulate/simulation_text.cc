#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "experiments/simulate/simulation_report.h"

namespace ladder::trainer {
namespace {

constexpr int kNameWidth = 20;
constexpr int kDecimals[kSimMetrics.size()] = {2, 3, 2};

// "   72.25 ± 12.89": 16 characters.
std::string SpreadText(size_t metric, double mean, double sd) {
  return absl::StrFormat("   %5.*f ± %5.*f", kDecimals[metric], mean,
                         kDecimals[metric], sd);
}
constexpr int kSpreadWidth = 16;
constexpr int kDifferenceWidth = 6;

std::string MethodLine(const SimRow& row, size_t target) {
  std::string line = absl::StrFormat("%-*s", kNameWidth, row.name);
  for (size_t m = 0; m < kSimMetrics.size(); ++m) {
    const auto& figure = row.figures[target][m];
    const auto none = [&](int width) {
      absl::StrAppendFormat(&line, "%*s", width, "-");
    };
    if (!figure.has_value()) {
      none(kSpreadWidth);
    } else {
      line += SpreadText(m, figure->mean, figure->sd);
    }
    if (!figure.has_value() || !figure->paper.has_value()) {
      none(kSpreadWidth);
      none(kDifferenceWidth);
    } else {
      line += SpreadText(m, figure->paper->mean, figure->paper->sd);
      absl::StrAppendFormat(&line, "%+*.1f", kDifferenceWidth,
                            *figure->DifferenceFromPaper());
    }
  }
  return line;
}

std::string MethodTable(const SimulationReport& report, size_t target) {
  std::string text =
      absl::StrFormat("Target %s (%s)\n%-*s", kSimTargets[target].name,
                      kSimTargets[target].meaning, kNameWidth, "Method");
  for (const SimMetricInfo& metric : kSimMetrics) {
    absl::StrAppendFormat(&text, "%*s%*s%*s", kSpreadWidth, metric.title,
                          kSpreadWidth, "paper", kDifferenceWidth, "s.e.");
  }
  text += '\n';
  for (const SimRow& row : report.methods) {
    absl::StrAppend(&text, MethodLine(row, target), "\n");
  }
  return text;
}

// Mean and standard error, both targets in a line.
std::string AblationTable(const std::string& title,
                          std::span<const SimRow> rows) {
  std::string text = absl::StrFormat("%-*s", kNameWidth, title);
  for (const SimulatedTarget& target : kSimTargets) {
    for (const SimMetricInfo& metric : kSimMetrics) {
      absl::StrAppendFormat(&text, "%*s", kSpreadWidth + 3,
                            absl::StrCat(target.name, " ", metric.title));
    }
  }
  text += '\n';
  for (const SimRow& row : rows) {
    absl::StrAppendFormat(&text, "%-*s", kNameWidth, row.name);
    for (const auto& figures : row.figures) {
      for (size_t m = 0; m < kSimMetrics.size(); ++m) {
        absl::StrAppend(
            &text, "   ",
            SpreadText(m, figures[m]->mean, figures[m]->standard_error));
      }
    }
    text += '\n';
  }
  return text;
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

}  // namespace ladder::trainer
