#ifndef LADDER_SERVER_GROUPS_GROUP_OPTIONS_H_
#define LADDER_SERVER_GROUPS_GROUP_OPTIONS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/strings/string_view.h"
#include "routing/router.h"

namespace ladder::server {

// What to do with a group that has too few samples or is out of coverage.
enum class Fallback {
  kUnspecified,  // Too few: an error. Out of coverage: nothing.
  kError,        // An error in both cases.
  kUniform,
  kSampleGateGroup,
  kSoften,  // Weights of a larger temperature.
};

// "error", "uniform", "sample_gate_group", "soften"; empty for kUnspecified.
absl::string_view FallbackName(Fallback fallback);

// How a group is to be routed.
struct RouteQuestion {
  routing::RoutingOptions routing = {};
  uint64_t min_samples = 0;
  Fallback fallback = Fallback::kUnspecified;
  double soften_factor = 4;  // Of kSoften: what tau is multiplied by.
  // Also assess the weights' stability and the experts' disagreement.
  bool diagnostics = true;
};

// What predictions carry beside the most probable class.
struct OutputOptions {
  size_t top_n = 0;
  bool probabilities = false;
  bool logits = false;
  bool expert_probabilities = false;
};

struct GroupOptions {
  // At least one. Predictions use the first.
  std::vector<RouteQuestion> questions = {};
  bool predict = true;
  OutputOptions outputs = {};
  uint64_t route_after = 0;  // Samples; 0: when the group has ended.
  bool fail_on_bad_sample = false;
};

}  // namespace ladder::server

#endif  // LADDER_SERVER_GROUPS_GROUP_OPTIONS_H_
