#include "client/command/output/message_text.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace ladder::client {
namespace {

TEST(RoutingNamesTest, AreTheProtocolsWithoutPrefix) {
  v1::Routing routing;
  routing.mutable_coverage()->set_verdict(v1::Coverage::OUT);

  EXPECT_EQ(MethodName(v1::METHOD_SAMPLE_GATE_GROUP), "sample_gate_group");
  EXPECT_EQ(FallbackName(v1::FALLBACK_SOFTEN), "soften");
  EXPECT_EQ(FallbackReasonName(v1::AppliedFallback::OUT_OF_COVERAGE),
            "out_of_coverage");
  EXPECT_EQ(VerdictName(routing), "OUT");
}

TEST(RoutingNamesTest, WhatANewerServerSaysHasNone) {
  EXPECT_EQ(MethodName(static_cast<v1::Method>(99)), "");
  EXPECT_EQ(FallbackName(static_cast<v1::Fallback>(99)), "");
}

TEST(StyleTest, VerdictsHaveTheColoursOfTrafficLights) {
  EXPECT_EQ(VerdictStyle("IN"), base::Style::kGood);
  EXPECT_EQ(VerdictStyle("EDGE"), base::Style::kWarning);
  EXPECT_EQ(VerdictStyle("OUT"), base::Style::kBad);
  EXPECT_EQ(VerdictStyle("UNKNOWN"), base::Style::kWarning);
}

TEST(TopWeightsTest, AreTheLargestThatAreNotZero) {
  v1::Routing routing;
  for (const double weight : {0.25, 0.0, 0.5, 0.125, 0.125}) {
    v1::SourceWeight& source = *routing.add_sources();
    source.set_source(
        std::string(1, static_cast<char>('a' + routing.sources_size() - 1)));
    source.set_weight(weight);
  }

  const std::vector<base::NamedShare> top = TopWeights(routing, 3);

  ASSERT_EQ(top.size(), 3);
  EXPECT_EQ(top[0].name, "c");
  EXPECT_EQ(top[0].share, 0.5);
  EXPECT_EQ(top[1].name, "a");
  EXPECT_EQ(top[2].name, "d");
}

}  // namespace
}  // namespace ladder::client
