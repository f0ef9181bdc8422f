#include <array>
#include <charconv>
#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "trainer/evaluate/report.h"

namespace ladder::trainer {
namespace {

// In quotes where RFC 4180 wants them.
std::string Field(absl::string_view text) {
  if (text.find_first_of(",\"\r\n") == absl::string_view::npos) {
    return std::string(text);
  }
  return absl::StrCat("\"", absl::StrReplaceAll(text, {{"\"", "\"\""}}), "\"");
}

std::string Field(std::optional<double> number) {
  if (!number.has_value()) return "";
  std::array<char, 32> text;
  const auto end =
      std::to_chars(text.data(), text.data() + text.size(), *number).ptr;
  return std::string(text.data(), end);
}

void AppendSummaries(absl::string_view table,
                     std::span<const MethodSummary> summaries,
                     std::string& csv) {
  for (const MethodSummary& summary : summaries) {
    for (const auto& [metric, spread] : summary.metrics) {
      absl::StrAppend(&csv, table, ",", Field(summary.method), ",",
                      InfoOf(metric).key, ",", summary.seeds.size(), ",");
      absl::StrAppend(&csv, Field(spread.mean), ",", Field(spread.sd), ",,\n");
    }
  }
}

void AppendComparisons(std::span<const Comparison> comparisons,
                       std::string& csv) {
  for (const Comparison& comparison : comparisons) {
    const std::string row =
        Field(absl::StrCat(comparison.first, " - ", comparison.second));
    for (const auto& [metric, difference] : comparison.metrics) {
      std::optional<double> low, high;
      if (difference.interval.has_value()) {
        low = difference.interval->low;
        high = difference.interval->high;
      }
      absl::StrAppend(&csv, "comparisons,", row, ",", InfoOf(metric).key, ",",
                      comparison.seeds.size(), ",");
      absl::StrAppend(&csv, Field(difference.mean), ",,", Field(low), ",",
                      Field(high), "\n");
    }
  }
}

}  // namespace

std::string ReportCsv(const EvaluationReport& report) {
  std::string csv = "table,row,metric,seeds,mean,sd,low,high\n";
  AppendSummaries("methods", report.methods, csv);
  AppendComparisons(report.comparisons, csv);
  AppendSummaries("k_sweep", report.k_sweep, csv);
  AppendSummaries("tau_sweep", report.tau_sweep, csv);
  return csv;
}

}  // namespace ladder::trainer
