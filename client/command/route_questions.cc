#include "client/command/route_questions.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "base/terminal/bars.h"
#include "base/terminal/table.h"
#include "base/text/quantities.h"
#include "base/text/text.h"
#include "client/command/arguments.h"
#include "client/command/output/message_text.h"
#include "client/command/output/row_text.h"
#include "ladder/client/samples.h"

namespace ladder::client {
namespace {

constexpr size_t kMaxShownWeights = 3;

std::vector<std::string> OrDefault(const std::vector<std::string>& given) {
  return given.empty() ? std::vector<std::string>{""} : given;
}

class NoSamples final : public SampleReader {
 public:
  absl::StatusOr<std::optional<v1::Samples>> Next() override {
    return std::nullopt;
  }
  absl::Status Rewind() override { return absl::OkStatus(); }
};

// The bundle's own method may use them, too.
bool UsesNeighbours(v1::Method method) {
  return method == v1::METHOD_LADDER || method == v1::METHOD_UNSPECIFIED;
}

std::vector<base::Cell> Row(const v1::Routing& routing,
                            const base::Terminal& terminal) {
  const bool has_neighbours = routing.method() == v1::METHOD_LADDER;
  const std::string verdict = VerdictName(routing);
  return {MethodName(routing.method()),
          has_neighbours ? absl::StrCat(routing.k()) : "-",
          has_neighbours ? base::NumberText(routing.tau()) : "-",
          base::ShareBars(TopWeights(routing, kMaxShownWeights),
                          kMaxShownWeights, kWeightBarWidth, terminal.utf8),
          base::NumberText(routing.effective_experts()),
          base::Cell(verdict, VerdictStyle(verdict)),
          routing.has_distances()
              ? base::NumberText(routing.coverage().nearest_distance())
              : "-"};
}

}  // namespace

std::vector<std::string> AskableMethods() {
  std::vector<std::string> names = MethodNames();
  std::erase(names, MethodName(v1::METHOD_FIXED));
  return names;
}

absl::StatusOr<std::vector<v1::RouteQuestion>> Questions(
    const RouteGrid& grid) {
  v1::RouteQuestion base;
  if (!grid.model.empty()) {
    LADDER_ASSIGN_OR_RETURN(*base.mutable_model(), ParseModel(grid.model));
  }
  std::vector<v1::RouteQuestion> questions;
  for (const std::string& name : OrDefault(grid.methods)) {
    const v1::Method method = ParseMethod(name);
    base.mutable_routing()->set_method(method);
    if (!UsesNeighbours(method)) {
      questions.push_back(base);
      continue;
    }
    for (const std::string& k : OrDefault(grid.ks)) {
      for (const std::string& tau : OrDefault(grid.taus)) {
        v1::RouteQuestion question = base;
        LADDER_RETURN_IF_ERROR(ParseK(k, *question.mutable_routing()));
        LADDER_RETURN_IF_ERROR(ParseTau(tau, *question.mutable_routing()));
        questions.push_back(std::move(question));
      }
    }
  }
  return questions;
}

absl::Status TryQuestions(const Client& client,
                          const std::vector<v1::RouteQuestion>& questions,
                          const CallOptions& call) {
  v1::RouteDomainRequest request;
  for (const v1::RouteQuestion& question : questions) {
    v1::RouteQuestion& tried = *request.add_questions();
    tried = question;
    // Without samples there is no other answer.
    tried.clear_min_samples();
    tried.set_fallback(v1::FALLBACK_UNIFORM);
  }
  NoSamples samples;
  return client.Route(request, samples, call).status();
}

std::string RenderRoutes(absl::string_view group,
                         const v1::RouteDomainResponse& response,
                         const base::Terminal& terminal) {
  std::string heading = base::PrintableText(group, terminal.utf8);
  if (response.routings_size() > 0) {
    const v1::Routing& first = response.routings(0);
    absl::StrAppend(&heading, ": ", base::CountText(first.num_samples()),
                    first.num_samples() == 1 ? " sample" : " samples",
                    ", model ",
                    base::PrintableText(first.model(), terminal.utf8), " ",
                    first.version());
  }
  base::Table table({{"method", base::ColumnKind::kFixed},
                     {"k", base::ColumnKind::kNumber},
                     {"tau", base::ColumnKind::kNumber},
                     {"weights"},
                     {"experts", base::ColumnKind::kNumber},
                     {"coverage", base::ColumnKind::kFixed},
                     {"nearest", base::ColumnKind::kNumber}});
  for (const v1::Routing& routing : response.routings()) {
    table.AddRow(Row(routing, terminal));
  }
  return absl::StrCat(base::Styled(heading, base::Style::kBold, terminal), "\n",
                      table.Render(terminal));
}

std::string RoutesJson(absl::string_view group,
                       const v1::RouteDomainResponse& response) {
  std::string line = "{\"group\":";
  AppendJsonString(group, line);
  // The message's own fields follow; there are always some.
  absl::StrAppend(&line, ",", JsonText(response).substr(1), "\n");
  return line;
}

}  // namespace ladder::client
