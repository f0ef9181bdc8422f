#include "trainer/command/group_table.h"

#include "absl/strings/str_cat.h"
#include "base/files/csv.h"

namespace ladder::trainer {

const std::string GroupTable::kHeader =
    "bundle,group,samples,coverage,nearest_distance,effective_experts,source,"
    "distance,weight\n";

void GroupTable::Add(const std::string& bundle, const TrainedStack& stack,
                     const Dataset& dataset,
                     const std::vector<RoutedGroup>& groups) {
  const bool is_first = bars_.empty();
  if (is_first && !groups.empty()) {
    for (const auto& source : stack.sources) sources_.push_back(source.name);
  }
  for (const RoutedGroup& group : groups) {
    const std::string name =
        group.domain < 0 ? "all"
                         : dataset.domains[static_cast<size_t>(group.domain)];
    const routing::Routing& routing = group.routing;
    const std::string start = absl::StrCat(
        base::CsvField(bundle), ",", base::CsvField(name), ",",
        routing.num_seen, ",",
        std::string(routing::CoverageVerdictName(routing.coverage.verdict)),
        ",", routing.coverage.nearest_distance, ",", routing.effective_experts);
    for (size_t e = 0; e < stack.sources.size(); ++e) {
      if (routing.weights[e] == 0) continue;
      absl::StrAppend(&rows_, start, ",", base::CsvField(stack.sources[e].name),
                      ",", routing.distances[e], ",", routing.weights[e], "\n");
    }
    if (is_first) bars_.push_back({.name = name, .parts = routing.weights});
  }
}

std::string GroupTable::Figure() const {
  return base::DrawStackedBars({.text = {.title = "Weights of the sources",
                                         .x_label = "target group",
                                         .y_label = "weight"},
                                .parts = sources_,
                                .bars = bars_});
}

}  // namespace ladder::trainer
