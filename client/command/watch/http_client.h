#ifndef LADDER_CLIENT_COMMAND_WATCH_HTTP_CLIENT_H_
#define LADDER_CLIENT_COMMAND_WATCH_HTTP_CLIENT_H_

#include <memory>
#include <stop_token>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace ladder::client {

// Gets pages by plain HTTP, without proxies: what it is for, a metrics port,
// belongs to an inner network. One caller at a time.
class HttpClient {
 public:
  // Each Get has ended after `timeout`.
  explicit HttpClient(absl::Duration timeout);

  // The body of `url`, which begins with "http://". Errors name the URL:
  // InvalidArgument for one that is none, Unavailable if nobody answers,
  // DeadlineExceeded, Cancelled if `stop` is requested, NotFound and
  // FailedPrecondition for other answers than 200, ResourceExhausted for more
  // than 64 MiB.
  absl::StatusOr<std::string> Get(const std::string& url, std::stop_token stop);

 private:
  const absl::Duration timeout_;
  // Keeps the connection from one call to the next.
  const std::unique_ptr<void, void (*)(void*)> handle_;
};

// "http://HOST:8002/metrics" of "HOST", "HOST:PORT" or a whole URL.
// InvalidArgument for anything else.
absl::StatusOr<std::string> MetricsUrl(absl::string_view address);

}  // namespace ladder::client

#endif  // LADDER_CLIENT_COMMAND_WATCH_HTTP_CLIENT_H_
