#ifndef LADDER_SERVER_OBSERVE_TRACE_CONTEXT_H_
#define LADDER_SERVER_OBSERVE_TRACE_CONTEXT_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"

namespace ladder::server {

// A span's place in a distributed trace, as W3C's `traceparent` header carries
// it (https://www.w3.org/TR/trace-context/). Neither id is zero.
struct TraceContext {
  uint64_t trace_id_high = 0;
  uint64_t trace_id_low = 0;
  uint64_t span_id = 0;
  bool sampled = false;  // The caller may have recorded it.

  friend bool operator==(const TraceContext&, const TraceContext&) = default;
};

// None if the header is not valid: it is then to be ignored, and a new trace
// may be begun. Versions to come are read as far as version 00 knows them.
std::optional<TraceContext> ParseTraceparent(absl::string_view header);

// 32 lower-case hex digits.
std::string TraceIdHex(const TraceContext& context);

}  // namespace ladder::server

#endif  // LADDER_SERVER_OBSERVE_TRACE_CONTEXT_H_
