#ifndef LADDER_CLIENT_COMMAND_ROUTE_QUESTIONS_H_
#define LADDER_CLIENT_COMMAND_ROUTE_QUESTIONS_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/terminal/terminal.h"
#include "ladder/client/client.h"
#include "ladder/v1/domain_routing.pb.h"

namespace ladder::client {

// What "ladder route" asks: every method with every K and every tau. An empty
// list, as an empty text, leaves it to the bundle.
struct RouteGrid {
  std::string model = {};
  std::vector<std::string> methods = {};
  std::vector<std::string> ks = {};
  std::vector<std::string> taus = {};
};

// All methods but "fixed", which needs weights that there is no option for.
std::vector<std::string> AskableMethods();

// One question for each combination, but only one for methods that use neither
// K nor tau. InvalidArgument, naming the option, for what cannot be parsed.
absl::StatusOr<std::vector<v1::RouteQuestion>> Questions(const RouteGrid& grid);

// Asks the questions about no samples at all, so that what is wrong with them
// is told once, before the first upload. An error as the server tells it.
absl::Status TryQuestions(const Client& client,
                          const std::vector<v1::RouteQuestion>& questions,
                          const CallOptions& call);

// The answers of one group for people: a heading and a table.
std::string RenderRoutes(absl::string_view group,
                         const v1::RouteDomainResponse& response,
                         const base::Terminal& terminal);

// The same for machines: one line, which ends in '\n'.
std::string RoutesJson(absl::string_view group,
                       const v1::RouteDomainResponse& response);

}  // namespace ladder::client

#endif  // LADDER_CLIENT_COMMAND_ROUTE_QUESTIONS_H_
