#include "client/library/call_status.h"

#include <string>

#include "absl/strings/cord.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace ladder::client {
namespace {

constexpr char kHintPayload[] = "ladder.client.RetryHint";
constexpr char kHintHeader[] = "grpc-retry-pushback-ms";
// Stands in gRPC's message for a stream that HTTP/2 has reset.
constexpr char kReset[] = "RST_STREAM";

}  // namespace

absl::Status CallStatus(const grpc::Status& status,
                        const grpc::ClientContext& context, bool is_cancelled) {
  if (status.ok()) return absl::OkStatus();
  if (status.error_code() == grpc::StatusCode::CANCELLED && !is_cancelled) {
    return absl::UnavailableError(absl::StrCat(
        "the server has cancelled the call: ", status.error_message()));
  }
  if (status.error_code() == grpc::StatusCode::INTERNAL &&
      absl::StrContains(status.error_message(), kReset)) {
    return absl::UnavailableError(
        absl::StrCat("the call was cut off: ", status.error_message()));
  }
  absl::Status result(static_cast<absl::StatusCode>(status.error_code()),
                      status.error_message());
  const auto& metadata = context.GetServerTrailingMetadata();
  if (const auto hint = metadata.find(kHintHeader); hint != metadata.end()) {
    int64_t milliseconds = 0;
    // What is not a number means "do not come again", as gRPC has it.
    if (!absl::SimpleAtoi(
            absl::string_view(hint->second.data(), hint->second.size()),
            &milliseconds)) {
      milliseconds = -1;
    }
    SetRetryHint(absl::Milliseconds(milliseconds), result);
  }
  return result;
}

std::optional<absl::Duration> RetryHint(const absl::Status& status) {
  const auto payload = status.GetPayload(kHintPayload);
  int64_t milliseconds = 0;
  if (!payload.has_value() ||
      !absl::SimpleAtoi(std::string(*payload), &milliseconds)) {
    return std::nullopt;
  }
  return absl::Milliseconds(milliseconds);
}

void SetRetryHint(absl::Duration hint, absl::Status& status) {
  status.SetPayload(kHintPayload,
                    absl::Cord(absl::StrCat(absl::ToInt64Milliseconds(hint))));
}

}  // namespace ladder::client
