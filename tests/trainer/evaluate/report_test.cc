#include "trainer/evaluate/report.h"

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ladder::trainer {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::vector<MethodSummary> Summaries(const std::vector<SeedResult>& results) {
  return Summarize(results).value();
}

// Two methods; the first has two seeds, the second one and a drop beside.
std::vector<MethodSummary> TwoMethods() {
  return Summaries(
      {{.method = "LADDER-group",
        .seed = 1,
        .metrics = {.accuracy = 0.5,
                    .macro_f1 = 0.125,
                    .drop = 0.0825,
                    .filtered_zeros = 2,
                    .raw_worst = 0}},
       {.method = "ERM",
        .seed = 1,
        .metrics = {.accuracy = 0.25, .macro_f1 = 1, .filtered_zeros = 0}},
       {.method = "ERM",
        .seed = 2,
        .metrics = {.accuracy = 0.75, .macro_f1 = 1, .filtered_zeros = 1}}});
}

TEST(ReportTest, TextHasAlignedPercent) {
  const std::string text = ReportText({.methods = TwoMethods()});

  EXPECT_EQ(text,
            "Method        Seeds       Accuracy       Macro F1  ID-to-test drop"
            "  Filt. zeros    Raw worst\n"
            "ERM               2  50.00 ± 35.36  100.00 ± 0.00                -"
            "    0.5 ± 0.7  0.00 ± 0.00\n"
            "LADDER-group      1          50.00          12.50             8.25"
            "          2.0         0.00\n");
}

TEST(ReportTest, TextShowsDifferencesWithTheirSign) {
  const Comparison comparison{
      .first = "LADDER-group",
      .second = "SampleGate-group",
      .seeds = {1, 2},
      .metrics = {{Metric::kAccuracy,
                   {.mean = 0.025,
                    .interval = Interval{.low = -0.005, .high = 0.0449}}},
                  {Metric::kMacroF1, {.mean = -0.0038}}}};

  const std::string text = ReportText({.comparisons = {comparison}});

  EXPECT_EQ(text,
            "Paired difference [95 % interval]  Seeds"
            "             Accuracy  Macro F1\n"
            "LADDER-group - SampleGate-group        2"
            "  +2.50 [-0.50, 4.49]     -0.38\n");
}

TEST(ReportTest, TextHasOneTablePerPart) {
  const auto k_sweep = Summaries({{.method = "K=1 tau=0.5"}});
  const auto tau_sweep = Summaries({{.method = "K=2 tau=9"}});

  const std::string text = ReportText(
      {.methods = TwoMethods(), .k_sweep = k_sweep, .tau_sweep = tau_sweep});

  EXPECT_THAT(text, HasSubstr("\n\nNeighbours   Seeds"));
  EXPECT_THAT(text, HasSubstr("\nK=1 tau=0.5      1"));
  EXPECT_THAT(text, HasSubstr("\n\nTemperature  Seeds"));
  EXPECT_THAT(text, HasSubstr("\nK=2 tau=9        1"));
  EXPECT_THAT(text, Not(HasSubstr("Paired")));
}

TEST(ReportTest, TextLeavesOutWhatNobodyHas) {
  EXPECT_THAT(ReportText({.methods = TwoMethods()}), Not(HasSubstr("region")));
  EXPECT_EQ(ReportText({}), "");
}

TEST(ReportTest, CsvHasOneLinePerRowAndMetric) {
  const auto methods =
      Summaries({{.method = "ERM", .seed = 1, .metrics = {.accuracy = 0.25}},
                 {.method = "ERM", .seed = 2, .metrics = {.accuracy = 0.75}}});
  const Comparison comparison{
      .first = "A",
      .second = "B",
      .seeds = {1, 2, 3},
      .metrics = {
          {Metric::kMacroF1, {.mean = 0.1, .interval = Interval{-0.5, 1e-7}}},
          {Metric::kRawWorst, {.mean = 1}}}};
  const auto sweep = Summaries({{.method = "K=1 tau=0.5"}});

  EXPECT_EQ(ReportCsv({.methods = methods,
                       .comparisons = {comparison},
                       .k_sweep = sweep,
                       .tau_sweep = sweep}),
            "table,row,metric,seeds,mean,sd,low,high\n"
            "methods,ERM,accuracy,2,0.5,0.3535533905932738,,\n"
            "methods,ERM,macro_f1,2,0,0,,\n"
            "methods,ERM,raw_worst,2,0,0,,\n"
            "comparisons,A - B,macro_f1,3,0.1,,-0.5,1e-07\n"
            "comparisons,A - B,raw_worst,3,1,,,\n"
            "k_sweep,K=1 tau=0.5,accuracy,1,0,,,\n"
            "k_sweep,K=1 tau=0.5,macro_f1,1,0,,,\n"
            "k_sweep,K=1 tau=0.5,raw_worst,1,0,,,\n"
            "tau_sweep,K=1 tau=0.5,accuracy,1,0,,,\n"
            "tau_sweep,K=1 tau=0.5,macro_f1,1,0,,,\n"
            "tau_sweep,K=1 tau=0.5,raw_worst,1,0,,,\n");
}

TEST(ReportTest, CsvQuotesNamesThatNeedIt) {
  const auto methods = Summaries({{.method = "mine, \"new\""}});

  EXPECT_THAT(ReportCsv({.methods = methods}),
              HasSubstr("methods,\"mine, \"\"new\"\"\",accuracy,1,"));
}

TEST(ReportTest, JsonHasEverySeedsValues) {
  const nlohmann::ordered_json json = ReportJson({.methods = TwoMethods()});

  const auto& erm = json.at("methods").at(0);
  EXPECT_EQ(erm.at("method"), "ERM");
  EXPECT_EQ(erm.at("seeds"), (std::vector<uint64_t>{1, 2}));
  const auto& accuracy = erm.at("metrics").at("accuracy");
  EXPECT_EQ(accuracy.at("mean"), 0.5);
  EXPECT_NEAR(accuracy.at("sd").get<double>(), 0.35355339, 1e-8);
  EXPECT_EQ(accuracy.at("values"), (std::vector<double>{0.25, 0.75}));
  EXPECT_FALSE(erm.at("metrics").contains("drop"));
  const auto& ladder = json.at("methods").at(1);
  EXPECT_EQ(ladder.at("metrics").at("drop").at("mean"), 0.0825);
  EXPECT_FALSE(ladder.at("metrics").at("drop").contains("sd"));
}

TEST(ReportTest, JsonHasComparisonsAndSweeps) {
  const Comparison comparison{
      .first = "A",
      .second = "B",
      .seeds = {1, 2},
      .metrics = {
          {Metric::kAccuracy, {.mean = 0.25, .interval = Interval{-0.5, 1}}},
          {Metric::kRawWorst, {.mean = 1}}}};

  const nlohmann::ordered_json json =
      ReportJson({.comparisons = {comparison},
                  .k_sweep = Summaries({{.method = "K=1 tau=0.5"}}),
                  .tau_sweep = Summaries({{.method = "K=2 tau=9"}})});

  EXPECT_EQ(json.at("comparisons"), nlohmann::ordered_json::parse(R"([{
              "first": "A", "second": "B", "seeds": [1, 2],
              "metrics": {"accuracy": {"mean": 0.25, "low": -0.5, "high": 1.0},
                          "raw_worst": {"mean": 1.0}}}])"));
  EXPECT_EQ(json.at("k_sweep").at(0).at("setting"), "K=1 tau=0.5");
  EXPECT_EQ(json.at("tau_sweep").at(0).at("setting"), "K=2 tau=9");
  EXPECT_TRUE(json.at("methods").empty());
}

}  // namespace
}  // namespace ladder::trainer
