#include "client/command/watch/exposition.h"

#include <cmath>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ladder::client {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::SizeIs;

TEST(ExpositionTest, ReadsSamplesWithAndWithoutLabels) {
  const auto metrics = Exposition::Parse(
      "# HELP depth Samples that wait.\n"
      "# TYPE depth gauge\n"
      "depth 12\n"
      "\n"
      "requests{rpc=\"Get\",code=\"OK\"} 3 1700000000000\n"
      "requests { rpc = \"Get\" , code = \"NOT_FOUND\" , } 1e3\n");

  ASSERT_TRUE(metrics.ok()) << metrics.status();
  EXPECT_EQ(metrics->Value("depth"), 12);
  EXPECT_EQ(metrics->Value("requests", {{"code", "OK"}, {"rpc", "Get"}}), 3);
  const auto& requests = metrics->Samples("requests");
  ASSERT_THAT(requests, SizeIs(2));
  EXPECT_THAT(requests[1].labels,
              ElementsAre(Pair("code", "NOT_FOUND"), Pair("rpc", "Get")));
  EXPECT_EQ(requests[1].value, 1000);
  EXPECT_EQ(requests[0].label("code"), "OK");
  EXPECT_EQ(requests[0].label("other"), "");
}

TEST(ExpositionTest, WhatIsNotThereIsNone) {
  const Exposition metrics = Exposition::Parse("a 1").value();

  EXPECT_THAT(metrics.Samples("b"), IsEmpty());
  EXPECT_THAT(metrics.Histograms("b"), IsEmpty());
  EXPECT_EQ(metrics.Value("b"), 0);
  EXPECT_EQ(metrics.Value("a", {{"with", "label"}}), 0);
}

TEST(ExpositionTest, UndoesEscapesOfLabels) {
  const Exposition metrics =
      Exposition::Parse(R"(w{g="a\"b\\n\nc{d},e=f"} 1)").value();

  EXPECT_EQ(metrics.Samples("w")[0].label("g"), "a\"b\\n\nc{d},e=f");
}

TEST(ExpositionTest, ReadsNumbersThatAreNone) {
  const Exposition metrics =
      Exposition::Parse("a +Inf\nb -Inf\nc NaN\n").value();

  EXPECT_EQ(metrics.Value("a"), INFINITY);
  EXPECT_EQ(metrics.Value("b"), -INFINITY);
  EXPECT_TRUE(std::isnan(metrics.Value("c")));
}

TEST(ExpositionTest, PutsHistogramsTogether) {
  const Exposition metrics = Exposition::Parse(
                                 "t_bucket{rpc=\"a\",le=\"+Inf\"} 4\n"
                                 "t_bucket{rpc=\"a\",le=\"0.5\"} 1\n"
                                 "t_bucket{rpc=\"b\",le=\"+Inf\"} 0\n"
                                 "t_sum{rpc=\"a\"} 2.5\n"
                                 "t_count{rpc=\"a\"} 4\n")
                                 .value();

  const std::vector<MetricHistogram> histograms = metrics.Histograms("t");

  ASSERT_THAT(histograms, SizeIs(2));
  EXPECT_THAT(histograms[0].labels, ElementsAre(Pair("rpc", "a")));
  EXPECT_EQ(histograms[0].sum, 2.5);
  EXPECT_EQ(histograms[0].count, 4);
  ASSERT_THAT(histograms[0].buckets, SizeIs(2));
  EXPECT_EQ(histograms[0].buckets[0].upper_bound, 0.5);
  EXPECT_EQ(histograms[0].buckets[0].count, 1);
  EXPECT_EQ(histograms[0].buckets[1].upper_bound, INFINITY);
  EXPECT_EQ(histograms[0].buckets[1].count, 4);
}

TEST(ExpositionTest, ErrorsNameTheLineAndWhatWasExpected) {
  const auto message = [](absl::string_view text) {
    return std::string(Exposition::Parse(text).status().message());
  };
  EXPECT_EQ(message("a 1\n<html>\n"),
            "line 2: expected a metric's name, got \"<html>\"");
  EXPECT_EQ(message("a x"), "line 1: expected a number, got \"x\"");
  EXPECT_EQ(message("a"), "line 1: expected a number, got \"\"");
  EXPECT_EQ(message("a 1 x"), "line 1: expected a time stamp, got \"x\"");
  EXPECT_THAT(message("a{b} 1"), HasSubstr("expected a label such as"));
  EXPECT_THAT(message("a{b=\"c} 1"), HasSubstr("a label's value in quotes"));
  EXPECT_THAT(message("a{b=\"c\\"), HasSubstr("a label's value in quotes"));
  EXPECT_THAT(message("a{b=\"\\q\"} 1"),
              HasSubstr("a label's value in quotes"));
  EXPECT_THAT(message("a{b=\"c\",b=\"d\"} 1"),
              HasSubstr("expected every label once, got \"b\""));
  EXPECT_THAT(message("a{b=\"c\" d=\"e\"} 1"),
              HasSubstr("expected ',' or '}'"));
}

}  // namespace
}  // namespace ladder::client
