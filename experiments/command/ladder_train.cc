#include "experiments/command/ladder_train.h"

namespace ladder::experiments {
namespace {

struct Command {
  const char* name;
  const char* meaning;
  int (*run)(const std::vector<std::string>&, const trainer::CommandOutput&);
};

constexpr Command kCommands[] = {
    {"fit", "train on a data set and write a bundle", trainer::RunFit},
    {"evaluate", "measure bundles on a labelled split", trainer::RunEvaluate},
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
                   const trainer::CommandOutput& output) {
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

}  // namespace ladder::experiments
