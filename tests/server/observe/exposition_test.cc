#include "tests/server/observe/exposition.h"

#include "gtest/gtest.h"

namespace ladder::server {
namespace {

constexpr absl::string_view kHead = "# HELP a h\n# TYPE a gauge\n";

bool Parses(absl::string_view samples) {
  return ParseExposition(std::string(kHead) + std::string(samples)).ok();
}

TEST(ExpositionTest, ReadsEscapedLabels) {
  const auto exposition = ParseExposition(
      std::string(kHead) + "a{x=\"q\\\"b\\\\n\\n\",y=\"\"} 1.5\n");

  ASSERT_TRUE(exposition.ok()) << exposition.status();
  EXPECT_EQ(exposition->Find("a", {{"x", "q\"b\\n\n"}, {"y", ""}}), 1.5);
}

TEST(ExpositionTest, RejectsWhatIsNotTheFormat) {
  EXPECT_TRUE(Parses("a 1\n"));
  EXPECT_FALSE(Parses("a 1"));
  EXPECT_FALSE(Parses("b 1\n"));
  EXPECT_FALSE(Parses("a 1\na 2\n"));
  EXPECT_FALSE(Parses("a one\n"));
  EXPECT_FALSE(Parses("a{x=\"1\n\"} 1\n"));
  EXPECT_FALSE(Parses("a{x=\"\"\"} 1\n"));
  EXPECT_FALSE(Parses("a{x=\"\\q\"} 1\n"));
  EXPECT_FALSE(Parses("a{x=\"\xff\"} 1\n"));
  EXPECT_FALSE(Parses("a{x=\"\x01\"} 1\n"));
  EXPECT_FALSE(Parses("a{x=\"1\",x=\"2\"} 1\n"));
  EXPECT_FALSE(Parses("# HELP a h\n# TYPE a gauge\n"));
}

TEST(ExpositionTest, RejectsIncompleteHistograms) {
  const std::string head = "# HELP h x\n# TYPE h histogram\n";
  const std::string sums = "h_sum 1\nh_count 2\n";

  EXPECT_TRUE(ParseExposition(head + sums +
                              "h_bucket{le=\"1\"} 1\nh_bucket{le=\"+Inf\"} 2\n")
                  .ok());
  EXPECT_FALSE(ParseExposition(head + sums + "h_bucket{le=\"1\"} 2\n").ok());
  EXPECT_FALSE(
      ParseExposition(head + sums +
                      "h_bucket{le=\"1\"} 3\nh_bucket{le=\"+Inf\"} 2\n")
          .ok());
  EXPECT_FALSE(
      ParseExposition(head + "h_sum 1\nh_bucket{le=\"+Inf\"} 2\n").ok());
}

}  // namespace
}  // namespace ladder::server
