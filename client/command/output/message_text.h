#ifndef LADDER_CLIENT_COMMAND_OUTPUT_MESSAGE_TEXT_H_
#define LADDER_CLIENT_COMMAND_OUTPUT_MESSAGE_TEXT_H_

#include <google/protobuf/message.h>
#include <google/protobuf/timestamp.pb.h>

#include <string>

#include "ladder/v1/domain_routing.pb.h"

namespace ladder::command {

// As users read and write them. Empty for what only a newer server knows.

// "sample_gate" of METHOD_SAMPLE_GATE.
std::string MethodName(v1::Method method);
// "soften" of FALLBACK_SOFTEN.
std::string FallbackName(v1::Fallback fallback);
// "too_few_samples" of TOO_FEW_SAMPLES.
std::string FallbackReasonName(v1::AppliedFallback::Reason reason);
// "IN", "EDGE", "OUT" or "UNKNOWN".
std::string VerdictName(const v1::Routing& routing);

// A message as one line of protobuf's JSON, without the line's end: fields are
// named as in the .proto, and those that are zero or empty are there too.
std::string JsonText(const google::protobuf::Message& message);

// "2026-03-01 12:30:05", where the user is; "-" if there is none.
std::string TimeText(const google::protobuf::Timestamp& time);

}  // namespace ladder::command

#endif  // LADDER_CLIENT_COMMAND_OUTPUT_MESSAGE_TEXT_H_
