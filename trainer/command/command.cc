#include "trainer/command/command.h"

#include "CLI/CLI.hpp"
#include "absl/strings/str_cat.h"

namespace ladder::trainer {
namespace {

struct Command {
  const char* name;
  const char* meaning;
  int (*run)(const std::vector<std::string>&, const CommandOutput&);
};

constexpr Command kCommands[] = {
    {"fit", "train on a data set and write a bundle", RunFit},
    {"evaluate", "measure bundles on a labelled split", RunEvaluate},
    {"diagnose", "look at the geometry of a bundle's sources", RunDiagnose},
    {"simulate", "run the paper's controlled simulation", RunSimulate},
    {"make-example", "make the worked example's data set", RunMakeExample},
};

void PrintUsage(std::ostream& out) {
  out << "Usage: ladder-train COMMAND [OPTION...]\n\nCommands:\n";
  for (const Command& command : kCommands) {
    std::string name = command.name;
    name.resize(14, ' ');
    out << "  " << name << command.meaning << '\n';
  }
  out << "\nladder-train COMMAND --help says more.\n";
}

}  // namespace

int RunLadderTrain(const std::vector<std::string>& arguments,
                   const CommandOutput& output) {
  if (arguments.empty()) {
    PrintUsage(output.err);
    return base::kExitUsage;
  }
  const std::string& name = arguments.front();
  if (name == "--help" || name == "-h" || name == "help") {
    PrintUsage(output.out);
    return base::kExitOk;
  }
  for (const Command& command : kCommands) {
    if (name == command.name) {
      return command.run({arguments.begin() + 1, arguments.end()}, output);
    }
  }
  output.err << "ladder-train: expected a command, got \"" << name << "\"\n\n";
  PrintUsage(output.err);
  return base::kExitUsage;
}

std::optional<int> ParseArguments(CLI::App& app,
                                  const std::vector<std::string>& arguments,
                                  const CommandOutput& output) {
  try {
    // It pops them from the end.
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
    return {};
  } catch (const CLI::CallForHelp&) {
    output.out << app.help();
    return base::kExitOk;
  } catch (const CLI::ParseError& error) {
    output.err << app.get_name() << ": " << error.what() << " ("
               << app.get_name() << " --help lists the options)\n";
    return base::kExitUsage;
  }
}

absl::StatusOr<Split> ParseSplitOption(const std::string& option,
                                       const std::string& name) {
  if (const auto split = FindSplit(name)) return *split;
  return absl::InvalidArgumentError(
      absl::StrCat(option, ": expected train, id_val, id_test, val or test, ",
                   "got \"", name, "\""));
}

int Fail(const CLI::App& app, const absl::Status& status,
         const CommandOutput& output) {
  output.err << app.get_name() << ": " << std::string(status.message()) << '\n';
  if (absl::IsCancelled(status)) return base::kExitInterrupted;
  return absl::IsInvalidArgument(status) ? base::kExitUsage : base::kExitFailed;
}

}  // namespace ladder::trainer
