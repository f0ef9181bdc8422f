#include "examples/demo_report.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/terminal/terminal.h"
#include "routing/coverage.h"

namespace ladder::examples {
namespace {

using absl::PrintF;
using absl::StrFormat;
using routing::Coverage;
using routing::CoverageBasis;
using routing::CoverageVerdict;

constexpr int kWidth = 80;
constexpr int kLabelWidth = 18;  // Columns before a row of cells.
constexpr int kCellWidth = 5;    // Columns per source, first a space.

// `text` in a style, where standard output has colours.
std::string Styled(absl::string_view text, base::Style style) {
  static const base::Terminal terminal = base::DescribeTerminal(STDOUT_FILENO);
  return base::Styled(text, style, terminal);
}

std::string Bold(absl::string_view text) {
  return Styled(text, base::Style::kBold);
}

std::string BoldVerdict(CoverageVerdict verdict) {
  const absl::string_view name = CoverageVerdictName(verdict);
  if (verdict == CoverageVerdict::kIn) return Styled(name, base::Style::kGood);
  if (verdict == CoverageVerdict::kOut) return Styled(name, base::Style::kBad);
  return Styled(name, base::Style::kWarning);
}

// A bar of up to eight eighths of a row, full at a `share` of one.
std::string BarCell(double share) {
  constexpr std::array<absl::string_view, 9> kEighths = {
      " ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  const absl::string_view block = kEighths[std::lround(8 * share)];
  std::string cell = " ";
  for (int i = 1; i < kCellWidth; ++i) absl::StrAppend(&cell, block);
  return cell;
}

std::string PercentCell(double weight) {
  if (weight == 0) return "    ·";
  if (weight < 0.005) return "   <1";
  return StrFormat("%*.0f", kCellWidth, 100 * weight);
}

// A row of a group's table: one cell per source.
template <typename CellOf>
void PrintCells(absl::string_view label, std::span<const double> values,
                CellOf cell_of) {
  std::string cells;
  for (const double value : values) absl::StrAppend(&cells, cell_of(value));
  PrintF("%-*s%s\n", kLabelWidth, label,
         absl::StripTrailingAsciiWhitespace(cells));
}

// The remark goes where there is room: right of the mark, or left of it.
void PrintTruth(double true_place, absl::string_view remark) {
  constexpr absl::string_view kLabel = "  hidden truth";
  const auto column = static_cast<int>(
      std::lround(kLabelWidth + kCellWidth * true_place + 2.5));
  if (column + 2 + static_cast<int>(remark.size()) <= kWidth) {
    PrintF("%-*s▲ %s\n", column, kLabel, remark);
  } else {
    const int room = std::min(column, kWidth - 1) - 1;
    PrintF("%s%*s %s\n", kLabel, room - static_cast<int>(kLabel.size()), remark,
           column < kWidth ? "▲" : "▶");
  }
}

void PrintCoverage(const Coverage& coverage) {
  PrintF("  coverage  %s: ", BoldVerdict(coverage.verdict));
  if (coverage.basis == CoverageBasis::kCalibration) {
    PrintF("nearest place at %.2f; IN up to %.2f, OUT above %.2f\n",
           coverage.nearest_distance, coverage.in_threshold,
           coverage.out_threshold);
  } else {
    PrintF("nearest place at %.2f, but too few images to judge by\n",
           coverage.nearest_distance);
  }
}

void PrintRow(absl::string_view name, absl::string_view verdict,
              const Accuracies& scores, std::chrono::duration<double> time) {
  PrintF("%-12s%-10s%6.1f%9.1f%9.1f%11.1f%+11.1f%9.1f ms\n", name, verdict,
         100 * scores.ladder, 100 * scores.nearest, 100 * scores.uniform,
         100 * scores.true_rule, 100 * (scores.ladder - scores.uniform),
         1e3 * time.count());
}

void PrintMean(absl::string_view name, std::span<const GroupResult> results) {
  Accuracies mean;
  std::chrono::duration<double> mean_time = {};
  const double share = 1 / static_cast<double>(results.size());
  for (const GroupResult& result : results) {
    mean.ladder += share * result.scores.ladder;
    mean.nearest += share * result.scores.nearest;
    mean.uniform += share * result.scores.uniform;
    mean.true_rule += share * result.scores.true_rule;
    mean_time += share * result.routing_time;
  }
  if (!results.empty()) PrintRow(name, "", mean, mean_time);
}

}  // namespace

void PrintIntroduction(const ModelFacts& facts) {
  PrintF("%s\n", Bold("LADDER: whose expert to ask where nobody has labels"));
  PrintF(R"(
A made-up world. Camera traps stand at %d places between valley (1) and summit
(%d). With the height, which no image shows, two things change: how images look
(their style) and the rule that tells the animals apart. People labelled images
of these places, so each has an expert. Other places send images without labels;
LADDER finds the places of nearest style and mixes their experts.

Made from the labelled places alone, in %.1f s:
  experts       a linear classifier per place, fitted to %d labelled images;
                %.1f %% right on other images of its place
  fingerprints  %d style vectors per place, of %d numbers each
  coverage      each place plays a new one (%d more images), meets the others:
                IN is as near as they are, OUT too far to trust the weights
  weights       softmax(-distance / tau) over the %d nearest; at tau = %.3f the
                last weighs e^-2 of the first (median of those meetings)

)",
         facts.num_sources, facts.num_sources, facts.training_time.count(),
         facts.images_per_source, 100 * facts.home_accuracy,
         facts.images_per_source, facts.style_dimension,
         facts.images_per_source, facts.k, facts.tau);
}

void PrintGroup(const GroupResult& result) {
  const routing::Routing& routing = result.routing;
  std::string heading =
      StrFormat("%-*s", kLabelWidth,
                StrFormat("%s, %d images", result.name, routing.num_seen));
  for (size_t e = 1; e <= routing.weights.size(); ++e) {
    absl::StrAppendFormat(&heading, "%*d", kCellWidth, e);
  }
  PrintF("%s\n", Bold(heading));
  PrintCells("  distance", routing.distances, [](double distance) {
    return StrFormat("%*.1f", kCellWidth, distance);
  });
  const double largest =
      *std::max_element(routing.weights.begin(), routing.weights.end());
  PrintCells("  weight", routing.weights,
             [&](double weight) { return BarCell(weight / largest); });
  PrintCells("    in %", routing.weights, PercentCell);
  PrintTruth(result.true_place, result.remark);
  PrintCoverage(routing.coverage);
  PrintF("  weights   %.1f effective experts", routing.effective_experts);
  if (routing.stability.has_value()) {
    PrintF("; other images would move %.0f %% of the weight",
           100 * routing.stability->mean_total_variation);
  }
  PrintF(
      "\n  accuracy  %s   nearest expert %.1f   uniform %.1f   true rule "
      "%.1f\n\n",
      Bold(StrFormat("LADDER %.1f", 100 * result.scores.ladder)),
      100 * result.scores.nearest, 100 * result.scores.uniform,
      100 * result.scores.true_rule);
}

void PrintSummary(std::span<const GroupResult> results, const RunFacts& facts) {
  PrintF("%s\n",
         Bold("accuracy, % coverage  LADDER  nearest  uniform  true rule"
              "       gain     routing"));
  for (const GroupResult& result : results) {
    PrintRow(result.name, CoverageVerdictName(result.routing.coverage.verdict),
             result.scores, result.routing_time);
  }
  std::vector<GroupResult> covered;
  std::copy_if(results.begin(), results.end(), std::back_inserter(covered),
               [](const GroupResult& result) {
                 return result.routing.coverage.verdict == CoverageVerdict::kIn;
               });
  PrintMean("mean of IN", covered);
  PrintMean("mean of all", results);
  PrintF(R"(
Accuracy is counted on %d further images of each place, the only use of their
labels. Nearest asks one expert, uniform all alike; the true rule is the world's
own, the ceiling. Gain: LADDER over uniform, in points. Routing: from the style
vectors to weights and verdict. The seed fixes all figures but the times.
Seed %d, threads %d, SIMD %s.
)",
         facts.scored_images, facts.seed, facts.num_threads, facts.simd_target);
}

}  // namespace ladder::examples
