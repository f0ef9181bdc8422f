#include "server/observe/http_pages.h"

#include <iterator>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "prometheus/metric_family.h"
#include "prometheus/text_serializer.h"

namespace ladder::server {
namespace {

HttpReply ReplyHealth(const std::function<absl::Status()>& check) {
  const absl::Status status = check();
  if (status.ok()) return {.body = "ok\n"};
  const std::string reason =
      absl::StrReplaceAll(status.message(), {{"\n", " "}, {"\r", " "}});
  return {.status = 503, .body = absl::StrCat(reason, "\n")};
}

HttpReply ReplyMetrics(
    const std::vector<const prometheus::Collectable*>& collectables) {
  std::vector<prometheus::MetricFamily> all;
  for (const auto* collectable : collectables) {
    std::vector<prometheus::MetricFamily> families = collectable->Collect();
    all.insert(all.end(), std::make_move_iterator(families.begin()),
               std::make_move_iterator(families.end()));
  }
  return {.content_type = "text/plain; version=0.0.4; charset=utf-8",
          .body = prometheus::TextSerializer().Serialize(all)};
}

}  // namespace

HttpReply AnswerHttp(const HttpPages& pages, absl::string_view method,
                     absl::string_view path) {
  if (method != "GET" && method != "HEAD") {
    return {.status = 405, .body = "expected GET or HEAD\n"};
  }
  if (path == "/metrics" && !pages.metrics.empty()) {
    return ReplyMetrics(pages.metrics);
  }
  if ((path == "/v2/health/live" || path == "/livez") && pages.live) {
    return ReplyHealth(pages.live);
  }
  if ((path == "/v2/health/ready" || path == "/readyz") && pages.ready) {
    return ReplyHealth(pages.ready);
  }
  return {.status = 404, .body = "no such page\n"};
}

}  // namespace ladder::server
