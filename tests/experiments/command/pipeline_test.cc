// From a table on disk to tables and figures, as a user goes: fit, evaluate,
// diagnose.

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/files/csv.h"
#include "experiments/command/ladder_train.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "tests/base/charts/svg_elements.h"
#include "tests/data_folder.h"
#include "tests/trainer/command/run_command.h"
#include "tests/trainer/command/small_table.h"

namespace ladder::experiments {
namespace {

using ::testing::AllOf;
using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::IsSupersetOf;
using ::testing::Not;
using ::testing::Pair;
using ::testing::StartsWith;
using trainer::CommandResult;
using trainer::RunCommand;
using trainer::SmallFitOptions;
using trainer::SmallTable;

using Row = std::map<std::string, std::string>;

std::string TextOf(const std::filesystem::path& path) {
  std::ifstream file(path);
  EXPECT_TRUE(file.is_open()) << path;
  return {std::istreambuf_iterator<char>(file), {}};
}

// The rows of a CSV file by their columns' names.
std::vector<Row> RowsOf(const std::filesystem::path& path) {
  std::vector<Row> rows;
  auto table = base::CsvTable::Open(path);
  EXPECT_TRUE(table.ok()) << table.status();
  while (table.ok()) {
    const auto is_row = table->Next();
    EXPECT_TRUE(is_row.ok()) << is_row.status();
    if (!is_row.ok() || !*is_row) break;
    Row& row = rows.emplace_back();
    for (size_t i = 0; i < table->columns().size(); ++i) {
      row[table->columns()[i]] = std::string(table->field(i));
    }
  }
  return rows;
}

double NumberOf(const std::string& text) {
  double number = 0;
  EXPECT_TRUE(absl::SimpleAtod(text, &number)) << "\"" << text << "\"";
  return number;
}

class PipelineTest : public ::testing::Test {
 protected:
  PipelineTest() { folder_.Write("data.csv", SmallTable()); }

  // Writes the next version of a bundle that is named after its method.
  void Fit(const std::string& method, int seed) const {
    std::vector<std::string> arguments = {"fit", "--data", Path("data.csv"),
                                          "--method", method};
    for (const std::string& more : SmallFitOptions()) {
      arguments.push_back(more);
    }
    arguments.insert(
        arguments.end(),
        {"--seed", absl::StrCat(seed), "--out", Path("store/" + method),
         "--run", Path(absl::StrCat("runs/", method, "-", seed))});
    const CommandResult result = RunCommand(RunLadderTrain, arguments);
    ASSERT_EQ(result.exit_code, base::kExitOk) << result.err;
  }

