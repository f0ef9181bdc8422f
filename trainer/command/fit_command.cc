#include <string>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/time/clock.h"
#include "base/files/fault.h"
#include "base/terminal/interrupt.h"
#include "trainer/command/command.h"
#include "trainer/command/config_file.h"
#include "trainer/command/progress_printer.h"
#include "trainer/fit/fit.h"
#include "trainer/fit/fit_options.h"

namespace ladder::trainer {
namespace {

constexpr char kFitFooter[] = R"(
A first run, on the worked example (docs/example.md):
  ladder-train make-example --out example
  ladder-train fit --config trainer/configs/example.toml --data example --out store/garments

Options come from the configuration file (TOML or JSON, the names below without
dashes in front), then from flags, which win. Ctrl-C stops after the step at
hand; the same command with --resume goes on, with the same result.
Exit codes: 0 done, 1 failed, 2 wrong options or data, 130 interrupted.
)";

// Makes each option a flag.
class FlagBinder {
 public:
  explicit FlagBinder(CLI::App& app) : app_(app) {}

  void Section(const std::string& title) { section_ = title; }
  template <typename T>
  void operator()(const std::string& name, T& value,
                  const std::string& meaning) {
    app_.add_option("--" + name, value, meaning)
        ->capture_default_str()
        ->group(section_);
  }
  template <typename Enum>
  void operator()(const std::string& name, Choice<Enum>& value,
                  const std::string& meaning) {
    const auto set = [&value](const std::string& text) { value = text; };
    app_.add_option_function<std::string>("--" + name, set, meaning)
        ->default_str(value.text())
        ->group(section_);
  }

 private:
  CLI::App& app_;
  std::string section_;
};

struct FitArguments {
  std::string config;
  bool resume = false;
  FitOptions options;
};

}  // namespace

int RunFit(const std::vector<std::string>& arguments,
           const CommandOutput& output) {
  FitArguments parsed;
  const auto make_app = [&] {
    auto app = std::make_unique<CLI::App>(
        "Learns encoders, source heads and fingerprints, and writes a bundle.",
        "ladder-train fit");
    app->add_option("--config", parsed.config,
                    "TOML or JSON file with options");
    app->add_flag("--resume", parsed.resume,
                  "go on with the run in the run folder");
    VisitFitOptions(parsed.options, FlagBinder(*app));
    app->footer(kFitFooter);
    return app;
  };
  const auto first = make_app();
  if (auto code = ParseArguments(*first, arguments, output)) return *code;
  if (!parsed.config.empty()) {
    const auto config = ReadConfigFile(parsed.config);
    if (!config.ok()) return Fail(*first, config.status(), output);
    parsed.options = FitOptions{};
    absl::Status status = FromJson(*config, parsed.options);
    if (!status.ok()) {
      return Fail(*first, base::AtPlace(parsed.config, status), output);
    }
    // The flags are read once more, on top of what the file says.
    if (auto code = ParseArguments(*make_app(), arguments, output)) {
      return *code;
    }
  }
  SetDefaultRun(parsed.options);

  const base::Interrupt interrupt;
  absl::StatusOr<std::filesystem::path> bundle;
  {
    ProgressPrinter printer(output.err, output.err_columns, absl::Now);
    bundle = Fit(parsed.options, parsed.resume, printer, interrupt.token());
  }
  if (absl::IsCancelled(bundle.status())) {
    output.err << "interrupted; the same command with --resume goes on from "
               << parsed.options.run << '\n';
    return base::kExitInterrupted;
  }
  if (!bundle.ok()) return Fail(*first, bundle.status(), output);
  output.out << bundle->string() << '\n';
  return base::kExitOk;
}

}  // namespace ladder::trainer
