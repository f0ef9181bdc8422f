#ifndef LADDER_CLIENT_LIBRARY_CALL_STATUS_H_
#define LADDER_CLIENT_LIBRARY_CALL_STATUS_H_

#include <grpcpp/grpcpp.h>

#include <optional>

#include "absl/status/status.h"
#include "absl/time/time.h"

namespace ladder::client {

// A call's outcome, with the server's hint when to come again, if it gave one.
// Two statuses of gRPC's own are UNAVAILABLE here. Calls that reach a server at
// the moment when it shuts down are CANCELLED, which counts only if the caller
// has done so, `is_cancelled`. Calls that a proxy cuts off, because the server
// behind it has died in the midst of its answer, are INTERNAL.
absl::Status CallStatus(const grpc::Status& status,
                        const grpc::ClientContext& context, bool is_cancelled);

// That hint; negative if the server asks not to come again.
std::optional<absl::Duration> RetryHint(const absl::Status& status);

// Adds a hint as if a server had given it: for tests, and for what stands in
// for a server.
void SetRetryHint(absl::Duration hint, absl::Status& status);

}  // namespace ladder::client

#endif  // LADDER_CLIENT_LIBRARY_CALL_STATUS_H_
