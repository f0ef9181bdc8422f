#include "trainer/evaluate/routed_rows.h"

#include <utility>

#include "base/status_macros.h"
#include "routing/router.h"
#include "routing/weights.h"

namespace ladder::trainer {

absl::StatusOr<RoutedRows> PredictRows(const MeasuredSplit& whole,
                                       const MeasuredSplit* domains,
                                       const routing::Execution& execution) {
  struct Row {
    const char* method;
    const MeasuredSplit* split;
    routing::RoutingOptions options;
  };
  using routing::Method;
  const MeasuredSplit* const finest = domains != nullptr ? domains : &whole;
  const routing::RoutingOptions ladder = whole.LadderOptions();
  std::vector<Row> rows = {
      {kUniformExperts, &whole, {.method = Method::kUniform}},
      {kNearestExpert, finest, {.method = Method::kNearest}},
      {kSampleGate, &whole, {.method = Method::kSampleGate}}};
  if (domains != nullptr) {
    rows.push_back(
        {kSampleGateGroup, domains, {.method = Method::kSampleGateGroup}});
  }
  rows.push_back({kLadderSplit, &whole, ladder});
  if (domains != nullptr) rows.push_back({kLadderGroup, domains, ladder});

  RoutedRows routed;
  for (const Row& row : rows) {
    LADDER_ASSIGN_OR_RETURN(auto labels,
                            row.split->Predict(row.options, execution));
    routed.rows.push_back({.method = row.method, .labels = std::move(labels)});
  }
  LADDER_ASSIGN_OR_RETURN(routed.groups, finest->Route(ladder, execution));
  return routed;
}

}  // namespace ladder::trainer
