#include "client/command/commands.h"

#include "CLI/CLI.hpp"
#include "absl/strings/str_cat.h"
#include "base/system/version.h"
#include "base/terminal/exit_code.h"

namespace ladder::command {
namespace {

constexpr char kLadderFooter[] =
    "\"ladder COMMAND --help\" says more. Exit codes: 0 done; 1 failed, or "
    "some groups did;\n2 wrong usage; 3 no server answers, try again; 130 "
    "interrupted.";

}  // namespace

int RunLadder(const std::vector<std::string>& arguments,
              const Context& context) {
  Run run;
  CLI::App app("Predictions for unlabelled target groups by a LADDER server.",
               "ladder");
  app.require_subcommand(1);
  app.set_version_flag("--version", absl::StrCat("ladder ", base::kVersion));
  app.footer(kLadderFooter);
  AddPredict(app, run);
  AddRoute(app, run);
  AddModels(app, run);
  AddModel(app, run);
  AddHealth(app, run);
  AddWatch(app, run);
  AddBench(app, run);
  AddCompletion(app, run);
  try {
    // It pops them from the end.
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  } catch (const CLI::Success& asked) {  // For help or the version.
    return app.exit(asked, context.out, context.err);
  } catch (const CLI::ParseError& error) {
    context.err << "ladder: " << error.what()
                << " (--help lists commands and options)\n";
    return base::kExitUsage;
  }
  return run(context);
}

}  // namespace ladder::command
