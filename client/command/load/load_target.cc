#include "client/command/load/load_target.h"

#include <algorithm>
#include <chrono>

namespace ladder::client {

void PrepareContext(const LoadOptions& options, grpc::ClientContext& context) {
  // Longer ones would overflow the clock's range.
  const absl::Duration timeout = std::min(options.timeout, absl::Hours(24));
  context.set_deadline(std::chrono::system_clock::now() +
                       absl::ToChronoMicroseconds(timeout));
  for (const auto& [key, value] : options.metadata) {
    context.AddMetadata(key, value);
  }
}

absl::Status FromGrpc(const grpc::Status& status) {
  return {static_cast<absl::StatusCode>(status.error_code()),
          status.error_message()};
}

}  // namespace ladder::client
