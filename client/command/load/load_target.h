#ifndef LADDER_CLIENT_COMMAND_LOAD_LOAD_TARGET_H_
#define LADDER_CLIENT_COMMAND_LOAD_LOAD_TARGET_H_

#include <grpcpp/channel.h>

#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "client/command/load/load_options.h"

namespace ladder::client {

// How a request ended.
struct LoadOutcome {
  absl::Status status;
  // What the server says that it spent on it, if it says so.
  std::vector<std::pair<std::string, absl::Duration>> stages = {};
};

// A model of a server, and the one request that is sent to it again and again.
struct LoadTarget {
  using Done = std::function<void(LoadOutcome)>;

  // What answers: "birds 3".
  std::string name;

  // Sends the request and returns at once. `done` is called once, on a thread
  // of gRPC's; the target must live, where it is, until then, and may be gone
  // after. A request to `stop` cancels. Thread-safe.
  std::function<void(std::stop_token stop, Done done)> send;
};

// Asks the server what the model takes, and makes a request of it. `options`
// are valid. Errors are the server's, and InvalidArgument for options that do
// not go with the model.
absl::StatusOr<LoadTarget> OpenLoadTarget(
    const std::shared_ptr<grpc::Channel>& channel, const LoadOptions& options);

}  // namespace ladder::client

#endif  // LADDER_CLIENT_COMMAND_LOAD_LOAD_TARGET_H_
