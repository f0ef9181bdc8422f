#include <algorithm>
#include <filesystem>
#include <iterator>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/clock.h"
#include "base/charts/charts.h"
#include "base/files/whole_file.h"
#include "base/status_macros.h"
#include "model_store/format/find_bundles.h"
#include "nlohmann/json.hpp"
#include "trainer/command/bundle_evaluation.h"
#include "trainer/command/command.h"
#include "trainer/command/group_table.h"
#include "trainer/command/model_session.h"
#include "trainer/command/progress_printer.h"
#include "trainer/evaluate/report.h"

namespace ladder::trainer {
namespace {

constexpr char kEvaluateFooter[] = R"(
Every bundle below the folders given is evaluated: a model's versions are its
seeds. Bundles of the baselines (fit --method erm, ...) add their rows.
  ladder-train evaluate store/garments store/garments-erm --data example
)";

struct EvaluateArguments {
  std::vector<std::string> bundles;
  std::string data;
  std::string layout = "auto";
  std::string split = "test";
  std::string source_split = "id_val";
  std::string group_by = "domain";
  size_t min_group = 50;
  std::vector<std::string> ks = {"1", "2", "3", "4", "5", "6", "all"};
  std::vector<double> taus = {0.05, 0.1, 0.5, 1, 5};
  std::string csv;
  std::string json;
  std::string groups;
  std::string figures;
  ModelSessionOptions session;
};

void AddEvaluateOptions(CLI::App& app, EvaluateArguments& arguments) {
  app.add_option("bundles", arguments.bundles,
                 "folders of bundles, models or stores")
      ->required();
  app.add_option("--data", arguments.data, "labelled data set")->required();
  const auto add = [&](const char* name, auto& value, const char* meaning) {
    return app.add_option(name, value, meaning)->capture_default_str();
  };
  add("--layout", arguments.layout, "auto, iwildcam, fmow, csv or table");
  add("--split", arguments.split, "train, id_val, id_test, val or test");
  add("--source-split", arguments.source_split,
      "the sources' own split, for the drop in accuracy; none for no drop");
  add("--group-by", arguments.group_by,
      "one style summary per domain, or one for the split");
  add("--min-group", arguments.min_group,
      "smaller domains are left out of filtered metrics");
  add("--k-sweep", arguments.ks, "values of K to sweep over, or all")
      ->delimiter(',');
  add("--tau-sweep", arguments.taus, "values of tau to sweep over")
      ->delimiter(',');
  add("--csv", arguments.csv, "write all numbers to this CSV file");
  add("--json", arguments.json, "write all numbers to this JSON file");
  add("--groups", arguments.groups,
      "write each group's weights and coverage to this CSV file");
  add("--figures", arguments.figures,
      "write the weights and the K sweep as SVG into this folder");
  add("--device", arguments.session.device, "auto, cpu or cuda[:N]");
  add("--threads", arguments.session.threads, "0 for one per processor");
  app.footer(kEvaluateFooter);
}

absl::StatusOr<Grouping> ParseGrouping(absl::string_view name) {
  if (name == "domain") return Grouping::kPerDomain;
  if (name == "split") return Grouping::kWholeSplit;
  return absl::InvalidArgumentError(
      absl::StrCat("group-by: expected domain or split, got \"", name, "\""));
}

absl::StatusOr<EvaluationOptions> ToOptions(
    const EvaluateArguments& arguments) {
  EvaluationOptions options = {
      .metrics = {.min_domain_samples = arguments.min_group},
      .taus = arguments.taus};
  LADDER_ASSIGN_OR_RETURN(options.split,
                          ParseSplitOption("split", arguments.split));
  options.source_split = {};
  if (arguments.source_split != "none") {
    LADDER_ASSIGN_OR_RETURN(
        options.source_split,
        ParseSplitOption("source-split", arguments.source_split));
  }
  LADDER_ASSIGN_OR_RETURN(options.grouping, ParseGrouping(arguments.group_by));
  for (const std::string& text : arguments.ks) {
    size_t k = routing::kAllSources;
    if (text != "all" && (!absl::SimpleAtoi(text, &k) || k == 0)) {
      return absl::InvalidArgumentError(absl::StrCat(
          "k-sweep: expected positive numbers or all, got \"", text, "\""));
    }
    options.ks.push_back(k);
  }
  return options;
}

// LADDER's main row against every other that shares a seed with it.
std::vector<Comparison> CompareAll(const std::vector<MethodSummary>& methods) {
  std::vector<Comparison> comparisons;
  const MethodSummary* main = nullptr;
  for (const MethodSummary& method : methods) {
    if (method.method == kLadderSplit || method.method == kLadderGroup) {
      main = &method;
    }
  }
  if (main == nullptr) return comparisons;
  for (const MethodSummary& method : methods) {
    if (&method == main) continue;
    auto comparison = Compare(*main, method);
    if (comparison.ok()) comparisons.push_back(*std::move(comparison));
  }
  return comparisons;
}

// All bundles' results together.
struct Results {
  std::vector<SeedResult> rows;
  std::vector<SeedResult> k_sweep;
  std::vector<SeedResult> tau_sweep;
  GroupTable groups;
};

absl::StatusOr<Results> EvaluateAll(const EvaluateArguments& arguments,
                                    const EvaluationOptions& options,
                                    ModelSession& session,
                                    FitObserver& observer) {
  LADDER_ASSIGN_OR_RETURN(const auto layout, ParseLayout(arguments.layout));
  Results results;
  for (const std::string& folder : arguments.bundles) {
    LADDER_ASSIGN_OR_RETURN(const auto locations,
                            model_store::FindBundles(folder));
    for (const auto& location : locations) {
      observer.Message(location.path.string());
      LADDER_ASSIGN_OR_RETURN(
          const auto bundle,
          LoadTrainedBundle(session.engine(), location.path, session.stop()));
      LADDER_ASSIGN_OR_RETURN(auto data, OpenDatasetFor(bundle, arguments.data,
                                                        {.layout = layout}));
      LADDER_ASSIGN_OR_RETURN(auto evaluation,
                              EvaluateBundle(bundle, data.dataset, options,
                                             session.execution(), observer));
      std::ranges::move(evaluation.rows, std::back_inserter(results.rows));
      std::ranges::move(evaluation.k_sweep,
                        std::back_inserter(results.k_sweep));
      std::ranges::move(evaluation.tau_sweep,
                        std::back_inserter(results.tau_sweep));
      results.groups.Add(location.path.string(), bundle.stack, data.dataset,
                         evaluation.groups);
    }
  }
  return results;
}

absl::StatusOr<EvaluationReport> MakeReport(const Results& results) {
  EvaluationReport report;
  LADDER_ASSIGN_OR_RETURN(report.methods, Summarize(results.rows));
  LADDER_ASSIGN_OR_RETURN(report.k_sweep, Summarize(results.k_sweep));
  LADDER_ASSIGN_OR_RETURN(report.tau_sweep, Summarize(results.tau_sweep));
  report.comparisons = CompareAll(report.methods);
  return report;
}

constexpr Metric kShown[] = {Metric::kAccuracy, Metric::kMacroF1,
                             Metric::kFilteredAverage};

// Accuracy, macro F1 and the filtered average over K, in percent, as SVG.
// `k_sweep` has one summary per K.
std::string KSweepFigure(const std::vector<MethodSummary>& k_sweep) {
  base::LineChart chart = {
      .text = {.title = "LADDER over the number of sources K",
               .x_label = "K and tau",
               .y_label = "percent"}};
  for (const MethodSummary& point : k_sweep) {
    chart.slots.push_back(point.method);
  }
  for (const Metric metric : kShown) {
    if (k_sweep.empty() ||
        !std::ranges::all_of(k_sweep, [&](const auto& point) {
          return point.metrics.contains(metric);
        })) {
      continue;
    }
    base::LineSeries series = {.name = std::string(InfoOf(metric).title)};
    for (const MethodSummary& point : k_sweep) {
      const Spread& spread = point.metrics.at(metric);
      series.values.push_back(100 * spread.mean);
      series.errors.push_back(100 * spread.sd.value_or(0));
    }
    chart.series.push_back(std::move(series));
  }
  return base::DrawLineChart(chart);
}

absl::Status WriteEvaluation(const EvaluateArguments& arguments,
                             const EvaluationReport& report,
                             const GroupTable& groups) {
  absl::Status status;
  const auto write = [&](const std::string& path, const std::string& text) {
    if (!path.empty()) status.Update(base::ReplaceFile(path, text));
  };
  write(arguments.csv, ReportCsv(report));
  write(arguments.json, absl::StrCat(ReportJson(report).dump(2), "\n"));
  write(arguments.groups, groups.Csv());
  if (arguments.figures.empty()) return status;
  const std::filesystem::path folder = arguments.figures;
  std::error_code ignored;  // Writing into it will say what is wrong.
  std::filesystem::create_directories(folder, ignored);
  write((folder / "k_sweep.svg").string(), KSweepFigure(report.k_sweep));
  write((folder / "weights.svg").string(), groups.Figure());
  return status;
}

}  // namespace

int RunEvaluate(const std::vector<std::string>& arguments,
                const CommandOutput& output) {
  EvaluateArguments parsed;
  CLI::App app("Measures bundles, as they are served, on a labelled split.",
               "ladder-train evaluate");
  AddEvaluateOptions(app, parsed);
  if (auto code = ParseArguments(app, arguments, output)) return *code;
  const auto options = ToOptions(parsed);
  if (!options.ok()) return Fail(app, options.status(), output);
  auto session = ModelSession::Create(parsed.session);
  if (!session.ok()) return Fail(app, session.status(), output);
  absl::StatusOr<Results> results;
  {
    ProgressPrinter printer(output.err, output.err_columns, absl::Now);
    results = EvaluateAll(parsed, *options, **session, printer);
  }
  if (!results.ok()) return Fail(app, results.status(), output);
  const auto report = MakeReport(*results);
  if (!report.ok()) return Fail(app, report.status(), output);
  output.out << ReportText(*report);
  const absl::Status written =
      WriteEvaluation(parsed, *report, results->groups);
  if (!written.ok()) return Fail(app, written, output);
  return base::kExitOk;
}

}  // namespace ladder::trainer
