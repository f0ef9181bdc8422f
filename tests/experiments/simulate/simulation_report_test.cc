#include "experiments/simulate/simulation_report.h"

#include <cmath>
#include <cstddef>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_split.h"
#include "experiments/simulate/simulation.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "tests/base/charts/svg_elements.h"

namespace ladder::experiments {
namespace {

using ::testing::HasSubstr;

// Made-up replications in which every score of replication i is i, but for
// Pooled-MLP, which has no parameter error.
SimulationReport SmallReport() {
  std::vector<Replication> replications;
  for (const double score : {1.0, 2.0, 3.0, 6.0}) {
    TargetScores scores;
    for (Scores& target : scores) target.fill(score);
    Replication& replication = replications.emplace_back();
    replication.methods.assign(kSimMethods.size(), scores);
    for (Scores& target : replication.methods[7]) {
      target[kSimParameterError] = std::numeric_limits<double>::quiet_NaN();
    }
    replication.neighbours.assign(NeighbourSettings().size(), scores);
    replication.summaries.assign(SummarySettings().size(), scores);
  }
  return MakeSimulationReport(replications);
}

TEST(SimulationReportTest, GivesMeanDeviationAndStandardError) {
  const SimFigure figure = FigureOf({1, 2, 3, 6});

  EXPECT_DOUBLE_EQ(figure.mean, 3);
  EXPECT_DOUBLE_EQ(figure.sd, std::sqrt(14.0 / 3));
  EXPECT_DOUBLE_EQ(figure.standard_error, std::sqrt(14.0 / 12));
}

TEST(SimulationReportTest, MeasuresTheDistanceFromThePaperInStandardErrors) {
  SimFigure figure = {.mean = 60, .standard_error = 0.3};
  EXPECT_FALSE(figure.DifferenceFromPaper().has_value());

  figure.paper = {.mean = 61, .sd = 4};

  EXPECT_DOUBLE_EQ(figure.DifferenceFromPaper().value(), -1 / 0.5);
}

TEST(SimulationReportTest, TwoFiguresWithoutSpreadThatAgreeDifferByNothing) {
  SimFigure figure = {.mean = 0};
  figure.paper = PaperFigure{};

  EXPECT_EQ(figure.DifferenceFromPaper().value(), 0);
}

TEST(SimulationReportTest, ControlsHaveNoFigureOfThePaperAndOthersDo) {
  for (const SimRow& row : SmallReport().methods) {
    const bool is_control =
        row.name == "UniformExperts" || row.name == "NearestExpert";
    for (const auto& figures : row.figures) {
      EXPECT_EQ(figures[kSimAccuracy]->paper.has_value(), !is_control)
          << row.name;
    }
  }
}

TEST(SimulationReportTest, PutsThePapersFiguresBesideOurs) {
  const std::string text = SimulationText(SmallReport());

  EXPECT_THAT(text, HasSubstr("Target A (interpolation, c = 2)"));
  EXPECT_THAT(text, HasSubstr("3.00 ±  2.16  72.25 ± 12.89"));
  EXPECT_THAT(text, HasSubstr("K=all"));
  EXPECT_THAT(text, HasSubstr("n0=1000 tau=0.05"));
}

TEST(SimulationReportTest, CsvHasALineForEveryFigure) {
  const std::vector<std::string> lines =
      absl::StrSplit(SimulationCsv(SmallReport()), '\n', absl::SkipEmpty());

  // 13 methods, 9 K, 35 pairs of n0 and tau; two targets, three metrics; less
  // the parameter errors of Pooled-MLP.
  ASSERT_EQ(lines.size(), 1u + (13 + 9 + 35) * 6 - 2);
  const std::vector<std::string> titles = absl::StrSplit(lines.front(), ',');
  for (const std::string& line : lines) {
    const std::vector<std::string> cells = absl::StrSplit(line, ',');
    EXPECT_EQ(cells.size(), titles.size()) << line;
  }
}

TEST(SimulationReportTest, JsonHasTheValueOfEveryReplication) {
  const nlohmann::ordered_json json = SimulationJson(SmallReport());

  EXPECT_EQ(json["replications"], 4);
  const auto& erm = json["methods"][0];
  EXPECT_EQ(erm["setting"], "ERM");
  EXPECT_EQ(erm["targets"]["B"]["accuracy"]["values"],
            (std::vector<double>{1, 2, 3, 6}));
  EXPECT_EQ(erm["targets"]["B"]["accuracy"]["paper"]["mean"], 42.34);
  EXPECT_FALSE(json["methods"][7]["targets"]["A"].contains("parameter_error"));
  EXPECT_EQ(json["neighbours"].size(), 9u);
  EXPECT_EQ(json["summaries"].size(), 35u);
}

TEST(SimulationFiguresTest, ShowEveryAblationForEveryMetric) {
  std::set<std::string> names;
  for (const NamedFigure& figure : SimulationFigures(SmallReport())) {
    names.insert(figure.file_name);
    // A line per target, or per tau and one more for uniform weights.
    const size_t num_lines = figure.file_name[0] == 'n' ? 6 : 2;
    EXPECT_EQ(Select(base::ParseSvg(figure.svg), "polyline", "").size(),
              num_lines)
        << figure.file_name;
  }

  EXPECT_EQ(names.size(), 12u);
  EXPECT_EQ(names.count("k_accuracy.svg"), 1u);
  EXPECT_EQ(names.count("tau_brier.svg"), 1u);
  EXPECT_EQ(names.count("n0_b_parameter_error.svg"), 1u);
}

}  // namespace
}  // namespace ladder::experiments
