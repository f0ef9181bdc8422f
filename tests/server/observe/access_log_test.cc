#include <string>

#include "absl/status/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "server/observe/event_log.h"
#include "tests/server/observe/log_capture.h"
#include "tests/server/observe/reports.h"

namespace ladder::server {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;

std::string LogGroup(LogFormat format, const GroupReport& report,
                     LogLevel level = LogLevel::kInfo) {
  LogCapture capture(format, level);
  AccessLog log(capture.logger());
  log.OnGroup(report);
  return capture.Text();
}

TEST(AccessLogTest, TellsAllOfARoutedGroup) {
  const auto line = nlohmann::ordered_json::parse(
      LogGroup(LogFormat::kJson, RoutedReport("lake")));

  EXPECT_EQ(line, nlohmann::ordered_json::parse(R"({
    "time": "1970-01-01T00:00:00.000000Z",
    "level": "info",
    "message": "group",
    "request_id": "request-1",
    "trace_id": "0af7651916cd43dd8448eb211c80319c",
    "rpc": "PredictDomain",
    "model": "cameras",
    "version": 3,
    "group": "lake",
    "n": 40,
    "method": "ladder",
    "top_weights": {"south": 0.75, "north": 0.25},
    "effective_experts": 1.7548,
    "coverage": "IN",
    "nearest_distance": 0.5,
    "code": "OK",
    "duration_seconds": 0.02,
    "stage_seconds": {"encode": 0.012, "route": 0.0015}})"));
}

TEST(AccessLogTest, TellsTheThreeLargestWeights) {
  GroupReport report = RoutedReport("lake");
  report.weights.clear();
  for (const char* source : {"a", "b", "c", "d", "e"}) {
    report.weights.push_back({.source = source, .weight = 0.2});
  }
  report.weights[3].weight = 0.20004;
  report.weights[4].weight = 0.5;

  EXPECT_THAT(LogGroup(LogFormat::kText, report),
              HasSubstr(" top_weights={\"e\":0.5,\"d\":0.2,\"a\":0.2} "));
}

TEST(AccessLogTest, TellsWhichFallbackFiredAndWhy) {
  GroupReport report = RoutedReport("lake");
  report.fallback = "uniform";
  report.fallback_reason = "too_few_samples";
  report.num_rejected = 2;

  const std::string line = LogGroup(LogFormat::kText, report);

  EXPECT_THAT(line,
              HasSubstr(" fallback=uniform fallback_reason=too_few_samples "));
  EXPECT_THAT(line, HasSubstr(" rejected=2 "));
}

TEST(AccessLogTest, TellsWhyAGroupFailed) {
  GroupReport report;
  report.request_id = "r";
  report.rpc = "PredictDomain";
  report.group = "lake";
  report.status = absl::NotFoundError("model \"x\": not in the store");

  EXPECT_EQ(LogGroup(LogFormat::kText, report),
            "1970-01-01T00:00:00.000000Z INFO group request_id=r "
            "rpc=PredictDomain group=lake n=0 code=NOT_FOUND "
            "error=\"model \\\"x\\\": not in the store\" duration_seconds=0.0 "
            "stage_seconds={}\n");
}

TEST(AccessLogTest, OnlyTheServersOwnFaultsAreErrors) {
  GroupReport report = RoutedReport("lake");
  report.status = absl::InvalidArgumentError("bad shape");
  EXPECT_EQ(LogGroup(LogFormat::kText, report, LogLevel::kError), "");

  report.status = absl::InternalError("a fault");
  EXPECT_THAT(LogGroup(LogFormat::kText, report, LogLevel::kError),
              HasSubstr(" ERROR group "));
}

TEST(AccessLogTest, NamesForgeNoSecondLine) {
  GroupReport report =
      RoutedReport("lake\n1970 INFO group group=forged code=OK");
  report.request_id = "r\r\n{\"level\":\"error\"}";
  report.weights[2].source = "south\n";

  for (const LogFormat format : {LogFormat::kText, LogFormat::kJson}) {
    const std::string text = LogGroup(format, report);
    EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1) << text;
    EXPECT_EQ(std::count(text.begin(), text.end(), '\r'), 0) << text;
    EXPECT_THAT(text, EndsWith("\n"));
  }
}

}  // namespace
}  // namespace ladder::server
