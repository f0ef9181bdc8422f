#ifndef LADDER_SERVER_OBSERVE_HTTP_ENDPOINT_H_
#define LADDER_SERVER_OBSERVE_HTTP_ENDPOINT_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "server/observe/http_pages.h"

namespace ladder::server {

struct HttpEndpointOptions {
  std::string host = "0.0.0.0";  // An address to listen at; IPv6 as well.
  int port = 0;                  // 0: a free one.
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
