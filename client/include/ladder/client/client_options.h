#ifndef LADDER_CLIENT_CLIENT_OPTIONS_H_
#define LADDER_CLIENT_CLIENT_OPTIONS_H_

#include <optional>
#include <stop_token>
#include <string>

#include "absl/time/time.h"

namespace ladder::client {

// How a client speaks TLS. All files are in PEM format.
struct TlsOptions {
  std::string ca_file = {};  // Empty: what the system trusts.
  // The client's own certificate, for servers that ask for one, and its key.
  std::string certificate_file = {};
  std::string key_file = {};
  // The name in the server's certificate, if it is not the address.
  std::string server_name = {};
};

// Calls that fail with UNAVAILABLE are made again, after a random time that
// doubles on average and is never shorter than the server asks for. So are
// those that fail with RESOURCE_EXHAUSTED where the server says when to come
// again: a limit that a group is beyond stays one. No other error is worth
// another attempt. By default a server may be away for ten seconds.
struct RetryPolicy {
  int max_attempts = 8;  // 1: none but the first.
  absl::Duration first_backoff = absl::Milliseconds(250);
  absl::Duration max_backoff = absl::Seconds(8);
};

struct ClientOptions {
  // One server or several, as gRPC names them: "host:port", "dns:///name:port"
  // or "ipv4:10.0.0.1:8001,10.0.0.2:8001". Calls take turns if there are
  // several.
  std::string address = "localhost:8001";
  std::optional<TlsOptions> tls = {};  // Plaintext without it.
  std::string token = {};              // Sent as a bearer token, if not empty.
  RetryPolicy retry = {};
};

struct CallOptions {
  // The time for the call with all its attempts: DEADLINE_EXCEEDED ends the
  // attempt that does not make it, and none is begun that could not.
  absl::Duration timeout = absl::InfiniteDuration();
  std::stop_token stop = {};  // Ends the call, and waiting, with CANCELLED.
};

}  // namespace ladder::client

#endif  // LADDER_CLIENT_CLIENT_OPTIONS_H_
