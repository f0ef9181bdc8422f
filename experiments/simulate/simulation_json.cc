#include <utility>

#include "experiments/simulate/simulation_report.h"

namespace ladder::trainer {
namespace {

using nlohmann::ordered_json;

ordered_json FigureJson(const SimFigure& figure) {
  ordered_json json = {{"mean", figure.mean},
                       {"sd", figure.sd},
                       {"standard_error", figure.standard_error}};
  if (figure.paper.has_value()) {
    json["paper"] = {{"mean", figure.paper->mean}, {"sd", figure.paper->sd}};
    json["difference_in_standard_errors"] = *figure.DifferenceFromPaper();
  }
  json["values"] = figure.values;
  return json;
}

ordered_json RowsJson(std::span<const SimRow> rows) {
  ordered_json json = ordered_json::array();
  for (const SimRow& row : rows) {
    ordered_json targets = ordered_json::object();
    for (size_t t = 0; t < std::size(kSimTargets); ++t) {
      ordered_json& metrics = targets[kSimTargets[t].name];
      for (size_t m = 0; m < kSimMetrics.size(); ++m) {
        const auto& figure = row.figures[t][m];
        if (figure.has_value()) {
          metrics[kSimMetrics[m].key] = FigureJson(*figure);
        }
      }
    }
    json.push_back({{"setting", row.name}, {"targets", std::move(targets)}});
  }
  return json;
}

}  // namespace

ordered_json SimulationJson(const SimulationReport& report) {
  return {{"replications", report.num_replications},
          {"methods", RowsJson(report.methods)},
          {"neighbours", RowsJson(report.neighbours)},
          {"summaries", RowsJson(report.summaries)}};
}

}  // namespace ladder::trainer
