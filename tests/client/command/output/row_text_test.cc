#include "client/command/output/row_text.h"

#include <limits>
#include <string>

#include "gtest/gtest.h"
#include "nlohmann/json.hpp"

namespace ladder::client {
namespace {

std::string JsonString(absl::string_view text) {
  std::string json;
  AppendJsonString(text, json);
  return json;
}

TEST(RowTextTest, EscapesStringsAndReplacesWhatIsNoText) {
  EXPECT_EQ(JsonString("a\"b\\\n"), "\"a\\\"b\\\\\\n\"");
  EXPECT_EQ(JsonString("caf\xC3\xA9"), "\"caf\xC3\xA9\"");
  EXPECT_EQ(JsonString("a\xFFz"), "\"a\xEF\xBF\xBDz\"");
  EXPECT_EQ(ReadableText("a\xFF\"z"), "a\xEF\xBF\xBD\"z");
}

TEST(RowTextTest, HasNoJsonForWhatIsNotFinite) {
  std::string text;
  AppendJsonNumber(std::numeric_limits<float>::infinity(), text);
  EXPECT_EQ(text, "null");
  text.clear();
  AppendJsonNumber(1e300, text);
  EXPECT_EQ(nlohmann::json::parse(text).get<double>(), 1e300);
}

}  // namespace
}  // namespace ladder::client
