#include "client/command/output/routing_rows.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "tests/client/command/output/answers.h"

namespace ladder::client {
namespace {

using ::testing::HasSubstr;
using Json = nlohmann::json;

v1::Routing FullRouting() {
  v1::Routing routing = SmallRouting();
  routing.set_has_distances(true);
  routing.mutable_sources(0)->set_weight(0.75);
  routing.mutable_sources(0)->set_distance(0.125);
  routing.mutable_sources(1)->set_weight(0.25);
  routing.mutable_sources(1)->set_distance(2.5);
  routing.mutable_coverage()->set_verdict(v1::Coverage::EDGE);
  routing.mutable_coverage()->set_nearest_distance(0.125);
  routing.mutable_stability()->set_mean_total_variation(0.0625);
  routing.mutable_fallback()->set_fallback(v1::FALLBACK_SAMPLE_GATE_GROUP);
  routing.mutable_fallback()->set_reason(v1::AppliedFallback::OUT_OF_COVERAGE);
  return routing;
}

TEST(RoutingRowsTest, CsvHasWeightsAndDistancesBySource) {
  const RoutingRows rows(SmallOptions("unused"));
  std::string text = rows.Header();

  ASSERT_TRUE(rows.Append({.name = "a,b",
                           .num_samples = 12,
                           .num_rejected = 5,
                           .elapsed = absl::Milliseconds(1500)},
                          FullRouting(), text)
                  .ok());

  EXPECT_EQ(text,
            "group,n,rejected,model,version,method,coverage,nearest_distance,"
            "effective_experts,stability,fallback,fallback_reason,w_north,"
            "w_south,d_north,d_south,seconds\n"
            "\"a,b\",12,5,m,3,ladder,EDGE,0.125,1.5,0.0625,sample_gate_group,"
            "out_of_coverage,0.75,0.25,0.125,2.5,1.5\n");
}

TEST(RoutingRowsTest, LeavesEmptyWhatTheServerDidNotSay) {
  const RoutingRows rows(SmallOptions("unused"));
  std::string text;

  ASSERT_TRUE(
      rows.Append({.name = "g", .num_samples = 1}, SmallRouting(), text).ok());

  EXPECT_EQ(text, "g,1,0,m,3,ladder,UNKNOWN,,1.5,,,,0.5,0.5,,,0\n");
}

TEST(RoutingRowsTest, JsonLinesHaveObjects) {
  OutputFileOptions options = SmallOptions("unused");
  options.format = OutputFormat::kJsonLines;
  const RoutingRows rows(options);
  std::string full;
  std::string sparse;

  const RoutedGroup group = {
      .name = "g", .num_samples = 12, .elapsed = absl::Seconds(2)};

  ASSERT_TRUE(rows.Append(group, FullRouting(), full).ok());
  ASSERT_TRUE(rows.Append(group, SmallRouting(), sparse).ok());

  EXPECT_EQ(rows.Header(), "");
  EXPECT_EQ(Json::parse(full),
            Json({{"group", "g"},
                  {"n", 12},
                  {"rejected", 0},
                  {"model", "m"},
                  {"version", 3},
                  {"method", "ladder"},
                  {"coverage", "EDGE"},
                  {"nearest_distance", 0.125},
                  {"effective_experts", 1.5},
                  {"stability", 0.0625},
                  {"fallback", "sample_gate_group"},
                  {"fallback_reason", "out_of_coverage"},
                  {"weights", {{"north", 0.75}, {"south", 0.25}}},
                  {"distances", {{"north", 0.125}, {"south", 2.5}}},
                  {"seconds", 2}}));
  EXPECT_TRUE(Json::parse(sparse)["distances"].is_null());
  EXPECT_TRUE(Json::parse(sparse)["fallback"].is_null());
}

TEST(RoutingRowsTest, ASourceCannotSteerATerminal) {
  OutputFileOptions options = SmallOptions("unused");
  options.sources = {"north\x1B[2J"};

  EXPECT_THAT(RoutingRows(options).Header(), HasSubstr("w_north\\x1B[2J,"));
}

TEST(RoutingRowsTest, RefusesOtherSourcesThanTheColumns) {
  const RoutingRows rows(SmallOptions("unused"));
  v1::Routing renamed = SmallRouting();
  renamed.mutable_sources(1)->set_source("west");
  v1::Routing more = SmallRouting();
  more.add_sources()->set_source("west");
  std::string text;

  for (const v1::Routing& routing : {renamed, more}) {
    const absl::Status status = rows.Append({.name = "g"}, routing, text);
    EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
    EXPECT_THAT(std::string(status.message()), HasSubstr("been replaced"));
  }
  EXPECT_EQ(text, "");
}

}  // namespace
}  // namespace ladder::client
