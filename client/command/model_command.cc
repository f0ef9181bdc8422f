#include <memory>
#include <string>

#include "CLI/CLI.hpp"
#include "base/terminal/exit_code.h"
#include "client/command/commands.h"
#include "client/command/connection_arguments.h"
#include "client/command/json_text.h"
#include "client/command/model_text.h"
#include "client/command/routing_arguments.h"
#include "client/command/usage_error.h"

namespace ladder::command {
namespace {

constexpr char kModelFooter[] =
    "Examples:\n"
    "  ladder model birds\n"
    "  ladder model birds:3 --all\n"
    "  ladder model birds@canary --json | jq -r '.sources[].name'";

struct ModelArguments {
  ConnectionArguments connection;
  std::string name;
  bool all = false;
  bool json = false;
};

int ShowModel(const ModelArguments& arguments, const Context& context) {
  const auto reference = ParseModel(arguments.name);
  if (!reference.ok()) return Fail(reference.status(), context);
  const auto client = arguments.connection.Connect();
  if (!client.ok()) return Fail(client.status(), context);
  const auto model =
      client->GetModel(*reference, arguments.connection.Call(context.stop));
  if (!model.ok()) return Fail(model.status(), context);
  if (arguments.json) {
    context.out << JsonText(*model) << '\n';
  } else {
    context.out << RenderModel(*model, arguments.all, context.out_terminal);
  }
  return base::kExitOk;
}

}  // namespace

void AddModel(CLI::App& app, Run& run) {
  auto arguments = std::make_shared<ModelArguments>();
  CLI::App& model = *app.add_subcommand(
      "model", "describe a model: sources, classes, how it routes");
  model.footer(kModelFooter);
  model
      .add_option("NAME", arguments->name,
                  "the model; NAME:VERSION or NAME@LABEL for one version")
      ->check([](const std::string& text) {
        return UsageError(ParseModel(text).status());
      })
      ->required();
  model.add_flag("--all", arguments->all, "all classes, not just the first");
  model.add_flag("--json", arguments->json, "one JSON object");
  arguments->connection.AddTo(model);
  model.callback([arguments, &run] {
    run = [arguments](const Context& context) {
      return ShowModel(*arguments, context);
    };
  });
}

}  // namespace ladder::command
