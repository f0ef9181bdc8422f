#include "client/command/output/message_text.h"

#include <google/protobuf/util/json_util.h>

#include <tuple>

#include "absl/strings/ascii.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "absl/time/time.h"

namespace ladder::command {
namespace {

std::string PlainName(absl::string_view name, absl::string_view prefix) {
  return absl::AsciiStrToLower(absl::StripPrefix(name, prefix));
}

}  // namespace

std::string MethodName(v1::Method method) {
  return PlainName(v1::Method_Name(method), "METHOD_");
}

std::string FallbackName(v1::Fallback fallback) {
  return PlainName(v1::Fallback_Name(fallback), "FALLBACK_");
}

std::string FallbackReasonName(v1::AppliedFallback::Reason reason) {
  return PlainName(v1::AppliedFallback::Reason_Name(reason), "");
}

std::string VerdictName(const v1::Routing& routing) {
  return v1::Coverage::Verdict_Name(routing.coverage().verdict());
}

std::string JsonText(const google::protobuf::Message& message) {
  google::protobuf::util::JsonPrintOptions options;
  options.always_print_primitive_fields = true;
  options.preserve_proto_field_names = true;
  std::string json;
  // Fails for google.protobuf.Any of an unknown type only.
  std::ignore =
      google::protobuf::util::MessageToJsonString(message, &json, options);
  return json;
}

std::string TimeText(const google::protobuf::Timestamp& time) {
  if (time.seconds() == 0) return "-";
  return absl::FormatTime("%Y-%m-%d %H:%M:%S",
                          absl::FromUnixSeconds(time.seconds()),
                          absl::LocalTimeZone());
}

}  // namespace ladder::command
