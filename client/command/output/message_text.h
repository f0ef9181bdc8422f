#ifndef LADDER_CLIENT_COMMAND_OUTPUT_MESSAGE_TEXT_H_
#define LADDER_CLIENT_COMMAND_OUTPUT_MESSAGE_TEXT_H_

#include <google/protobuf/message.h>
#include <google/protobuf/timestamp.pb.h>

#include <cstddef>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "base/terminal/bars.h"
#include "base/terminal/terminal.h"
#include "ladder/v1/domain_routing.pb.h"

namespace ladder::client {

// Parts of the server's messages as users read and write them. A name is empty
// for a value that only a newer server knows.

// "sample_gate" of METHOD_SAMPLE_GATE.
std::string MethodName(v1::Method method);
// "soften" of FALLBACK_SOFTEN.
std::string FallbackName(v1::Fallback fallback);
// "too_few_samples" of TOO_FEW_SAMPLES.
std::string FallbackReasonName(v1::AppliedFallback::Reason reason);
// "IN", "EDGE", "OUT" or "UNKNOWN".
std::string VerdictName(const v1::Routing& routing);
// The colour in which such a verdict is shown.
base::Style VerdictStyle(absl::string_view verdict);

// The `count` largest weights of a routing that are not zero, the largest
// first.
std::vector<base::NamedShare> TopWeights(const v1::Routing& routing,
                                         size_t count);
// A weight of 1 is shown as a bar of so many columns.
inline constexpr size_t kWeightBarWidth = 8;

// A message as one line of protobuf's JSON, without the line's end: fields are
// named as in the .proto, and those that are zero or empty are there too.
std::string JsonText(const google::protobuf::Message& message);

// "2026-03-01 12:30:05" in the user's time zone; "-" if the time is not set.
std::string TimeText(const google::protobuf::Timestamp& time);

}  // namespace ladder::client

#endif  // LADDER_CLIENT_COMMAND_OUTPUT_MESSAGE_TEXT_H_
