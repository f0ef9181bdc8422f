#include "server/inference/infer_parameters.h"

#include <algorithm>
#include <array>
#include <limits>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "base/text/text.h"

namespace ladder::server {
namespace {

using inference::InferParameter;

// Far more than there are meanings for.
constexpr size_t kMaxParameters = 64;

constexpr std::array<absl::string_view, 7> kReserved = {
    "sequence_id", "sequence_start", "sequence_end",      "priority",
    "timeout",     "headers",        "binary_data_output"};

bool IsReserved(absl::string_view name) {
  return absl::StartsWith(name, "triton_") ||
         std::find(kReserved.begin(), kReserved.end(), name) != kReserved.end();
}

std::string ValueText(const InferParameter& value) {
  switch (value.parameter_choice_case()) {
    case InferParameter::kBoolParam:
      return value.bool_param() ? "true" : "false";
    case InferParameter::kInt64Param:
      return absl::StrCat(value.int64_param());
    case InferParameter::kUint64Param:
      return absl::StrCat(value.uint64_param());
    case InferParameter::kDoubleParam:
      return absl::StrCat(value.double_param());
    case InferParameter::kStringParam:
      return QuotedText(value.string_param());
    case InferParameter::PARAMETER_CHOICE_NOT_SET:
      break;
  }
  return "nothing";
}

absl::Status Unexpected(absl::string_view name, absl::string_view expected,
                        const InferParameter& value) {
  return absl::InvalidArgumentError(absl::StrCat(
      "parameter ", name, ": expected ", expected, ", got ", ValueText(value)));
}

absl::Status UnknownParameter(absl::string_view where, absl::string_view name) {
  if (absl::StartsWith(name, "shared_memory_")) {
    return absl::InvalidArgumentError(absl::StrCat(
        where, ": parameter ", QuotedText(name),
        ": shared memory is not served; send the values themselves"));
  }
  return absl::InvalidArgumentError(
      absl::StrCat(where, ": unknown parameter ", QuotedText(name)));
}

absl::Status CheckCount(const InferParameterMap& parameters,
                        absl::string_view where) {
  if (parameters.size() <= kMaxParameters) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(where, ": expected at most ", kMaxParameters,
                   " parameters, got ", parameters.size()));
}

// None if `value` is no integer, or too large for one.
std::optional<int64_t> ToInteger(const InferParameter& value) {
  switch (value.parameter_choice_case()) {
    case InferParameter::kInt64Param:
      return value.int64_param();
    case InferParameter::kUint64Param:
      if (value.uint64_param() > std::numeric_limits<int64_t>::max()) break;
      return static_cast<int64_t>(value.uint64_param());
    case InferParameter::kStringParam: {
      int64_t integer = 0;
      if (!absl::SimpleAtoi(value.string_param(), &integer)) break;
      return integer;
    }
    default:
      break;
  }
  return std::nullopt;
}

std::optional<double> ToNumber(const InferParameter& value) {
  if (value.has_double_param()) return value.double_param();
  double number = 0;
  if (value.has_string_param()) {
    if (!absl::SimpleAtod(value.string_param(), &number)) return std::nullopt;
    return number;
  }
  const std::optional<int64_t> integer = ToInteger(value);
  if (!integer.has_value()) return std::nullopt;
  return static_cast<double>(*integer);
}

absl::Status ParseMethod(const InferParameter& value,
                         RequestedRouting& routing) {
  if (!value.has_string_param()) {
    return Unexpected("method", "the name of a routing method", value);
  }
  const absl::StatusOr<routing::Method> method =
      routing::ParseMethod(value.string_param());
  if (!method.ok()) {
    return Unexpected("method",
                      "ladder, nearest, uniform, sample_gate or "
                      "sample_gate_group",
                      value);
  }
  if (*method == routing::Method::kFixed) {
    return Unexpected("method", "a method that finds weights itself", value);
  }
  routing.method = *method;
  return absl::OkStatus();
}

absl::Status ParseK(const InferParameter& value, RequestedRouting& routing) {
  if (value.has_string_param() && value.string_param() == "all") {
    routing.k = routing::kAllSources;
    return absl::OkStatus();
  }
  const std::optional<int64_t> k = ToInteger(value);
  if (!k.has_value() || *k < 1) {
    return Unexpected("k", "an integer of at least 1 or \"all\"", value);
  }
  routing.k = static_cast<size_t>(*k);
  return absl::OkStatus();
}

absl::Status ParseTau(const InferParameter& value, RequestedRouting& routing) {
  routing.tau = ToNumber(value);
  if (!routing.tau.has_value()) return Unexpected("tau", "a number", value);
  return absl::OkStatus();
}

absl::Status ParseMinSamples(const InferParameter& value,
                             RequestedRouting& routing) {
  const std::optional<int64_t> count = ToInteger(value);
  if (!count.has_value() || *count < 0) {
    return Unexpected("min_samples", "an integer of at least 0", value);
  }
  routing.min_samples = static_cast<uint64_t>(*count);
  return absl::OkStatus();
}

absl::Status ParseFallback(const InferParameter& value,
                           RequestedRouting& routing) {
  if (!value.has_string_param()) {
    return Unexpected("fallback", "the name of a fallback", value);
  }
  routing.fallback = value.string_param();
  return absl::OkStatus();
}

absl::Status ParseParameter(absl::string_view name, const InferParameter& value,
                            InferParameters& parsed) {
  if (name == "method") return ParseMethod(value, parsed.routing);
  if (name == "k") return ParseK(value, parsed.routing);
  if (name == "tau") return ParseTau(value, parsed.routing);
  if (name == "min_samples") return ParseMinSamples(value, parsed.routing);
  if (name == "fallback") return ParseFallback(value, parsed.routing);
  if (name == "group") {
    if (!value.has_string_param()) return Unexpected("group", "text", value);
    parsed.group = value.string_param();
    return absl::OkStatus();
  }
  if (IsReserved(name)) return absl::OkStatus();
  return UnknownParameter("request", name);
}

}  // namespace

std::string QuotedText(absl::string_view text) {
  return base::Quoted(text, /*max_bytes=*/64);
}

absl::StatusOr<InferParameters> ParseInferParameters(
    const InferParameterMap& parameters) {
  LADDER_RETURN_IF_ERROR(CheckCount(parameters, "request"));
  InferParameters parsed;
  for (const auto& [name, value] : parameters) {
    LADDER_RETURN_IF_ERROR(ParseParameter(name, value, parsed));
  }
  return parsed;
}

absl::StatusOr<std::optional<int64_t>> ParseClassification(
    const InferParameterMap& parameters, absl::string_view where) {
  LADDER_RETURN_IF_ERROR(CheckCount(parameters, where));
  std::optional<int64_t> count;
  for (const auto& [name, value] : parameters) {
    if (name == "binary_data") continue;  // It is for HTTP; all is binary here.
    if (name != "classification") return UnknownParameter(where, name);
    count = ToInteger(value);
    if (!count.has_value() || *count < 1) {
      return absl::InvalidArgumentError(absl::StrCat(
          where,
          ": parameter classification: expected an integer of at least "
          "1, got ",
          ValueText(value)));
    }
  }
  return count;
}

absl::Status CheckInputParameters(const InferParameterMap& parameters,
                                  absl::string_view where) {
  if (parameters.empty()) return absl::OkStatus();
  return UnknownParameter(where, parameters.begin()->first);
}

}  // namespace ladder::server
