#ifndef LADDER_SERVER_OBSERVE_HTTP_PAGES_H_
#define LADDER_SERVER_OBSERVE_HTTP_PAGES_H_

#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "prometheus/collectable.h"

namespace ladder::server {

// Which pages an HttpEndpoint has; what is empty is not found there.
struct HttpPages {
  // For /metrics. They must outlive the endpoint.
  std::vector<const prometheus::Collectable*> metrics = {};
  // For /v2/health/live and /livez, /v2/health/ready and /readyz. Called by
  // many threads.
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

}  // namespace ladder::server

#endif  // LADDER_SERVER_OBSERVE_HTTP_PAGES_H_
