#ifndef LADDER_TRAINER_EVALUATE_REPORT_H_
#define LADDER_TRAINER_EVALUATE_REPORT_H_

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "trainer/evaluate/seed_results.h"

namespace ladder::trainer {

// All that is known about one split. Parts may be empty; metrics that nobody
// has are left out of what is written.
struct EvaluationReport {
  std::vector<MethodSummary> methods = {};
  std::vector<Comparison> comparisons = {};
  std::vector<MethodSummary> k_sweep = {};  // By setting.
  std::vector<MethodSummary> tau_sweep = {};
};

// Aligned tables for people, one per part that is not empty: percent with two
// decimals, mean ± standard deviation, counts with one decimal. UTF-8.
std::string ReportText(const EvaluationReport& report);

// One line per row and metric: "table,row,metric,seeds,mean,sd,low,high", where
// `sd`, or `low` and `high`, are empty if there are none. Shares, not percent,
// in as many digits as it takes to read back the same number.
std::string ReportCsv(const EvaluationReport& report);

// The same with the seeds and their values. Shares, not percent.
nlohmann::ordered_json ReportJson(const EvaluationReport& report);

}  // namespace ladder::trainer

#endif  // LADDER_TRAINER_EVALUATE_REPORT_H_
