#ifndef LADDER_SERVER_OBSERVE_TRACE_CONTEXT_H_
#define LADDER_SERVER_OBSERVE_TRACE_CONTEXT_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/functional/function_ref.h"
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
// may be begun. Of versions to come, what version 00 knows is read.
std::optional<TraceContext> ParseTraceparent(absl::string_view header);

// As version 00.
std::string FormatTraceparent(const TraceContext& context);

// 32 and 16 lower-case hex digits.
std::string TraceIdHex(const TraceContext& context);
std::string SpanIdHex(const TraceContext& context);

// `random_bits` gives 64 random bits a call, as RandomIds does; it is asked
// again for every zero id.
TraceContext NewTrace(bool sampled, absl::FunctionRef<uint64_t()> random_bits);
TraceContext ChildSpan(const TraceContext& parent,
                       absl::FunctionRef<uint64_t()> random_bits);

}  // namespace ladder::server

#endif  // LADDER_SERVER_OBSERVE_TRACE_CONTEXT_H_
