#ifndef LADDER_EXAMPLES_DEMO_REPORT_H_
#define LADDER_EXAMPLES_DEMO_REPORT_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>

#include "absl/strings/string_view.h"
#include "routing/router.h"

// The demo speaks on standard output, 80 columns wide; in colour if that is
// a terminal and the environment has no NO_COLOR.
namespace ladder::examples {

// The figures of what was made from the sources.
struct ModelFacts {
  size_t num_sources = 0;
  size_t images_per_source = 0;
  size_t style_dimension = 0;
  size_t k = 0;
  double tau = 0;
  double home_accuracy = 0;  // Mean of the experts, each at home.
  std::chrono::duration<double> training_time = {};
};

// The share of right predictions, by the head that made them.
struct Accuracies {
  double ladder = 0;
  double nearest = 0;
  double uniform = 0;
  double true_rule = 0;
};

// A group without labels and what became of it.
struct GroupResult {
  absl::string_view name;
  absl::string_view remark;  // Says where the true place lies.
  double true_place = 0;     // In units of the sources' indices.
  routing::Routing routing;
  std::chrono::duration<double> routing_time = {};
  Accuracies scores;
};

struct RunFacts {
  size_t scored_images = 0;  // Behind each score.
  uint64_t seed = 0;
  int num_threads = 0;
  absl::string_view simd_target;
};

void PrintIntroduction(const ModelFacts& facts);
void PrintGroup(const GroupResult& result);
void PrintSummary(std::span<const GroupResult> results, const RunFacts& facts);

}  // namespace ladder::examples

#endif  // LADDER_EXAMPLES_DEMO_REPORT_H_