  // `command` on a folder of bundles.
  CommandResult Run(const std::string& command, const std::string& bundles,
                    const std::vector<std::string>& more) const {
    std::vector<std::string> arguments = {
        command, Path(bundles), "--data", Path("data.csv"), "--threads", "1"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return RunCommand(RunLadderTrain, arguments);
  }

  std::string Path(const std::string& name) const {
    return (folder_ / name).string();
  }
  std::vector<Row> Rows(const std::string& csv) const {
    return RowsOf(folder_ / csv);
  }
  nlohmann::json Json(const std::string& name) const {
    return nlohmann::json::parse(TextOf(folder_ / name));
  }
  std::vector<std::string> FigureTexts(const std::string& svg) const {
    return base::Texts(base::ParseSvg(TextOf(folder_ / svg)));
  }

  const DataFolder folder_;
};

void ExpectEveryRowOverBothSeeds(const nlohmann::json& report) {
  std::vector<std::string> methods;
  for (const auto& row : report["methods"]) {
    methods.push_back(row["method"]);
    EXPECT_EQ(row["seeds"], nlohmann::json({0, 1}));
    for (const char* metric :
         {"accuracy", "macro_f1", "filtered_average", "raw_worst"}) {
      ASSERT_EQ(row["metrics"][metric]["values"].size(), 2u) << metric;
      const double mean = row["metrics"][metric]["mean"];
      EXPECT_TRUE(mean >= 0 && mean <= 1) << metric << ": " << mean;
    }
    EXPECT_TRUE(row["metrics"].contains("drop"));
  }
  EXPECT_THAT(methods, ElementsAre("ERM", "UniformExperts", "NearestExpert",
                                   "SampleGate", "SampleGate-group",
                                   "LADDER-split", "LADDER-group"));
}

void ExpectSweepsThatTheSourcesAllow(const nlohmann::json& report) {
  std::map<std::string, nlohmann::json> metrics;
  std::vector<std::string> settings;
  for (const auto& row : report["k_sweep"]) {
    settings.push_back(row["setting"]);
    metrics[settings.back()] = row["metrics"];
  }
  // There are four sources: 5 and 6 are left out.
  EXPECT_THAT(settings, ElementsAre("K=1 tau=0.5", "K=2 tau=0.5", "K=3 tau=0.5",
                                    "K=4 tau=0.5", "K=all tau=0.5"));
  EXPECT_EQ(report["tau_sweep"].size(), 5u);
  // The bundles' own setting, and two names for one thing.
  EXPECT_EQ(metrics["K=2 tau=0.5"]["accuracy"],
            report["methods"].back()["metrics"]["accuracy"]);
  EXPECT_EQ(metrics["K=4 tau=0.5"], metrics["K=all tau=0.5"]);
}

void ExpectLadderAgainstEveryOtherRow(const nlohmann::json& report) {
  EXPECT_EQ(report["comparisons"].size(), 6u);
  for (const auto& comparison : report["comparisons"]) {
    EXPECT_EQ(comparison["first"], "LADDER-group");
    EXPECT_EQ(comparison["seeds"], nlohmann::json({0, 1}));
  }
}

void ExpectTheSameMeans(const std::vector<Row>& rows,
                        const nlohmann::json& report) {
  std::map<std::string, double> means;
  for (const auto& row : report["methods"]) {
    for (const auto& [metric, value] : row["metrics"].items()) {
      means[absl::StrCat(row["method"].get<std::string>(), " ", metric)] =
          value["mean"];
    }
  }
  std::map<std::string, double> found;
  for (const Row& row : rows) {
    if (row.at("table") != "methods") continue;
    EXPECT_EQ(row.at("seeds"), "2");
    found[absl::StrCat(row.at("row"), " ", row.at("metric"))] =
        NumberOf(row.at("mean"));
  }
  EXPECT_EQ(found, means);
}

// The sum of the weights of each bundle and group.
std::map<std::string, double> WeightSums(const std::vector<Row>& groups) {
  std::map<std::string, double> sums;
  for (const Row& row : groups) {
    EXPECT_EQ(row.at("samples"), "60");
    EXPECT_THAT(row.at("source"), StartsWith("site-"));
    EXPECT_GE(NumberOf(row.at("distance")),
              NumberOf(row.at("nearest_distance")));
    sums[absl::StrCat(row.at("bundle"), " ", row.at("group"))] +=
        NumberOf(row.at("weight"));
  }
  return sums;
}

TEST_F(PipelineTest, EvaluatesModelsOverTheirSeeds) {
  for (const char* method : {"ladder", "erm"}) {
    for (const int seed : {0, 1}) ASSERT_NO_FATAL_FAILURE(Fit(method, seed));
  }

  const CommandResult result = Run(
      "evaluate", "store/ladder",
      {Path("store/erm"), "--csv", Path("all.csv"), "--json", Path("all.json"),
       "--groups", Path("groups.csv"), "--figures", Path("figures")});

  ASSERT_EQ(result.exit_code, base::kExitOk) << result.err;
  EXPECT_THAT(result.out, AllOf(HasSubstr("ERM"), HasSubstr("LADDER-group")));
  const nlohmann::json report = Json("all.json");
  ExpectEveryRowOverBothSeeds(report);
  ExpectSweepsThatTheSourcesAllow(report);
  ExpectLadderAgainstEveryOtherRow(report);
  ExpectTheSameMeans(Rows("all.csv"), report);
  // The baseline does not route.
  const auto is_one = DoubleNear(1, 1e-4);
  EXPECT_THAT(WeightSums(Rows("groups.csv")),
              ElementsAre(Pair(Path("store/ladder/1 site-4"), is_one),
                          Pair(Path("store/ladder/1 site-5"), is_one),
                          Pair(Path("store/ladder/2 site-4"), is_one),
                          Pair(Path("store/ladder/2 site-5"), is_one)));
  EXPECT_THAT(FigureTexts("figures/weights.svg"),
              IsSupersetOf({"site-4", "site-5"}));
  EXPECT_THAT(FigureTexts("figures/k_sweep.svg"),
              IsSupersetOf({"Accuracy", "Macro F1"}));
}

TEST_F(PipelineTest, EvaluatesAWholeSplitAsOneGroup) {
  ASSERT_NO_FATAL_FAILURE(Fit("ladder", 0));

  const CommandResult result =
      Run("evaluate", "store/ladder/1",
          {"--group-by", "split", "--source-split", "none"});

  ASSERT_EQ(result.exit_code, base::kExitOk) << result.err;
  EXPECT_THAT(result.out,
              AllOf(HasSubstr("LADDER-split"), Not(HasSubstr("LADDER-group")),
                    Not(HasSubstr("drop"))));
}

TEST_F(PipelineTest, EvaluatesABaselineAlone) {
  ASSERT_NO_FATAL_FAILURE(Fit("erm", 0));

  const CommandResult result =
      Run("evaluate", "store", {"--figures", Path("figures")});

  ASSERT_EQ(result.exit_code, base::kExitOk) << result.err;
  EXPECT_THAT(result.out, AllOf(HasSubstr("ERM"), Not(HasSubstr("LADDER"))));
  EXPECT_FALSE(base::ParseSvg(TextOf(folder_ / "figures/weights.svg")).empty());
}

TEST_F(PipelineTest, SaysWhyABundleCannotBeEvaluated) {
  ASSERT_NO_FATAL_FAILURE(Fit("erm", 0));

  const CommandResult empty = Run("evaluate", "store", {"--split", "val"});
  const CommandResult no_folder =
      Run("evaluate", "store", {"--figures", Path("data.csv")});

  EXPECT_EQ(empty.exit_code, base::kExitFailed);
  EXPECT_THAT(empty.err, HasSubstr("split val: expected samples, found none"));
  EXPECT_EQ(no_folder.exit_code, base::kExitFailed);
  EXPECT_THAT(no_folder.err, HasSubstr("cannot create " + Path("data.csv")));
}

TEST_F(PipelineTest, DiagnosesABundle) {
  ASSERT_NO_FATAL_FAILURE(Fit("ladder", 0));

  const CommandResult result =
      Run("diagnose", "store/ladder", {"--out", Path("diagnosis")});

  ASSERT_EQ(result.exit_code, base::kExitOk) << result.err;
  EXPECT_THAT(result.out, HasSubstr("transfer loss"));
  // Four sources make six pairs.
  EXPECT_EQ(Rows("diagnosis/pairs.csv").size(), 6u);
  EXPECT_TRUE(Json("diagnosis/diagnosis.json").is_object());
  for (const char* figure :
       {"geometry_transfer_loss", "geometry_prototype_distance",
        "geometry_mean_distance", "geometry_deviation_distance",
        "geometry_label_distance", "embedding_style", "embedding_content"}) {
    EXPECT_THAT(FigureTexts(absl::StrCat("diagnosis/", figure, ".svg")),
                Not(IsEmpty()))
        << figure;
  }
}

}  // namespace
}  // namespace ladder::experiments
