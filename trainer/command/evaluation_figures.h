#ifndef LADDER_TRAINER_COMMAND_EVALUATION_FIGURES_H_
#define LADDER_TRAINER_COMMAND_EVALUATION_FIGURES_H_

#include <string>
#include <vector>

#include "trainer/evaluate/seed_results.h"

namespace ladder::trainer {

// Accuracy, macro F1 and the filtered average over K, in percent, as SVG.
// `k_sweep` is of SweepResult, one summary per K.
std::string KSweepFigure(const std::vector<MethodSummary>& k_sweep);

}  // namespace ladder::trainer

#endif  // LADDER_TRAINER_COMMAND_EVALUATION_FIGURES_H_
