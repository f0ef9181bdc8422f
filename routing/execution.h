#ifndef LADDER_ROUTING_EXECUTION_H_
#define LADDER_ROUTING_EXECUTION_H_

#include <cstddef>
#include <functional>
#include <span>
#include <stop_token>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"

namespace ladder::routing {

class ThreadPool;

// Says where a computation may run and when it has to give up.
struct Execution {
  ThreadPool* pool = nullptr;  // Lent by the caller; null runs inline.
  std::stop_token stop = {};   // Looked at before each piece of work.

  // Calls `body(i)` for every i in [0, count) in parallel. Once a stop is
  // requested the remaining pieces are left out and the result is Cancelled.
  absl::Status ForEach(size_t count,
                       absl::FunctionRef<void(size_t)> body) const;

  // Runs all `tasks` in parallel, as ForEach, and returns the error of the
  // first in the list that failed.
  absl::Status RunAll(
      std::span<const std::function<absl::Status()>> tasks) const;
};

}  // namespace ladder::routing

#endif  // LADDER_ROUTING_EXECUTION_H_
