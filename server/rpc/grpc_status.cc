#include "server/rpc/grpc_status.h"

#include <string>

#include "absl/strings/cord.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace ladder::server {
namespace {

constexpr size_t kMaxMessage = 1024;
constexpr char kRetryPayload[] = "ladder/retry-after-ms";
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

absl::Status WithRetryAfter(absl::Status status, absl::Duration delay) {
  status.SetPayload(kRetryPayload,
                    absl::Cord(absl::StrCat(absl::ToInt64Milliseconds(delay))));
  return status;
}

std::optional<absl::Duration> RetryAfter(const absl::Status& status) {
  const auto payload = status.GetPayload(kRetryPayload);
  int64_t milliseconds = 0;
  if (!payload.has_value() ||
      !absl::SimpleAtoi(std::string(*payload), &milliseconds)) {
    return std::nullopt;
  }
  return absl::Milliseconds(milliseconds);
}

void AddRetryHint(const absl::Status& status,
                  grpc::ServerContextBase& context) {
  const std::optional<absl::Duration> delay = RetryAfter(status);
  if (!delay.has_value()) return;
  context.AddTrailingMetadata(kRetryMetadata,
                              absl::StrCat(absl::ToInt64Milliseconds(*delay)));
}

}  // namespace ladder::server
