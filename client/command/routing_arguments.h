#ifndef LADDER_CLIENT_COMMAND_ROUTING_ARGUMENTS_H_
#define LADDER_CLIENT_COMMAND_ROUTING_ARGUMENTS_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "ladder/v1/domain_routing.pb.h"

namespace ladder::client {

// "birds", "birds:3" for a version, "birds@canary" for a label.
absl::StatusOr<v1::ModelRef> ParseModel(absl::string_view text);

// What options say; empty: as the bundle has it. InvalidArgument, naming the
// option, for others than there are.
absl::StatusOr<v1::Method> ParseMethod(absl::string_view name);
absl::StatusOr<v1::Fallback> ParseFallback(absl::string_view name);
// A number of sources, or "all".
absl::Status ParseK(absl::string_view text, v1::RoutingOptions& routing);
absl::Status ParseTau(absl::string_view text, v1::RoutingOptions& routing);

std::vector<std::string> MethodNames();
std::vector<std::string> FallbackNames();

// What a check of CLI11's says of a value: nothing if `status` is ok, else its
// message without the name in front ("k: expected ..."), which CLI11 adds.
std::string UsageError(const absl::Status& status);

}  // namespace ladder::client

#endif  // LADDER_CLIENT_COMMAND_ROUTING_ARGUMENTS_H_
