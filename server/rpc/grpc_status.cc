#include "server/rpc/grpc_status.h"

#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "server/scheduling/retry_after.h"

namespace ladder::server {
namespace {

constexpr size_t kMaxMessage = 1024;
constexpr char kRetryMetadata[] = "grpc-retry-pushback-ms";

// Both hold the canonical codes, so the number carries over unchanged.
static_assert(static_cast<int>(absl::StatusCode::kCancelled) ==
              grpc::StatusCode::CANCELLED);
static_assert(static_cast<int>(absl::StatusCode::kUnauthenticated) ==
              grpc::StatusCode::UNAUTHENTICATED);

}  // namespace

grpc::Status ToGrpc(const absl::Status& status) {
  if (status.ok()) return grpc::Status::OK;
  return {static_cast<grpc::StatusCode>(status.code()),
          std::string(status.message().substr(0, kMaxMessage))};
}

void AddRetryHint(const absl::Status& status,
                  grpc::ServerContextBase& context) {
  const std::optional<absl::Duration> delay = RetryAfter(status);
  if (!delay.has_value()) return;
  context.AddTrailingMetadata(kRetryMetadata,
                              absl::StrCat(absl::ToInt64Milliseconds(*delay)));
}

}  // namespace ladder::server
