#ifndef LADDER_TRAINER_COMMAND_GROUP_TABLE_H_
#define LADDER_TRAINER_COMMAND_GROUP_TABLE_H_

#include <string>
#include <vector>

#include "base/charts/charts.h"
#include "trainer/data/dataset.h"
#include "trainer/encode/trained_stack.h"
#include "trainer/evaluate/measured_split.h"

namespace ladder::trainer {

// Shows how LADDER routed each group of each bundle.
class GroupTable {
 public:
  void Add(const std::string& bundle, const TrainedStack& stack,
           const Dataset& dataset, const std::vector<RoutedGroup>& groups);

  // A line for every weight that is not zero: bundle, group, samples, coverage,
  // nearest_distance, effective_experts, source, distance, weight.
  std::string Csv() const { return kHeader + rows_; }

  // The weights of the first bundle that has groups, as SVG.
  std::string Figure() const;

 private:
  static const std::string kHeader;

  std::string rows_;
  std::vector<std::string> sources_;  // What the figure shows.
  std::vector<base::StackedBar> bars_;
};

}  // namespace ladder::trainer

#endif  // LADDER_TRAINER_COMMAND_GROUP_TABLE_H_
