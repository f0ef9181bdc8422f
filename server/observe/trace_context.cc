#include "server/observe/trace_context.h"

#include <cstddef>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace ladder::server {
namespace {

// Where the fields of "vv-<32 digits>-<16 digits>-ff" begin.
constexpr size_t kTraceId = 3;
constexpr size_t kSpanId = 36;
constexpr size_t kFlags = 53;
constexpr size_t kLength = 55;
constexpr uint64_t kSampled = 1;

// Reads at most 16 hex digits, which must be lower case.
std::optional<uint64_t> ParseHex(absl::string_view digits) {
  uint64_t value = 0;
  if (digits.find_first_not_of("0123456789abcdef") != digits.npos ||
      !absl::SimpleHexAtoi(digits, &value)) {
    return std::nullopt;
  }
  return value;
}

bool HasShape(absl::string_view header, uint64_t version) {
  if (header[kTraceId - 1] != '-' || header[kSpanId - 1] != '-' ||
      header[kFlags - 1] != '-') {
    return false;
  }
  if (header.size() == kLength) return true;
  return version > 0 && header[kLength] == '-';
}

}  // namespace

std::optional<TraceContext> ParseTraceparent(absl::string_view header) {
  if (header.size() < kLength) return std::nullopt;
  const auto version = ParseHex(header.substr(0, 2));
  if (!version || *version == 0xff || !HasShape(header, *version)) {
    return std::nullopt;
  }
  const auto high = ParseHex(header.substr(kTraceId, 16));
  const auto low = ParseHex(header.substr(kTraceId + 16, 16));
  const auto span = ParseHex(header.substr(kSpanId, 16));
  const auto flags = ParseHex(header.substr(kFlags, 2));
  if (!high || !low || !span || !flags) return std::nullopt;
  if ((*high == 0 && *low == 0) || *span == 0) return std::nullopt;
  return TraceContext{.trace_id_high = *high,
                      .trace_id_low = *low,
                      .span_id = *span,
                      .sampled = (*flags & kSampled) != 0};
}

std::string TraceIdHex(const TraceContext& context) {
  return absl::StrCat(absl::Hex(context.trace_id_high, absl::kZeroPad16),
                      absl::Hex(context.trace_id_low, absl::kZeroPad16));
}

}  // namespace ladder::server
