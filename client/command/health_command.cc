#include <memory>
#include <string>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "base/terminal/exit_code.h"
#include "base/text/text.h"
#include "client/command/arguments.h"
#include "client/command/commands.h"

namespace ladder::client {
namespace {

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
  return absl::Status(health.code(),
                      absl::StrCat(server, ": ", health.message()));
}

}  // namespace

void AddHealth(CLI::App& app, Run& run) {
  auto arguments = std::make_shared<HealthArguments>();
  CLI::App& health =
      AddCommand(app, run, "health", "say whether the server is serving",
                 kHealthFooter, [arguments](const Context& context) {
                   return ShowHealth(*arguments, context);
                 });
  health.add_option("--service", arguments->service,
                    "gRPC service to ask about, such as "
                    "ladder.v1.DomainRouting; else the server");
  arguments->connection.AddTo(health);
}

}  // namespace ladder::client
