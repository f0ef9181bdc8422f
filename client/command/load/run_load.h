#ifndef LADDER_CLIENT_COMMAND_LOAD_RUN_LOAD_H_
#define LADDER_CLIENT_COMMAND_LOAD_RUN_LOAD_H_

#include <grpcpp/channel.h>

#include <cstdint>
#include <memory>
#include <stop_token>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "client/command/load/load_options.h"
#include "client/command/load/load_report.h"
#include "client/command/load/load_target.h"
#include "routing/counter_rng.h"

namespace ladder::client {

// When requests of many independent callers arrive: a Poisson process, the same
// for the same seed. Not thread-safe.
class ArrivalSchedule {
 public:
  // `rate` is in requests per second, and positive.
  ArrivalSchedule(double rate, uint64_t seed) : rate_(rate), rng_(seed) {}

  // The next arrival, as time since the start; never before the last one.
  absl::Duration Next();

 private:
  const double rate_;
  const routing::CounterRng rng_;
  uint64_t counter_ = 0;
  double seconds_ = 0;
};

// Puts a server under load and measures it. A request to `stop` ends the run
// early, with a report of what was measured until then. Requests that fail are
// part of the report; an error means that there was no load at all:
// InvalidArgument for options, else what the server said of the model.
absl::StatusOr<LoadReport> RunLoad(
    const std::shared_ptr<grpc::Channel>& channel, const LoadOptions& options,
    std::stop_token stop);

// The same for any target. `options` are valid.
LoadReport GenerateLoad(const LoadTarget& target, const LoadOptions& options,
                        std::stop_token stop);

}  // namespace ladder::client

#endif  // LADDER_CLIENT_COMMAND_LOAD_RUN_LOAD_H_
