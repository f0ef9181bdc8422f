#ifndef LADDER_SERVER_GROUPS_GROUP_OPTIONS_H_
#define LADDER_SERVER_GROUPS_GROUP_OPTIONS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/strings/string_view.h"
#include "imaging/decode_limits.h"
#include "model_store/engine/model.h"
#include "routing/router.h"
#include "routing/thread_pool.h"
#include "server/observe/serving_observer.h"
#include "server/scheduling/encode_scheduler.h"
#include "server/scheduling/memory_budget.h"
#include "server/scheduling/work_account.h"
#include "server/scheduling/worker_pool.h"

namespace ladder::server {

// What to do with a group that has too few samples or is out of coverage.
enum class Fallback {
  kUnspecified,  // Too few: an error. Out of coverage: nothing.
  kError,        // An error in both cases.
  kUniform,
  kSampleGateGroup,
  kSoften,  // Weights of a larger temperature.
};

inline constexpr Fallback kAllFallbacks[] = {
    Fallback::kUnspecified, Fallback::kError, Fallback::kUniform,
    Fallback::kSampleGateGroup, Fallback::kSoften};

// "error", "uniform", "sample_gate_group", "soften"; empty for kUnspecified.
absl::string_view FallbackName(Fallback fallback);

// How a group is to be routed.
struct RouteQuestion {
  routing::RoutingOptions routing = {};
  uint64_t min_samples = 0;
  Fallback fallback = Fallback::kUnspecified;
  double soften_factor = 4;  // What kSoften multiplies tau by.
  // Also assess the weights' stability and the experts' disagreement.
  bool diagnostics = true;
};

// What predictions carry beside the most probable class.
struct OutputOptions {
  size_t top_n = 0;
  bool probabilities = false;
  bool logits = false;
  bool expert_probabilities = false;
  bool class_names = false;  // Told once, with the routing.
};

struct GroupOptions {
  // At least one. Predictions use the first.
  std::vector<RouteQuestion> questions = {};
  bool predict = true;
  OutputOptions outputs = {};
  uint64_t route_after = 0;  // Samples; 0: when the group has ended.
  bool fail_on_bad_sample = false;
};

// What all groups of a server share. All of it outlives them.
struct GroupServices {
  EncodeScheduler& scheduler;
  WorkerPool& workers;
  routing::ThreadPool& loops;  // For work within one step.
  MemoryBudget& memory;        // For what is known of groups.
  MemoryBudget& pictures;      // For what pictures are decoded into.
  ServingObserver& observer;
};

struct GroupLimits {
  uint64_t max_samples = 1'000'000;
  uint64_t max_bytes = uint64_t{1} << 30;
  imaging::DecodeLimits images = {};
  // Heads are run on exactly this many rows at a time, the last ones padded,
  // because rounding depends on their number. 0: on as many as there are.
  size_t fixed_head_rows = 0;
};

struct GroupSetup {
  WorkOwner owner = {};  // Whose turn its work is part of.
  model_store::ModelHandle model = {};
  GroupOptions options = {};
  GroupLimits limits = {};
  // The names and ids with which the report to the observer begins.
  GroupReport report = {};
};

}  // namespace ladder::server

#endif  // LADDER_SERVER_GROUPS_GROUP_OPTIONS_H_
