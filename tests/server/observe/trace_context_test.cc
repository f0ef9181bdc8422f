#include "server/observe/trace_context.h"

#include <string>

#include "gtest/gtest.h"

namespace ladder::server {
namespace {

constexpr char kHeader[] =
    "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

TEST(TraceContextTest, ReadsAHeader) {
  const auto context = ParseTraceparent(kHeader);

  ASSERT_TRUE(context);
  EXPECT_EQ(*context, (TraceContext{.trace_id_high = 0x0af7651916cd43dd,
                                    .trace_id_low = 0x8448eb211c80319c,
                                    .span_id = 0xb7ad6b7169203331,
                                    .sampled = true}));
  EXPECT_EQ(TraceIdHex(*context), "0af7651916cd43dd8448eb211c80319c");
}

TEST(TraceContextTest, KeepsLeadingZeros) {
  const auto context = ParseTraceparent(
      "00-00000000000000000000000000000001-0000000000000002-00");

  ASSERT_TRUE(context);
  EXPECT_EQ(*context, (TraceContext{.trace_id_low = 1, .span_id = 2}));
  EXPECT_EQ(TraceIdHex(*context), "00000000000000000000000000000001");
}

TEST(TraceContextTest, OfTheFlagsOnlySampledIsKnown) {
  const std::string ids = "0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-";

  EXPECT_EQ(ParseTraceparent("00-" + ids + "ff"),
            ParseTraceparent("00-" + ids + "01"));
  EXPECT_EQ(ParseTraceparent("00-" + ids + "fe"),
            ParseTraceparent("00-" + ids + "00"));
}

TEST(TraceContextTest, ReadsVersionsToCome) {
  const std::string rest =
      "-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  const auto known = ParseTraceparent("00" + rest);

  EXPECT_EQ(ParseTraceparent("01" + rest), known);
  EXPECT_EQ(ParseTraceparent("fe" + rest), known);
  EXPECT_EQ(ParseTraceparent("cc" + rest + "-what-comes-then"), known);
  EXPECT_EQ(ParseTraceparent("cc" + rest + "-"), known);
  EXPECT_FALSE(ParseTraceparent("cc" + rest + ".what"));
  EXPECT_FALSE(ParseTraceparent("cc" + rest + "0"));
  EXPECT_FALSE(ParseTraceparent("00" + rest + "-what"));
  EXPECT_FALSE(ParseTraceparent("00" + rest + "-"));
  EXPECT_FALSE(ParseTraceparent("ff" + rest));
}

TEST(TraceContextTest, IgnoresWhatIsNotValid) {
  for (const char* header : {
           "",
           "00",
           "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331",
           "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-",
           "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-1",
           "00-0af7651916cd43dd8448eb211c80319-cb7ad6b7169203331-01",
           "00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01",
           "00-0af7651916cd43dd8448eb211c80319c-B7AD6B7169203331-01",
           "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-0A",
           "0A-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
           "00-00000000000000000000000000000000-b7ad6b7169203331-01",
           "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
           "00-0af7651916cd43dd8448eb211c8031xc-b7ad6b7169203331-01",
           "00_0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
           "00-0af7651916cd43dd8448eb211c80319c_b7ad6b7169203331-01",
           "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331_01",
           " 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-0",
           "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01 ",
           "00-0af7651916cd43dd8448eb211c80319c--7ad6b7169203331-01",
       }) {
    EXPECT_FALSE(ParseTraceparent(header)) << header;
  }
}

}  // namespace
}  // namespace ladder::server
