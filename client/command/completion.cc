#include "client/command/completion.h"

#include <memory>
#include <string>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "base/terminal/exit_code.h"
#include "client/command/commands.h"

namespace ladder::client {
namespace {

std::vector<const CLI::App*> Subcommands(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App*) { return true; });
}

// The names with their dashes; a positional argument has none.
std::vector<std::string> OptionNames(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.get_lnames()) {
    names.push_back(absl::StrCat("--", name));
  }
  for (const std::string& name : option.get_snames()) {
    names.push_back(absl::StrCat("-", name));
  }
  return names;
}

std::string AllNames(const CLI::App& app) {
  std::vector<std::string> all;
  for (const CLI::Option* option : app.get_options()) {
    for (std::string& name : OptionNames(*option))
      all.push_back(std::move(name));
  }
  return absl::StrJoin(all, " ");
}

bool TakesValue(const CLI::Option& option) {
  return option.get_items_expected_max() > 0;
}

// CLI11 shows them as "TEXT:{csv,jsonl}". Separated by spaces.
std::string Values(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  const size_t begin = type.find('{');
  const size_t end = type.find('}');
  if (begin == std::string::npos || end == std::string::npos) return "";
  return absl::StrJoin(
      absl::StrSplit(absl::string_view(type).substr(begin + 1, end - begin - 1),
                     ','),
      " ");
}

std::string ArgumentValues(const CLI::App& command) {
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_positional()) return Values(*option);
  }
  return "";
}

// Cases of "COMMAND OPTION" before the word, for options with known values.
std::string BashValueCases(const CLI::App& command) {
  std::string cases;
  for (const CLI::Option* option : command.get_options()) {
    const std::string values = Values(*option);
    if (values.empty()) continue;
    for (const std::string& name : OptionNames(*option)) {
      absl::StrAppend(&cases, "    '", command.get_name(), " ", name,
                      "') words='", values, "' ;;\n");
    }
  }
  return cases;
}

std::string FishQuoted(absl::string_view text) {
  return absl::StrCat(
      "'", absl::StrReplaceAll(text, {{"\\", "\\\\"}, {"'", "\\'"}}), "'");
}

std::string FishOption(const std::string& app, const std::string& condition,
                       const CLI::Option& option) {
  std::string line = absl::StrCat("complete -c ", app, " -n ", condition);
  for (const std::string& name : option.get_lnames()) {
    absl::StrAppend(&line, " -l ", name);
  }
  for (const std::string& name : option.get_snames()) {
    absl::StrAppend(&line, " -s ", name);
  }
  if (TakesValue(option)) {
    const std::string values = Values(option);
    absl::StrAppend(&line, values.empty()
                               ? " -r"
                               : absl::StrCat(" -x -a ", FishQuoted(values)));
  }
  return absl::StrCat(line, " -d ", FishQuoted(option.get_description()), "\n");
}

constexpr char kCompletionFooter[] =
    "Examples:\n"
    "  source <(ladder completion bash)\n"
    "  source <(ladder completion zsh)\n"
    "  ladder completion fish > ~/.config/fish/completions/ladder.fish";

}  // namespace

std::string BashCompletion(const CLI::App& app) {
  std::vector<std::string> names;
  std::string value_cases;
  std::string option_cases;
  std::string argument_cases;
  for (const CLI::App* command : Subcommands(app)) {
    const std::string& name = command->get_name();
    names.push_back(name);
    value_cases += BashValueCases(*command);
    absl::StrAppend(&option_cases, "        ", name, ") words='",
                    AllNames(*command), "' ;;\n");
    if (const std::string values = ArgumentValues(*command); !values.empty()) {
      absl::StrAppend(&argument_cases, "        ", name, ") words='", values,
                      "' ;;\n");
    }
  }
  const std::string& app_name = app.get_name();
  // Without words there are no replies, and bash completes files by default.
  return absl::StrCat(
      "_", app_name, "() {\n",
      "  local word=${COMP_WORDS[COMP_CWORD]} words=''\n"
      "  local command=${COMP_WORDS[1]} previous=${COMP_WORDS[COMP_CWORD-1]}\n"
      "  COMPREPLY=()\n"
      "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
      "    COMPREPLY=($(compgen -W '",
      absl::StrJoin(names, " "), " ", AllNames(app),
      "' -- \"$word\"))\n"
      "    return\n"
      "  fi\n"
      "  case \"$command $previous\" in\n",
      value_cases,
      "    *)\n"
      "      case \"$word\" in\n"
      "      -*) case \"$command\" in\n",
      option_cases,
      "        esac ;;\n"
      "      *) case \"$command\" in\n",
      argument_cases,
      "        esac ;;\n"
      "      esac ;;\n"
      "  esac\n"
      "  if [ -n \"$words\" ]; then\n"
      "    COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
      "  fi\n"
      "}\n"
      "complete -o default -F _",
      app_name, " ", app_name, "\n");
}

std::string ZshCompletion(const CLI::App& app) {
  return absl::StrCat(
      "autoload -U +X compinit && compinit\n"
      "autoload -U +X bashcompinit && bashcompinit\n",
      BashCompletion(app));
}

std::string FishCompletion(const CLI::App& app) {
  const std::string& name = app.get_name();
  std::string script;
  for (const CLI::Option* option : app.get_options()) {
    script += FishOption(name, "__fish_use_subcommand", *option);
  }
  for (const CLI::App* command : Subcommands(app)) {
    absl::StrAppend(&script, "complete -c ", name,
                    " -n __fish_use_subcommand -f -a ", command->get_name(),
                    " -d ", FishQuoted(command->get_description()), "\n");
    const std::string condition = FishQuoted(
        absl::StrCat("__fish_seen_subcommand_from ", command->get_name()));
    for (const CLI::Option* option : command->get_options()) {
      if (option->nonpositional()) {
        script += FishOption(name, condition, *option);
      }
    }
    if (const std::string values = ArgumentValues(*command); !values.empty()) {
      absl::StrAppend(&script, "complete -c ", name, " -n ", condition,
                      " -f -a ", FishQuoted(values), "\n");
    }
  }
  return script;
}

void AddCompletion(CLI::App& app, Run& run) {
  auto shell = std::make_shared<std::string>();
  AddCommand(app, run, "completion",
             "print a script that lets a shell complete this command",
             kCompletionFooter,
             [shell, &app](const Context& context) {
               context.out << (*shell == "bash"  ? BashCompletion(app)
                               : *shell == "zsh" ? ZshCompletion(app)
                                                 : FishCompletion(app));
               return base::kExitOk;
             })
      .add_option("SHELL", *shell, "whose script")
      ->check(CLI::IsMember({"bash", "zsh", "fish"}))
      ->required();
}

}  // namespace ladder::client
