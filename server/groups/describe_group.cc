#include "server/groups/describe_group.h"

#include <cmath>
#include <string>

#include "routing/weights.h"

namespace ladder::server {

void DescribeRouting(const model_store::Manifest& manifest,
                     const RoutingAnswer& answer, GroupReport& report) {
  const routing::Routing& routing = answer.routing;
  report.routed = true;
  report.method = std::string(routing::MethodName(routing.method));
  report.has_distances = !routing.distances.empty();
  report.effective_experts = routing.effective_experts;
  report.coverage = routing.coverage;
  for (size_t e = 0; e < manifest.num_sources(); ++e) {
    report.weights.push_back({.source = manifest.sources[e].name,
                              .weight = routing.weights[e],
                              .distance = report.has_distances
                                              ? routing.distances[e]
                                              : std::nan("")});
  }
  if (answer.fallback.has_value()) {
    report.fallback = std::string(FallbackName(answer.fallback->fallback));
    report.fallback_reason =
        std::string(FallbackReasonName(answer.fallback->reason));
  }
}

}  // namespace ladder::server
