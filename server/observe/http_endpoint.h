#ifndef LADDER_SERVER_OBSERVE_HTTP_ENDPOINT_H_
#define LADDER_SERVER_OBSERVE_HTTP_ENDPOINT_H_

#include <functional>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "server/observe/metric_series.h"

namespace ladder::server {

// The pages of an HttpEndpoint. One that is empty is not found there.
struct HttpPages {
  // /metrics shows the first; /v2/health/live and /livez answer by the second,
  // /v2/health/ready and /readyz by the third. Many threads call these.
  std::function<MetricFamilies()> metrics = {};
  std::function<absl::Status()> live = {};
  std::function<absl::Status()> ready = {};
};

struct HttpReply {
  int status = 200;
  std::string content_type = "text/plain; charset=utf-8";
  std::string body = {};
};

// 200, or 503 with the reason in one line if live or ready is not ok; 404 for
// other pages; 405 for methods other than GET and HEAD.
HttpReply AnswerHttp(const HttpPages& pages, absl::string_view method,
                     absl::string_view path);

struct HttpEndpointOptions {
  std::string host = "0.0.0.0";  // An address to listen at; IPv6 as well.
  int port = 0;                  // 0 takes a free one.
  int num_threads = 4;           // Connections that are served at once.
  // How long a client may take to send its request or to take an answer in.
  absl::Duration request_timeout = absl::Seconds(2);
};

// A small HTTP/1.1 server for probes and metrics, on threads of its own.
// Answers one request per connection and closes it, so that neither clients
// that keep connections nor those that send nothing hold a thread for longer
// than the timeout.
class HttpEndpoint {
 public:
  // Listens and answers from now on. InvalidArgument if an option is out of
  // range; Unavailable, with host, port and reason, if it cannot listen there.
  static absl::StatusOr<std::unique_ptr<HttpEndpoint>> Start(
      const HttpEndpointOptions& options, HttpPages pages);
  ~HttpEndpoint();  // Finishes requests in progress.

  int port() const;

 private:
  class Server;

  explicit HttpEndpoint(std::unique_ptr<Server> server);

  const std::unique_ptr<Server> server_;
};

}  // namespace ladder::server

#endif  // LADDER_SERVER_OBSERVE_HTTP_ENDPOINT_H_
