#ifndef LADDER_TESTS_SERVER_OBSERVE_REPORTS_H_
#define LADDER_TESTS_SERVER_OBSERVE_REPORTS_H_

#include <string>

#include "absl/time/time.h"
#include "routing/coverage.h"
#include "server/observe/serving_observer.h"
#include "server/observe/trace_context.h"

namespace ladder::server {

// A group that went well: weights 0.75 and 0.25 for two of three sources.
inline GroupReport RoutedReport(const std::string& group) {
  GroupReport report;
  report.request_id = "request-1";
  report.trace = ParseTraceparent(
      "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01");
  report.rpc = "PredictDomain";
  report.model = "cameras";
  report.version = 3;
  report.group = group;
  report.num_samples = 40;
  report.duration = absl::Milliseconds(20);
  report.stages[static_cast<size_t>(Stage::kEncode)] = absl::Milliseconds(12);
  report.stages[static_cast<size_t>(Stage::kRoute)] = absl::Microseconds(1500);
  report.routed = true;
  report.method = "ladder";
  report.weights = {{.source = "north", .weight = 0.25, .distance = 2},
                    {.source = "east", .weight = 0, .distance = 9},
                    {.source = "south", .weight = 0.75, .distance = 0.5}};
  report.has_distances = true;
  report.effective_experts = 1.7548;
  report.coverage.verdict = routing::CoverageVerdict::kIn;
  report.coverage.basis = routing::CoverageBasis::kCalibration;
  report.coverage.nearest_distance = 0.5;
  return report;
}

}  // namespace ladder::server

#endif  // LADDER_TESTS_SERVER_OBSERVE_REPORTS_H_
