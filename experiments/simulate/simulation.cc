#include "experiments/simulate/simulation.h"

#include <mutex>
#include <utility>

#include "absl/strings/str_cat.h"
#include "routing/counter_rng.h"

namespace ladder::trainer {

absl::StatusOr<std::vector<Replication>> Simulate(
    const SimulationOptions& options, const routing::Execution& execution,
    SimulationProgress progress) {
  if (options.num_replications < 2) {
    return absl::InvalidArgumentError(absl::StrCat(
        "reps: expected at least 2, got ", options.num_replications));
  }
  const routing::CounterRng seeds(options.seed);
  std::vector<Replication> replications(options.num_replications);
  std::mutex mutex;
  size_t done = 0;           // Under the mutex.
  absl::Status first_error;  // Too.
  absl::Status stopped = execution.ForEach(replications.size(), [&](size_t i) {
    auto replication = Replicate(seeds.Bits(i));
    const std::lock_guard lock(mutex);
    if (!replication.ok()) {
      first_error.Update(replication.status());
      return;
    }
    replications[i] = *std::move(replication);
    progress(++done, replications.size());
  });
  first_error.Update(std::move(stopped));
  if (!first_error.ok()) return first_error;
  return replications;
}

}  // namespace ladder::trainer
