#include "client/command/output/message_text.h"

#include <google/protobuf/util/json_util.h>

#include <algorithm>
#include <tuple>

#include "absl/strings/ascii.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "absl/time/time.h"

namespace ladder::client {
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

base::Style VerdictStyle(absl::string_view verdict) {
  if (verdict == "IN") return base::Style::kGood;
  if (verdict == "OUT") return base::Style::kBad;
  return base::Style::kWarning;
}

std::vector<base::NamedShare> TopWeights(const v1::Routing& routing,
                                         size_t count) {
  std::vector<base::NamedShare> weights;
  for (const v1::SourceWeight& source : routing.sources()) {
    if (source.weight() > 0) {
      weights.push_back({source.source(), source.weight()});
    }
  }
  std::stable_sort(
      weights.begin(), weights.end(),
      [](const auto& a, const auto& b) { return a.share > b.share; });
  weights.resize(std::min(weights.size(), count));
  return weights;
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

}  // namespace ladder::client
