#ifndef LADDER_EXPERIMENTS_SIMULATE_SIMULATION_H_
#define LADDER_EXPERIMENTS_SIMULATE_SIMULATION_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "experiments/simulate/replication.h"
#include "routing/execution.h"

namespace ladder::trainer {

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

}  // namespace ladder::trainer

#endif  // LADDER_EXPERIMENTS_SIMULATE_SIMULATION_H_
