#include "client/command/output/message_text.h"
#include "gtest/gtest.h"

namespace ladder::command {
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

}  // namespace
}  // namespace ladder::command
