#include "server/rpc/incoming_message.h"

#include <google/protobuf/unknown_field_set.h>

#include "absl/strings/str_cat.h"

namespace ladder::server {
namespace {

// A field that no message has.
constexpr int kMark = 536'870'911;

}  // namespace

void MarkUnread(google::protobuf::Message& message) {
  // Parsing begins by clearing, and so takes the mark away.
  message.GetReflection()->MutableUnknownFields(&message)->AddVarint(kMark, 1);
}

absl::Status ExplainFailedRead(const google::protobuf::Message& message) {
  const google::protobuf::UnknownFieldSet& fields =
      message.GetReflection()->GetUnknownFields(message);
  const bool is_unread =
      fields.field_count() == 1 && fields.field(0).number() == kMark;
  if (is_unread) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("expected a message of type ",
                                                 message.GetTypeName(),
                                                 ", got bytes that are none"));
}

absl::Status CheckSize(const google::protobuf::Message& message,
                       const LimitsConfig& limits) {
  const size_t num_bytes = message.ByteSizeLong();
  if (num_bytes <= limits.max_message_bytes) return absl::OkStatus();
  return absl::ResourceExhaustedError(absl::StrCat(
      LimitsConfig::kMaxMessageBytesFlag, ": expected a message of at most ",
      limits.max_message_bytes, " bytes, got ", num_bytes));
}

}  // namespace ladder::server
