#include <memory>
#include <string>

#include "CLI/CLI.hpp"
#include "base/terminal/exit_code.h"
#include "client/command/commands.h"
#include "client/command/completion_script.h"

namespace ladder::command {
namespace {

constexpr char kCompletionFooter[] =
    "Examples:\n"
    "  source <(ladder completion bash)\n"
    "  source <(ladder completion zsh)\n"
    "  ladder completion fish > ~/.config/fish/completions/ladder.fish";

}  // namespace

void AddCompletion(CLI::App& app, Run& run) {
  auto shell = std::make_shared<std::string>();
  CLI::App& completion = *app.add_subcommand(
      "completion", "print a script that lets a shell complete this command");
  completion.footer(kCompletionFooter);
  completion.add_option("SHELL", *shell, "whose script")
      ->check(CLI::IsMember({"bash", "zsh", "fish"}))
      ->required();
  completion.callback([shell, &app, &run] {
    run = [shell, &app](const Context& context) {
      context.out << (*shell == "bash"  ? BashCompletion(app)
                      : *shell == "zsh" ? ZshCompletion(app)
                                        : FishCompletion(app));
      return base::kExitOk;
    };
  });
}

}  // namespace ladder::command
