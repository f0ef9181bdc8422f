#ifndef LADDER_CLIENT_COMMAND_LOAD_LOAD_TARGET_H_
#define LADDER_CLIENT_COMMAND_LOAD_LOAD_TARGET_H_

#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>
#include <grpcpp/support/status.h>

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
// Thread-safe.
class LoadTarget {
 public:
  virtual ~LoadTarget() = default;

  // Sends the request and returns at once. `done` is called once, on a thread
  // of gRPC's; the target must live until then, and may be gone after. A
  // request to `stop` cancels.
  virtual void Send(std::stop_token stop,
                    std::function<void(LoadOutcome)> done) = 0;

  // What answers, once that is known: "birds 3".
  virtual std::string Name() const = 0;
};

// Asks the server what the model takes, and makes a request of it. `options`
// are valid. Errors are the server's, and InvalidArgument for options that do
// not go with the model.
absl::StatusOr<std::unique_ptr<LoadTarget>> OpenDomainTarget(
    std::shared_ptr<grpc::Channel> channel, const LoadOptions& options);
absl::StatusOr<std::unique_ptr<LoadTarget>> OpenInferenceTarget(
    std::shared_ptr<grpc::Channel> channel, const LoadOptions& options);

// Sets the deadline and the metadata that every call has.
void PrepareContext(const LoadOptions& options, grpc::ClientContext& context);

// The same code and message: both enums hold the canonical codes.
absl::Status FromGrpc(const grpc::Status& status);

}  // namespace ladder::client

#endif  // LADDER_CLIENT_COMMAND_LOAD_LOAD_TARGET_H_
