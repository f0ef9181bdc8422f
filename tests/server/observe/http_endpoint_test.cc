#include "server/observe/http_endpoint.h"

#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "server/observe/metric_series.h"
#include "server/observe/serving_metrics.h"
#include "tests/server/observe/exposition.h"
#include "tests/server/observe/http_client.h"
#include "tests/server/observe/reports.h"

namespace ladder::server {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Ne;
using ::testing::Not;
using ::testing::StartsWith;

absl::Status Ok() { return absl::OkStatus(); }
absl::Status NotReady() { return absl::UnavailableError("draining"); }

HttpEndpointOptions Loopback() {
  return {.host = "127.0.0.1", .request_timeout = absl::Seconds(30)};
}

std::unique_ptr<HttpEndpoint> StartEndpoint(const HttpEndpointOptions& options,
                                            HttpPages pages) {
  auto endpoint = HttpEndpoint::Start(options, std::move(pages));
  EXPECT_TRUE(endpoint.ok()) << endpoint.status();
  return *std::move(endpoint);
}

TEST(HttpEndpointTest, AnswersProbes) {
  const auto endpoint =
      StartEndpoint(Loopback(), {.live = Ok, .ready = NotReady});

  const std::string live = Request(endpoint->port(), "GET", "/v2/health/live");
  const std::string ready = Request(endpoint->port(), "GET", "/readyz");

  EXPECT_THAT(live, StartsWith("HTTP/1.1 200 OK\r\n"));
  EXPECT_THAT(live, HasSubstr("\r\nContent-Length: 3\r\n"));
  EXPECT_THAT(live, EndsWith("\r\n\r\nok\n"));
  EXPECT_THAT(ready, StartsWith("HTTP/1.1 503 Service Unavailable\r\n"));
  EXPECT_THAT(ready, EndsWith("\r\n\r\ndraining\n"));
}

TEST(HttpEndpointTest, ShowsMetricsThatCanBeParsed) {
  ServingMetrics metrics({.rpcs = {"PredictDomain"}});
  for (int i = 0; i < 50; ++i) {
    metrics.OnGroup(RoutedReport(absl::StrCat("\"lake\" ", i, "\n")));
  }
  const auto endpoint =
      StartEndpoint(Loopback(), {.metrics = [&] { return metrics.Collect(); }});

  const std::string reply = Request(endpoint->port(), "GET", "/metrics");

  EXPECT_THAT(reply, StartsWith("HTTP/1.1 200 OK\r\n"));
  const size_t body = reply.find("\r\n\r\n") + 4;
  EXPECT_THAT(reply, HasSubstr(absl::StrCat(
                         "\r\nContent-Length: ", reply.size() - body, "\r\n")));
  const auto exposition = ParseExposition(reply.substr(body));
  ASSERT_TRUE(exposition.ok()) << exposition.status();
  EXPECT_EQ(exposition->Find("ladder_routed_groups_total",
                             {{"model", "cameras"}, {"version", "3"}}),
            50);
}

TEST(HttpEndpointTest, HeadHasNoBody) {
  const auto endpoint = StartEndpoint(Loopback(), {.live = Ok});

  const std::string reply = Request(endpoint->port(), "HEAD", "/livez");

  EXPECT_THAT(reply, StartsWith("HTTP/1.1 200 OK\r\n"));
  EXPECT_THAT(reply, HasSubstr("\r\nContent-Length: 3\r\n"));
  EXPECT_THAT(reply, EndsWith("\r\n\r\n"));
}

TEST(HttpEndpointTest, RefusesOtherMethodsAndPages) {
  const auto endpoint = StartEndpoint(Loopback(), {.live = Ok});

  for (const char* method : {"POST", "PUT", "DELETE", "PATCH", "OPTIONS"}) {
    const std::string reply =
        Request(endpoint->port(), method, "/livez", "Content-Length: 0\r\n");
    EXPECT_THAT(reply, StartsWith("HTTP/1.1 405 ")) << method;
    EXPECT_THAT(reply, HasSubstr("\r\nAllow: GET, HEAD\r\n")) << method;
  }
  for (const char* path :
       {"/", "/metrics", "/livez/more", "/%2e%2e/%2e%2e/etc/passwd",
        "/../../etc/passwd", "/livez%00"}) {
    EXPECT_THAT(Request(endpoint->port(), "GET", path),
                Not(StartsWith("HTTP/1.1 200")))
        << path;
  }
  EXPECT_THAT(Request(endpoint->port(), "GET", "/livez?verbose=1"),
              StartsWith("HTTP/1.1 200 "));
}

TEST(HttpEndpointTest, ClosesConnectionsThatWouldBeKept) {
  const auto endpoint = StartEndpoint(Loopback(), {.live = Ok});

  // Reads to the end of the connection, which therefore comes.
  const std::string reply =
      Request(endpoint->port(), "GET", "/livez", "Connection: keep-alive\r\n");

  EXPECT_THAT(reply, HasSubstr("\r\nConnection: close\r\n"));
  EXPECT_THAT(reply, EndsWith("ok\n"));
}

TEST(HttpEndpointTest, SurvivesNonsense) {
  const auto endpoint = StartEndpoint(Loopback(), {.live = Ok});

  for (const std::string& bytes :
       {std::string("\r\n\r\n"), std::string("GET\r\n\r\n"),
        std::string("\x16\x03\x01\x02\x00\x01\r\n\r\n", 10),
        std::string("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
        "GET /" + std::string(100'000, 'x') + " HTTP/1.1\r\n\r\n",
        "GET /livez HTTP/1.1\r\nX: " + std::string(100'000, 'x') +
            "\r\n\r\n"}) {
    HttpClient client(endpoint->port());
    client.Send(bytes);
    EXPECT_THAT(client.ReadAll(), Not(HasSubstr(" 200 ")));
  }

  EXPECT_THAT(Request(endpoint->port(), "GET", "/livez"), EndsWith("ok\n"));
}

TEST(HttpEndpointTest, ClientsThatSendNothingDoNotBlockOthersForEver) {
  HttpEndpointOptions options = Loopback();
  options.num_threads = 2;
  options.request_timeout = absl::Milliseconds(50);
  const auto endpoint = StartEndpoint(options, {.live = Ok});
  std::vector<std::unique_ptr<HttpClient>> idle;
  for (int i = 0; i < 8; ++i) {
    idle.push_back(std::make_unique<HttpClient>(endpoint->port()));
    ASSERT_TRUE(idle.back()->connected());
    if (i % 2 == 0) idle.back()->Send("GET /livez HTTP/1.1\r\nHost:");
  }

  EXPECT_THAT(Request(endpoint->port(), "GET", "/livez"), EndsWith("ok\n"));
}

TEST(HttpEndpointTest, ClientsThatSendSlowlyAreCutOff) {
  HttpEndpointOptions options = Loopback();
  options.num_threads = 1;
  options.request_timeout = absl::Milliseconds(50);
  const auto endpoint = StartEndpoint(options, {.live = Ok});

  // One byte after the other, until the endpoint has had enough.
  HttpClient slow(endpoint->port());
  slow.Send("GET /livez HTTP/1.1\r\nX: ");
  while (!slow.HasReply(/*within_ms=*/10)) slow.Send("x");

  EXPECT_THAT(Request(endpoint->port(), "GET", "/livez"), EndsWith("ok\n"));
}

TEST(HttpEndpointTest, ClientsThatTakeNothingInAreCutOff) {
  HttpEndpointOptions options = Loopback();
  options.num_threads = 1;
  options.request_timeout = absl::Milliseconds(50);
  // More than the sockets between them hold.
  const MetricFamilies huge = {MakeFamily("ladder_huge",
                                          std::string(32 << 20, 'x'),
                                          prometheus::MetricType::Gauge, 1.0)};
  const auto endpoint =
      StartEndpoint(options, {.metrics = [&] { return huge; }, .live = Ok});

  HttpClient deaf(endpoint->port());
  deaf.Send("GET /metrics HTTP/1.1\r\nHost: here\r\n\r\n");

  EXPECT_THAT(Request(endpoint->port(), "GET", "/livez"), EndsWith("ok\n"));
}

TEST(HttpEndpointTest, ManyClientsAtOnceAreAllAnswered) {
  ServingMetrics metrics({});
  const auto endpoint = StartEndpoint(
      Loopback(), {.metrics = [&] { return metrics.Collect(); }, .live = Ok});
  std::vector<std::string> replies(40);
  std::vector<std::thread> clients;
  for (size_t i = 0; i < replies.size(); ++i) {
    clients.emplace_back([&, i] {
      metrics.OnBatch({.model = "cameras", .num_rows = i});
      replies[i] =
          Request(endpoint->port(), "GET", i % 2 == 0 ? "/metrics" : "/livez");
    });
  }
  for (std::thread& client : clients) client.join();

  for (const std::string& reply : replies) {
    EXPECT_THAT(reply, StartsWith("HTTP/1.1 200 "));
  }
}

TEST(HttpEndpointTest, TwoEndpointsServeDifferentPages) {
  ServingMetrics metrics({});
  const auto probes = StartEndpoint(Loopback(), {.live = Ok});
  const auto numbers =
      StartEndpoint(Loopback(), {.metrics = [&] { return metrics.Collect(); }});

  EXPECT_THAT(probes->port(), Ne(numbers->port()));
  EXPECT_THAT(Request(probes->port(), "GET", "/livez"),
              StartsWith("HTTP/1.1 200 "));
  EXPECT_THAT(Request(probes->port(), "GET", "/metrics"),
              StartsWith("HTTP/1.1 404 "));
  EXPECT_THAT(Request(numbers->port(), "GET", "/metrics"),
              StartsWith("HTTP/1.1 200 "));
  EXPECT_THAT(Request(numbers->port(), "GET", "/livez"),
              StartsWith("HTTP/1.1 404 "));
}

TEST(HttpEndpointTest, ListensAtAllAddresses) {
  const auto endpoint = StartEndpoint({.host = "0.0.0.0"}, {.live = Ok});

  EXPECT_THAT(Request(endpoint->port(), "GET", "/livez"), EndsWith("ok\n"));
}

TEST(HttpEndpointTest, SaysWhyItCannotListen) {
  const auto first = StartEndpoint(Loopback(), {.live = Ok});
  HttpEndpointOptions options = Loopback();
  options.port = first->port();

  const auto second = HttpEndpoint::Start(options, {.live = Ok});

  EXPECT_EQ(second.status().code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(second.status().message()),
              HasSubstr(absl::StrCat("127.0.0.1:", options.port)));
  EXPECT_THAT(std::string(second.status().message()),
              HasSubstr("Address already in use"));
}

TEST(HttpEndpointTest, RejectsOptionsOutOfRange) {
  const auto message = [](HttpEndpointOptions options) {
    return std::string(HttpEndpoint::Start(options, {}).status().message());
  };

  EXPECT_EQ(message({.host = "127.0.0.1:80,0.0.0.0"}),
            "host: expected an address, got \"127.0.0.1:80,0.0.0.0\"");
  EXPECT_EQ(message({.host = ""}), "host: expected an address, got \"\"");
  EXPECT_EQ(message({.port = 65536}), "port: expected 0 to 65535, got 65536");
  EXPECT_EQ(message({.num_threads = 0}),
            "num_threads: expected 1 to 64, got 0");
  EXPECT_EQ(message({.request_timeout = absl::ZeroDuration()}),
            "request_timeout: expected 1ms to 1h, got 0");
}

}  // namespace
}  // namespace ladder::server
