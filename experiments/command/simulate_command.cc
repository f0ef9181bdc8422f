#include <cstddef>
#include <filesystem>
#include <iterator>
#include <string>
#include <system_error>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "base/files/whole_file.h"
#include "base/system/control_group.h"
#include "base/terminal/interrupt.h"
#include "experiments/command/ladder_train.h"
#include "experiments/simulate/simulation.h"
#include "experiments/simulate/simulation_report.h"
#include "nlohmann/json.hpp"
#include "routing/thread_pool.h"
#include "trainer/command/progress_printer.h"

namespace ladder::experiments {
namespace {

// The samples of one replication in all its domains.
constexpr size_t kSimSamples =
    (kSimSources + std::size(kSimTargets)) * kSimRows;

struct SimulateArguments {
  SimulationOptions simulation;
  size_t threads = 0;
  std::string out = "simulation";
};

void AddSimulateOptions(CLI::App& app, SimulateArguments& arguments) {
  const auto add = [&](const char* name, auto& value, const char* meaning) {
    app.add_option(name, value, meaning)->capture_default_str();
  };
  add("--reps", arguments.simulation.num_replications,
      "independent replications");
  add("--seed", arguments.simulation.seed, "everything random follows from it");
  add("--out", arguments.out,
      "folder for simulation.csv, simulation.json (every replication) and the "
      "ablations as SVG; \"\" for none");
  add("--threads", arguments.threads, "0 for one per processor");
}

absl::Status WriteSimulation(const std::filesystem::path& folder,
                             const SimulationReport& report) {
  std::error_code ignored;  // Writing into it will say what is wrong.
  std::filesystem::create_directories(folder, ignored);
  absl::Status status =
      base::ReplaceFile(folder / "simulation.csv", SimulationCsv(report));
  status.Update(
      base::ReplaceFile(folder / "simulation.json",
                        absl::StrCat(SimulationJson(report).dump(2), "\n")));
  for (const NamedFigure& figure : SimulationFigures(report)) {
    status.Update(base::ReplaceFile(folder / figure.file_name, figure.svg));
  }
  return status;
}

}  // namespace

int RunSimulate(const std::vector<std::string>& arguments,
                const trainer::CommandOutput& output) {
  SimulateArguments parsed;
  CLI::App app(
      "Runs the paper's controlled simulation: every method of its tables and "
      "LADDER's ablations, beside the paper's figures.",
      "ladder-train simulate");
  AddSimulateOptions(app, parsed);
  if (auto code = trainer::ParseArguments(app, arguments, output)) return *code;

  const base::Interrupt interrupt;
  routing::ThreadPool pool(static_cast<int>(
      parsed.threads > 0 ? parsed.threads : base::GrantedCpus()));
  absl::StatusOr<std::vector<Replication>> replications;
  {
    trainer::ProgressPrinter printer(output.err, output.err_columns, absl::Now);
    replications =
        Simulate(parsed.simulation, {.pool = &pool, .stop = interrupt.token()},
                 [&](size_t done, size_t total) {
                   printer.Progress({.stage = "replications",
                                     .done = done,
                                     .total = total,
                                     .samples = done * kSimSamples});
                 });
  }
  if (!replications.ok()) {
    return trainer::Fail(app, replications.status(), output);
  }
  const SimulationReport report = MakeSimulationReport(*replications);
  output.out << SimulationText(report);
  if (parsed.out.empty()) return base::kExitOk;
  const absl::Status written = WriteSimulation(parsed.out, report);
  if (!written.ok()) return trainer::Fail(app, written, output);
  return base::kExitOk;
}

}  // namespace ladder::experiments
