#include "client/command/output/row_text.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <string>

#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "routing/counter_rng.h"

namespace ladder::client {
namespace {

std::string CsvField(absl::string_view text) {
  std::string field;
  AppendCsvField(text, field);
  return field;
}

std::string JsonString(absl::string_view text) {
  std::string json;
  AppendJsonString(text, json);
  return json;
}

TEST(RowTextTest, QuotesFieldsThatNeedIt) {
  EXPECT_EQ(CsvField(""), "");
  EXPECT_EQ(CsvField("a b'c"), "a b'c");
  EXPECT_EQ(CsvField("a,b"), "\"a,b\"");
  EXPECT_EQ(CsvField("say \"hi\""), "\"say \"\"hi\"\"\"");
  EXPECT_EQ(CsvField("a\nb"), "\"a\nb\"");
  EXPECT_EQ(CsvField("a\rb"), "\"a\rb\"");
}

TEST(RowTextTest, EscapesStringsAndReplacesWhatIsNoText) {
  EXPECT_EQ(JsonString("a\"b\\\n"), "\"a\\\"b\\\\\\n\"");
  EXPECT_EQ(JsonString("caf\xC3\xA9"), "\"caf\xC3\xA9\"");
  EXPECT_EQ(JsonString("a\xFFz"), "\"a\xEF\xBF\xBDz\"");
  EXPECT_EQ(ReadableText("a\xFF\"z"), "a\xEF\xBF\xBD\"z");
}

TEST(RowTextTest, FloatsReadBackToTheSameBits) {
  const routing::CounterRng rng(/*seed=*/5);
  for (uint64_t i = 0; i < 20000; ++i) {
    const auto number =
        std::bit_cast<float>(static_cast<uint32_t>(rng.Bits(i)));
    if (!std::isfinite(number)) continue;
    std::string text;
    AppendNumber(number, text);
    EXPECT_EQ(std::bit_cast<uint32_t>(std::strtof(text.c_str(), nullptr)),
              std::bit_cast<uint32_t>(number))
        << text;
  }
}

TEST(RowTextTest, WritesShortNumbersShort) {
  std::string text;
  AppendNumber(0.1f, text);
  EXPECT_EQ(text, "0.1");
  text.clear();
  AppendNumber(0.1, text);
  EXPECT_EQ(text, "0.1");
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
