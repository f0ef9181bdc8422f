#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "base/terminal/exit_code.h"
#include "client/command/arguments.h"
#include "client/command/commands.h"
#include "client/command/route_questions.h"

namespace ladder::client {
namespace {

constexpr char kRouteFooter[] =
    "Examples:\n"
    "  ladder route cameras/ --model birds --method ladder,nearest,uniform\n"
    "  ladder route cameras/ --model birds --group loc_12 --k 1,3,all "
    "--tau 0.25,0.5\n"
    "  ladder route photos.csv --group-by location --model birds@canary --json";

struct RouteArguments {
  ConnectionArguments connection;
  InputArguments input;
  RouteGrid grid;
  std::vector<std::string> groups;
  bool json = false;
};

// The places of the groups that are asked for; all if none are named.
absl::StatusOr<std::vector<size_t>> WantedGroups(
    const Input& input, const std::vector<std::string>& names) {
  std::vector<size_t> wanted;
  for (size_t group = 0; group < input.num_groups(); ++group) {
    if (names.empty() ||
        std::count(names.begin(), names.end(), input.group_name(group)) > 0) {
      wanted.push_back(group);
    }
  }
  for (const std::string& name : names) {
    if (std::none_of(wanted.begin(), wanted.end(), [&](size_t group) {
          return input.group_name(group) == name;
        })) {
      return absl::InvalidArgumentError(absl::StrCat(
          "--group: expected one of the input's ", input.num_groups(),
          " groups, such as ", input.group_name(0), "; got ", name));
    }
  }
  return wanted;
}

// One upload answers all questions.
absl::StatusOr<v1::RouteDomainResponse> RouteGroup(
    const Client& client, const Input& input, size_t group,
    const std::vector<v1::RouteQuestion>& questions, const CallOptions& call) {
  v1::RouteDomainRequest request;
  request.set_group(input.group_name(group));
  request.mutable_questions()->Add(questions.begin(), questions.end());
  const auto samples = input.Open(group);
  absl::StatusOr<v1::RouteDomainResponse> response =
      client.Route(request, *samples, call);
  if (response.ok()) return response;
  const absl::Status& status = response.status();
  return absl::Status(
      status.code(),
      absl::StrCat("group ", input.group_name(group), ": ", status.message()));
}

void TellRejected(const std::string& group,
                  const v1::RouteDomainResponse& response,
                  const Context& context) {
  if (response.rejected().empty()) return;
  const v1::RejectedSample& first = response.rejected(0);
  Tell({absl::StrCat("group ", group, ": ", response.rejected_size(),
                     " left out that the server cannot read; ", first.id(),
                     ": ", first.message())},
       context);
}

absl::StatusOr<int> RouteGroups(const RouteArguments& arguments,
                                const Context& context) {
  LADDER_ASSIGN_OR_RETURN(const auto questions, Questions(arguments.grid));
  LADDER_ASSIGN_OR_RETURN(const Input input, arguments.input.Open());
  LADDER_ASSIGN_OR_RETURN(const auto groups,
                          WantedGroups(input, arguments.groups));
  LADDER_ASSIGN_OR_RETURN(const Client client, arguments.connection.Connect());
  const CallOptions call = arguments.connection.Call(context.stop);
  LADDER_RETURN_IF_ERROR(TryQuestions(client, questions, call));

  Tell(input.remarks(), context);
  int exit_code = base::kExitOk;
  bool is_first = true;
  for (const size_t group : groups) {
    const std::string& name = input.group_name(group);
    const auto response = RouteGroup(client, input, group, questions, call);
    if (!response.ok()) {
      const int failure = Fail(response.status(), context);
      // Other groups would fail alike.
      if (failure != base::kExitFailed) return failure;
      exit_code = failure;
      continue;
    }
    TellRejected(name, *response, context);
    if (arguments.json) {
      context.out << RoutesJson(name, *response) << std::flush;
    } else {
      context.out << (is_first ? "" : "\n")
                  << RenderRoutes(name, *response, context.out_terminal)
                  << std::flush;
    }
    is_first = false;
  }
  Tell(input.Skipped(), context);
  return exit_code;
}

}  // namespace

void AddRoute(CLI::App& parent, Run& run) {
  auto arguments = std::make_shared<RouteArguments>();
  CLI::App& app =
      AddCommand(parent, run, "route",
                 "show the weights that groups would get, without predicting",
                 kRouteFooter, arguments, RouteGroups);
  arguments->input.AddTo(app);
  app.add_option("--model", arguments->grid.model,
                 "NAME, NAME:VERSION or NAME@LABEL; may be missing if the "
                 "server has one model")
      ->check(CheckedBy(ParseModel));
  app.add_option("--group", arguments->groups,
                 "a group to route, all without it; may be repeated")
      ->allow_extra_args(false);
  app.add_option("--method", arguments->grid.methods,
                 "methods to compare, such as ladder,nearest")
      ->check(CLI::IsMember(AskableMethods()))
      ->delimiter(',')
      ->allow_extra_args(false);
  app.add_option("--k", arguments->grid.ks,
                 "numbers of nearest sources to compare, such as 1,3,all")
      ->check(CheckedBy(ParseK))
      ->delimiter(',')
      ->allow_extra_args(false);
  app.add_option("--tau", arguments->grid.taus,
                 "temperatures to compare, such as 0.25,0.5")
      ->check(CheckedBy(ParseTau))
      ->delimiter(',')
      ->allow_extra_args(false);
  app.add_flag("--json", arguments->json, "one JSON object per group");
  arguments->connection.AddTo(app);
}

}  // namespace ladder::client
