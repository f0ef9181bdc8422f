#include "experiments/simulate/settings.h"

#include "absl/strings/str_cat.h"
#include "experiments/simulate/simulated_world.h"

namespace ladder::trainer {

std::vector<RoutedSetting> NeighbourSettings() {
  std::vector<RoutedSetting> settings;
  for (size_t k = 1; k <= kSimSources; ++k) {
    const bool all = k == kSimSources;
    settings.push_back(
        {.name = all ? "K=all" : absl::StrCat("K=", k),
         .options = {.k = all ? routing::kAllSources : k, .tau = kSimTau},
         .summary_rows = kSimRows});
  }
  return settings;
}

std::vector<RoutedSetting> SummarySettings() {
  std::vector<RoutedSetting> settings;
  for (const double tau : kSimTaus) {
    for (const size_t rows : kSimSummaryRows) {
      settings.push_back({.name = absl::StrCat("n0=", rows, " tau=", tau),
                          .options = {.k = kSimK, .tau = tau},
                          .summary_rows = rows});
    }
  }
  return settings;
}

}  // namespace ladder::trainer
