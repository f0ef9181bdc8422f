#include "trainer/command/command.h"

#include "CLI/CLI.hpp"
#include "absl/strings/str_cat.h"

namespace ladder::trainer {

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
