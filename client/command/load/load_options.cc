#include "client/command/load/load_options.h"

#include <cmath>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace ladder::client {
namespace {

template <typename Value>
absl::Status ExpectedOption(absl::string_view option, absl::string_view what,
                            const Value& got) {
  return absl::InvalidArgumentError(
      absl::StrCat(option, ": expected ", what, ", got ", got));
}

}  // namespace

absl::string_view LoadProtocolName(LoadProtocol protocol) {
  return protocol == LoadProtocol::kLadder ? "ladder" : "oip";
}

absl::Status LoadOptions::Validate() const {
  if (protocol == LoadProtocol::kInference && model.empty()) {
    return ExpectedOption("model", "a name, which the protocol oip needs",
                          "none");
  }
  uint64_t number = 0;
  if (protocol == LoadProtocol::kLadder && !version.empty() &&
      !absl::SimpleAtoi(version, &number)) {
    return ExpectedOption("version", "a number", version);
  }
  if (samples == 0) return ExpectedOption("samples", "1 or more", samples);
  if (dynamic_size < 0) {
    return ExpectedOption("dynamic size", "1 or more", dynamic_size);
  }
  if (!std::isfinite(rate) || rate < 0) {
    return ExpectedOption("rate", "requests per second", rate);
  }
  if (concurrency == 0) {
    return ExpectedOption("concurrency", "1 or more", concurrency);
  }
  if (max_in_flight == 0) {
    return ExpectedOption("max in flight", "1 or more", max_in_flight);
  }
  if (requests == 0 && duration <= absl::ZeroDuration()) {
    return ExpectedOption("duration", "more than 0 s, or a number of requests",
                          absl::FormatDuration(duration));
  }
  if (warm_up < absl::ZeroDuration()) {
    return ExpectedOption("warm-up", "0 s or more",
                          absl::FormatDuration(warm_up));
  }
  if (timeout <= absl::ZeroDuration()) {
    return ExpectedOption("timeout", "more than 0 s",
                          absl::FormatDuration(timeout));
  }
  return absl::OkStatus();
}

}  // namespace ladder::client
