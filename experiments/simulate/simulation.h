#ifndef LADDER_EXPERIMENTS_SIMULATE_SIMULATION_H_
#define LADDER_EXPERIMENTS_SIMULATE_SIMULATION_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "experiments/simulate/design.h"
#include "routing/execution.h"
#include "routing/router.h"

namespace ladder::experiments {

// The rows of the paper's Tables S1 and S2, and the two controls.
inline constexpr std::array<const char*, 13> kSimMethods = {
    "ERM",
    "IRM",
    "EQRM",
    "DSNR",
    "RDM",
    "PooledJoint",
    "Pooled-Interaction",
    "Pooled-MLP",
    "StyleHyperNet",
    "UniformExperts",
    "NearestExpert",
    "LADDER",
    "Oracle"};

// LADDER in the main table.
inline constexpr size_t kSimK = 4;
inline constexpr double kSimTau = 0.1;

// A variant of LADDER in an ablation.
struct RoutedSetting {
  std::string name = {};  // "K=4", "n0=10 tau=0.5".
  routing::RoutingOptions options = {};
  size_t summary_rows = 0;  // n0: how many of the target's samples route it.
};

// K from 1 to 8 and all, at kSimTau and n0 = 1000.
std::vector<RoutedSetting> NeighbourSettings();

// The second ablation, at K = kSimK: every n0 at the first tau, then at the
// second, and so on.
inline constexpr std::array<size_t, 7> kSimSummaryRows = {1,   3,   10,  30,
                                                          100, 300, 1000};
inline constexpr std::array<double, 5> kSimTaus = {0.05, 0.1, 0.5, 1, 5};
std::vector<RoutedSetting> SummarySettings();

// The scores of all settings in one simulated world.
struct Replication {
  std::vector<TargetScores> methods = {};     // One for each of kSimMethods,
  std::vector<TargetScores> neighbours = {};  // of NeighbourSettings()
  std::vector<TargetScores> summaries = {};   // and of SummarySettings().
};

struct SimulationOptions {
  size_t num_replications = 100;  // At least 2, for a standard deviation.
  uint64_t seed = 1;
};

// Told how many replications of how many are done, after each; one call at a
// time, from any thread.
using SimulationProgress = absl::FunctionRef<void(size_t done, size_t total)>;

// The paper's simulation: independent replications, in parallel. The same seed
// gives the same numbers on any number of threads, and the first replications
// are the same however many there are.
//
// InvalidArgument for too few replications, Cancelled if stopped.
absl::StatusOr<std::vector<Replication>> Simulate(
    const SimulationOptions& options, const routing::Execution& execution,
    SimulationProgress progress);

}  // namespace ladder::experiments

#endif  // LADDER_EXPERIMENTS_SIMULATE_SIMULATION_H_
