#include "absl/status/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "server/observe/http_endpoint.h"
#include "server/observe/server_metrics.h"

namespace ladder::server {
namespace {

using ::testing::HasSubstr;

absl::Status Ok() { return absl::OkStatus(); }
absl::Status NotReady() {
  return absl::UnavailableError("model \"x\": loading\r\nsince a while");
}

TEST(HttpPagesTest, AnswersProbesAtBothNames) {
  const HttpPages pages = {.live = Ok, .ready = NotReady};

  for (const char* path : {"/v2/health/live", "/livez"}) {
    const HttpReply reply = AnswerHttp(pages, "GET", path);
    EXPECT_EQ(reply.status, 200);
    EXPECT_EQ(reply.body, "ok\n");
  }
  for (const char* path : {"/v2/health/ready", "/readyz"}) {
    const HttpReply reply = AnswerHttp(pages, "GET", path);
    EXPECT_EQ(reply.status, 503);
    EXPECT_EQ(reply.body, "model \"x\": loading  since a while\n");
  }
}

TEST(HttpPagesTest, ShowsMetrics) {
  MetricFamilies metrics = {MakeFamily("ladder_waiting_samples",
                                       "Samples that wait.",
                                       prometheus::MetricType::Gauge, 12.0)};
  Append(LogMetrics(3), metrics);

  const HttpReply reply =
      AnswerHttp({.metrics = [&] { return metrics; }}, "GET", "/metrics");

  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(reply.content_type, "text/plain; version=0.0.4; charset=utf-8");
  EXPECT_THAT(reply.body, HasSubstr("\nladder_waiting_samples 12\n"));
  EXPECT_THAT(reply.body, HasSubstr("\nladder_log_lines_dropped_total 3\n"));
}

TEST(HttpPagesTest, DoesNotFindWhatIsNotServedHere) {
  const HttpPages live = {.live = Ok};

  EXPECT_EQ(AnswerHttp(live, "GET", "/livez").status, 200);
  for (const char* path :
       {"/readyz", "/v2/health/ready", "/metrics", "/", "", "/livez/",
        "/livezz", "/LIVEZ", "/v2/health", "/../etc/passwd"}) {
    EXPECT_EQ(AnswerHttp(live, "GET", path).status, 404) << path;
  }
  EXPECT_EQ(AnswerHttp({.ready = Ok}, "GET", "/livez").status, 404);
}

TEST(HttpPagesTest, TakesGetAndHeadOnly) {
  const HttpPages pages = {.live = Ok};

  EXPECT_EQ(AnswerHttp(pages, "HEAD", "/livez").status, 200);
  for (const char* method : {"POST", "PUT", "DELETE", "OPTIONS", "get", ""}) {
    EXPECT_EQ(AnswerHttp(pages, method, "/livez").status, 405) << method;
    EXPECT_EQ(AnswerHttp(pages, method, "/none").status, 405) << method;
  }
}

}  // namespace
}  // namespace ladder::server
