#include "routing/execution.h"

#include <vector>

#include "routing/thread_pool.h"

namespace ladder::routing {

absl::Status Execution::ForEach(size_t count,
                                absl::FunctionRef<void(size_t)> body) const {
  const auto unless_stopped = [&](size_t i) {
    if (!stop.stop_requested()) body(i);
  };
  if (pool != nullptr) {
    pool->ParallelFor(count, unless_stopped);
  } else {
    for (size_t i = 0; i < count; ++i) unless_stopped(i);
  }
  return stop.stop_requested() ? absl::CancelledError("stopped by the caller")
                               : absl::OkStatus();
}

absl::Status Execution::RunAll(
    std::span<const std::function<absl::Status()>> tasks) const {
  std::vector<absl::Status> results(tasks.size());
  absl::Status status =
      ForEach(tasks.size(), [&](size_t i) { results[i] = tasks[i](); });
  for (const absl::Status& result : results) status.Update(result);
  return status;
}

}  // namespace ladder::routing
