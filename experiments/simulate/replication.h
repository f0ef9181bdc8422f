#ifndef LADDER_EXPERIMENTS_SIMULATE_REPLICATION_H_
#define LADDER_EXPERIMENTS_SIMULATE_REPLICATION_H_

#include <array>
#include <cstdint>
#include <iterator>
#include <vector>

#include "absl/status/statusor.h"
#include "experiments/simulate/scores.h"
#include "experiments/simulate/simulated_world.h"

namespace ladder::trainer {

// One score card per target of kSimTargets.
using TargetScores = std::array<Scores, std::size(kSimTargets)>;

// All that one world tells.
struct Replication {
  std::vector<TargetScores> methods = {};     // As kSimMethods.
  std::vector<TargetScores> neighbours = {};  // As NeighbourSettings().
  std::vector<TargetScores> summaries = {};   // As SummarySettings().
};

// Draws a world, trains every method on its sources and measures all settings
// on its targets. A pure function of the seed. Errors of the routing core, of
// which none is expected.
absl::StatusOr<Replication> Replicate(uint64_t seed);

}  // namespace ladder::trainer

#endif  // LADDER_EXPERIMENTS_SIMULATE_REPLICATION_H_
