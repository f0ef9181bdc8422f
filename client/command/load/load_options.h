#ifndef LADDER_CLIENT_COMMAND_LOAD_LOAD_OPTIONS_H_
#define LADDER_CLIENT_COMMAND_LOAD_LOAD_OPTIONS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace ladder::client {

enum class LoadProtocol {
  kLadder,     // ladder.v1.DomainRouting/PredictDomain, a group per call.
  kInference,  // inference.GRPCInferenceService/ModelInfer.
};

// "ladder" or "oip".
absl::string_view LoadProtocolName(LoadProtocol protocol);

struct LoadOptions {
  LoadProtocol protocol = LoadProtocol::kLadder;
  // May be empty for kLadder if the server has but one.
  std::string model = {};
  std::string version = {};  // Empty: the server's default.

  // What a request has.
  size_t samples = 16;
  std::string picture = {};  // The bytes of a file, for all samples; empty:
                             // random numbers.
  int64_t dynamic_size = 0;  // Takes the place of open dimensions.

  // Requests per second at random times, whether or not earlier ones have been
  // answered (open loop). 0: `concurrency` callers, each of which waits for
  // its answer (closed loop).
  double rate = 0;
  size_t concurrency = 1;
  // The open loop's limit. What is due beyond it is sent later, and its latency
  // counts from when it was due.
  size_t max_in_flight = 1024;

  // When it ends: after so much time beyond the warm-up or, if not 0, after so
  // many requests.
  absl::Duration duration = absl::Seconds(10);
  uint64_t requests = 0;
  absl::Duration warm_up = absl::Seconds(1);  // Its requests do not count.

  absl::Duration timeout = absl::Seconds(30);  // For one request.
  uint64_t seed = 1;  // Decides arrival times and samples.
  // Sent with every call, such as {"authorization", "Bearer ..."}.
  std::vector<std::pair<std::string, std::string>> metadata = {};

  // InvalidArgument, naming the option and its value.
  absl::Status Validate() const;
};

}  // namespace ladder::client

#endif  // LADDER_CLIENT_COMMAND_LOAD_LOAD_OPTIONS_H_
