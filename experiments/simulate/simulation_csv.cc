#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "experiments/simulate/simulation_report.h"

namespace ladder::trainer {

std::string SimulationCsv(const SimulationReport& report) {
  const std::pair<const char*, const std::vector<SimRow>&> studies[] = {
      {"methods", report.methods},
      {"neighbours", report.neighbours},
      {"summaries", report.summaries}};
  std::string text =
      "study,setting,target,metric,replications,mean,sd,standard_error,"
      "paper_mean,paper_sd,difference_in_standard_errors\n";
  for (const auto& [study, rows] : studies) {
    for (const SimRow& row : rows) {
      for (size_t t = 0; t < std::size(kSimTargets); ++t) {
        for (size_t m = 0; m < kSimMetrics.size(); ++m) {
          const auto& figure = row.figures[t][m];
          if (!figure.has_value()) continue;
          absl::StrAppendFormat(
              &text, "%s,%s,%s,%s,%d,%.17g,%.17g,%.17g,", study, row.name,
              kSimTargets[t].name, kSimMetrics[m].key, report.num_replications,
              figure->mean, figure->sd, figure->standard_error);
          if (figure->paper.has_value()) {
            absl::StrAppendFormat(&text, "%g,%g,%.4f", figure->paper->mean,
                                  figure->paper->sd,
                                  *figure->DifferenceFromPaper());
          } else {
            text += ",,";
          }
          text += '\n';
        }
      }
    }
  }
  return text;
}

}  // namespace ladder::trainer
