#ifndef LADDER_CLIENT_COMMAND_OUTPUT_ROUTING_NAMES_H_
#define LADDER_CLIENT_COMMAND_OUTPUT_ROUTING_NAMES_H_

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

}  // namespace ladder::command

#endif  // LADDER_CLIENT_COMMAND_OUTPUT_ROUTING_NAMES_H_
