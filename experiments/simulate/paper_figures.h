#ifndef LADDER_EXPERIMENTS_SIMULATE_PAPER_FIGURES_H_
#define LADDER_EXPERIMENTS_SIMULATE_PAPER_FIGURES_H_

#include <cstddef>
#include <optional>

#include "absl/strings/string_view.h"
#include "experiments/simulate/scores.h"

namespace ladder::trainer {

// A figure as the paper prints it, over 100 repetitions.
struct PaperFigure {
  double mean = 0;
  double sd = 0;

  double StandardError() const { return sd / 10; }
};

// What the paper reports for a method of kSimMethods on target `target` of
// kSimTargets: Table S1 or, for methods that it lacks, Table S2. None for the
// controls UniformExperts and NearestExpert, which neither has.
std::optional<PaperFigure> FindPaperFigure(absl::string_view method,
                                           size_t target, SimMetric metric);

}  // namespace ladder::trainer

#endif  // LADDER_EXPERIMENTS_SIMULATE_PAPER_FIGURES_H_
