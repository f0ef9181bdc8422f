#include "client/command/output/routing_names.h"

#include "absl/strings/ascii.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"

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

}  // namespace ladder::command
