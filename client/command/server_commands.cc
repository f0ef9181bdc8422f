#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "base/terminal/exit_code.h"
#include "base/terminal/table.h"
#include "base/text/text.h"
#include "client/command/arguments.h"
#include "client/command/commands.h"
#include "client/command/model_text.h"
#include "client/command/output/message_text.h"

namespace ladder::client {
namespace {

constexpr char kModelsFooter[] =
    "Examples:\n"
    "  ladder models\n"
    "  ladder models --server dns:///ladder.example.org:8001 --tls\n"
    "  ladder models --json | jq '.models[].name'";

struct ModelsArguments {
  ConnectionArguments connection;
  bool json = false;
};

std::string LabelsText(const v1::ModelStatus& model, uint64_t version) {
  std::vector<std::string> labels;
  for (const auto& [label, labelled] : model.labels()) {
    if (labelled == version) labels.push_back(label);
  }
  std::sort(labels.begin(), labels.end());
  return absl::StrJoin(labels, ", ");
}

base::Cell StateCell(const v1::ModelStatus& model,
                     const v1::VersionStatus& version) {
  // Servers that do not say which it is have the highest.
  const uint64_t highest =
      model.served().empty() ? 0 : *model.served().rbegin();
  const bool is_default =
      version.version() ==
      (model.default_version() > 0 ? model.default_version() : highest);
  const base::Style style = version.state() == "SERVING"  ? base::Style::kGood
                            : version.state() == "FAILED" ? base::Style::kBad
                                                          : base::Style::kPlain;
  return {absl::StrCat(version.state(), is_default ? " (default)" : ""), style};
}

std::string RenderModels(const v1::ListModelsResponse& response,
                         const base::Terminal& terminal) {
  base::Table table({{"model", base::ColumnKind::kFixed},
                     {"version", base::ColumnKind::kNumber},
                     {"state", base::ColumnKind::kFixed},
                     {"labels", base::ColumnKind::kFixed},
                     {"since", base::ColumnKind::kFixed},
                     {"message"}});
  for (const v1::ModelStatus& model : response.models()) {
    std::string name = model.name();  // It stands in the first row only.
    for (const v1::VersionStatus& version : model.versions()) {
      table.AddRow({std::exchange(name, ""), absl::StrCat(version.version()),
                    StateCell(model, version),
                    LabelsText(model, version.version()),
                    TimeText(version.since()), version.message()});
    }
    if (model.versions().empty()) table.AddRow({name, "-", "no version"});
  }
  return table.Render(terminal);
}

absl::StatusOr<int> ShowModels(const ModelsArguments& arguments,
                               const Context& context) {
  LADDER_ASSIGN_OR_RETURN(const Client client, arguments.connection.Connect());
  LADDER_ASSIGN_OR_RETURN(
      const v1::ListModelsResponse response,
      client.ListModels(arguments.connection.Call(context.stop)));
  if (arguments.json) {
    context.out << JsonText(response) << '\n';
  } else if (response.models().empty()) {
    context.err << "The server has no models yet.\n";
  } else {
    context.out << RenderModels(response, context.out_terminal);
  }
  return base::kExitOk;
}

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

absl::StatusOr<int> ShowModel(const ModelArguments& arguments,
                              const Context& context) {
  LADDER_ASSIGN_OR_RETURN(const v1::ModelRef reference,
                          ParseModel(arguments.name));
  LADDER_ASSIGN_OR_RETURN(const Client client, arguments.connection.Connect());
  LADDER_ASSIGN_OR_RETURN(
      const v1::GetModelResponse model,
      client.GetModel(reference, arguments.connection.Call(context.stop)));
  if (arguments.json) {
    context.out << JsonText(model) << '\n';
  } else {
    context.out << RenderModel(model, arguments.all, context.out_terminal);
  }
  return base::kExitOk;
}

constexpr char kHealthFooter[] =
    "Exit code 0: it serves; 1: it answers, and does not; 3: nobody answers.\n"
    "\n"
    "Examples:\n"
    "  ladder health\n"
    "  ladder health --server 10.0.0.7:8001 --service "
    "ladder.v1.DomainRouting\n"
    "  until ladder health --timeout 2; do sleep 1; done";

struct HealthArguments {
  ConnectionArguments connection;
  std::string service;
};

// "birds 3, fish 1 and 2"; empty if they cannot be had, as from other servers.
std::string ServedModels(const Client& client, const CallOptions& call) {
  const auto response = client.ListModels(call);
  if (!response.ok()) return "";
  std::vector<std::string> models;
  for (const v1::ModelStatus& model : response->models()) {
    if (model.served().empty()) continue;
    models.push_back(absl::StrCat(model.name(), " ",
                                  absl::StrJoin(model.served(), " and ")));
  }
  return models.empty() ? "no models" : absl::StrJoin(models, ", ");
}

absl::StatusOr<int> ShowHealth(const HealthArguments& arguments,
                               const Context& context) {
  LADDER_ASSIGN_OR_RETURN(const Client client, arguments.connection.Connect());
  const CallOptions call = arguments.connection.Call(context.stop);
  const absl::Status health = client.CheckHealth(arguments.service, call);
  const std::string server =
      absl::StrCat(client.options().address,
                   arguments.service.empty() ? "" : " ", arguments.service);
  if (health.ok()) {
    const std::string models = ServedModels(client, call);
    context.out << base::PrintableText(
                       absl::StrCat(server, ": serving",
                                    models.empty() ? "" : " ", models),
                       context.out_terminal.utf8)
                << '\n';
    return base::kExitOk;
  }
  // A server that does not serve and one that cannot be reached have the same
  // code, but only the former has a connection.
  if (absl::IsUnavailable(health) &&
      client.channel()->GetState(/*try_to_connect=*/false) ==
          GRPC_CHANNEL_READY) {
    context.out << base::PrintableText(absl::StrCat(server, ": not serving: ",
                                                    health.message()),
                                       context.out_terminal.utf8)
                << '\n';
    return base::kExitFailed;
  }
  // Who takes the call and never answers it is as good as nobody.
  const absl::StatusCode code = absl::IsDeadlineExceeded(health)
                                    ? absl::StatusCode::kUnavailable
                                    : health.code();
  return absl::Status(code, absl::StrCat(server, ": ", health.message()));
}

}  // namespace

void AddModels(CLI::App& app, Run& run) {
  auto arguments = std::make_shared<ModelsArguments>();
  CLI::App& models = AddCommand(
      app, run, "models", "list the server's models, their versions and states",
      kModelsFooter, arguments, ShowModels);
  models.add_flag("--json", arguments->json, "one JSON object");
  arguments->connection.AddTo(models);
}

void AddModel(CLI::App& app, Run& run) {
  auto arguments = std::make_shared<ModelArguments>();
  CLI::App& model = AddCommand(
      app, run, "model", "describe a model: sources, classes, how it routes",
      kModelFooter, arguments, ShowModel);
  model
      .add_option("NAME", arguments->name,
                  "the model; NAME:VERSION or NAME@LABEL for one version")
      ->check(CheckedBy(ParseModel))
      ->required();
  model.add_flag("--all", arguments->all, "all classes, not just the first");
  model.add_flag("--json", arguments->json, "one JSON object");
  arguments->connection.AddTo(model);
}

void AddHealth(CLI::App& app, Run& run) {
  auto arguments = std::make_shared<HealthArguments>();
  CLI::App& health =
      AddCommand(app, run, "health", "say whether the server is serving",
                 kHealthFooter, arguments, ShowHealth);
  health.add_option("--service", arguments->service,
                    "gRPC service to ask about, such as "
                    "ladder.v1.DomainRouting; else the server");
  arguments->connection.AddTo(health);
}

}  // namespace ladder::client
