#include "client/command/load/load_report.h"

#include "gtest/gtest.h"
#include "nlohmann/json.hpp"

namespace ladder::client {
namespace {

LoadReport SomeReport() {
  LoadReport report;
  report.target = "birds 3";
  report.succeeded = 2000;
  report.failed = 3;
  report.elapsed = absl::Seconds(4);
  for (int i = 1; i <= 200; ++i) {
    report.latency.Record(absl::Microseconds(1000));
  }
  report.errors[absl::StatusCode::kUnavailable] = {.count = 3,
                                                   .first_message = "busy\x1b"};
  report.stages.emplace_back("encode", LatencyHistogram());
  report.stages[0].second.Record(absl::Milliseconds(2));
  return report;
}

TEST(LoadReportTest, IsATableForPeople) {
  EXPECT_EQ(RenderLoadReport(SomeReport(), {.concurrency = 4}, {}),
            "model birds 3, protocol ladder, 16 samples per request, 4 callers "
            "at once (closed loop)\n"
            "\n"
            "2,000 requests succeeded, 3 failed, in 4 s\n"
            "500 requests/s, 8,000 samples/s\n"
            "\n"
            "time of           p50   p90   p95   p99  p99.9   max\n"
            "request          1 ms  1 ms  1 ms  1 ms   1 ms  1 ms\n"
            "server's encode  2 ms  2 ms  2 ms  2 ms   2 ms  2 ms\n"
            "\n"
            "error        requests  first message\n"
            "UNAVAILABLE         3  busy?\n");
}

TEST(LoadReportTest, TellsWhatWasNotSentAndWhatWasCalledOff) {
  LoadReport report;
  report.target = "birds";
  report.unsent = 1200;
  report.abandoned = 5;

  EXPECT_EQ(RenderLoadReport(report,
                             {.protocol = LoadProtocol::kInference,
                              .samples = 1,
                              .rate = 1500,
                              .max_in_flight = 64},
                             {}),
            "model birds, protocol oip, 1 sample per request, 1,500 requests/s "
            "at random times (open loop)\n"
            "\n"
            "0 requests succeeded, 0 failed, in 0 s\n"
            "0 requests/s, 0 samples/s\n"
            "1,200 more were due and not sent, since 64 had no answer\n"
            "5 were called off at the end\n");
}

TEST(LoadReportTest, IsAnObjectForMachines) {
  const auto json =
      nlohmann::json::parse(LoadReportJson(SomeReport(), {.rate = 600}));

  EXPECT_EQ(json["target"], "birds 3");
  EXPECT_EQ(json["protocol"], "ladder");
  EXPECT_EQ(json["rate"], 600);
  EXPECT_FALSE(json.contains("concurrency"));
  EXPECT_EQ(json["succeeded"], 2000);
  EXPECT_EQ(json["failed"], 3);
  EXPECT_EQ(json["requests_per_second"], 500);
  EXPECT_EQ(json["samples_per_second"], 8000);
  EXPECT_EQ(json["latency_seconds"]["max"], 0.001);
  EXPECT_EQ(json["latency_seconds"]["count"], 200);
  EXPECT_EQ(json["server_stages_seconds"]["encode"]["p99.9"], 0.002);
  EXPECT_EQ(json["errors"]["UNAVAILABLE"]["count"], 3);
}

TEST(LoadReportTest, MessagesOfAnyBytesMakeValidJson) {
  LoadReport report;
  report.errors[absl::StatusCode::kInternal] = {.count = 1,
                                                .first_message = "\xff"};

  EXPECT_TRUE(nlohmann::json::accept(LoadReportJson(report, {})));
}

}  // namespace
}  // namespace ladder::client
