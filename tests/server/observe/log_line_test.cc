#include <limits>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "server/observe/log.h"

namespace ladder::server {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

const absl::Time kTime = absl::FromUnixMicros(1'700'000'000'123'456);

std::string Format(LogFormat format, absl::Span<const LogField> fields) {
  return FormatLogLine(format, kTime, LogLevel::kWarn, "it happened", fields);
}

// Strings of users who try to forge lines, or to write to the terminal.
const std::vector<std::string>& Attacks() {
  static const auto& attacks = *new std::vector<std::string>{
      "two\nlines", "two\r\nlines", "\"} {\"level\":\"error\"",
      "a b=c",      "back\\slash",  std::string("nul\0byte", 8),
      "\x1b[2J",    "\x7f",         "\xc2\x85next\xe2\x80\xa8line",
      "\xff\xfe",   "cut \xe2\x82"};
  return attacks;
}

bool IsPrintable(const std::string& line) {
  for (const char c : line) {
    if (!absl::ascii_isprint(static_cast<unsigned char>(c))) return false;
  }
  return true;
}

TEST(LogLineTest, WritesJson) {
  const auto line = nlohmann::json::parse(Format(
      LogFormat::kJson, {{"text", "a \"b\""},
                         {"port", 8001},
                         {"big", ~uint64_t{0}},
                         {"ratio", 0.25},
                         {"ok", true},
                         {"weights", NamedNumbers{{"b", 0.5}, {"a", 1}}}}));

  EXPECT_EQ(line["time"], "2023-11-14T22:13:20.123456Z");
  EXPECT_EQ(line["level"], "warn");
  EXPECT_EQ(line["message"], "it happened");
  EXPECT_EQ(line["text"], "a \"b\"");
  EXPECT_EQ(line["port"], 8001);
  EXPECT_EQ(line["big"], ~uint64_t{0});
  EXPECT_EQ(line["ratio"], 0.25);
  EXPECT_EQ(line["ok"], true);
  EXPECT_EQ(line["weights"], (nlohmann::json{{"a", 1.0}, {"b", 0.5}}));
}

TEST(LogLineTest, WritesText) {
  EXPECT_EQ(Format(LogFormat::kText, {{"host", "0.0.0.0:8001"},
                                      {"group", "Lake 7"},
                                      {"empty", ""},
                                      {"n", -3},
                                      {"ratio", 0.25},
                                      {"ok", false},
                                      {"weights", NamedNumbers{{"b", 0.5}}}}),
            "2023-11-14T22:13:20.123456Z WARN it happened host=0.0.0.0:8001 "
            "group=\"Lake 7\" empty=\"\" n=-3 ratio=0.25 ok=false "
            "weights={\"b\":0.5}");
}

TEST(LogLineTest, NumbersThatAreNoneAreNull) {
  const LogField field("x", std::numeric_limits<double>::quiet_NaN());

  EXPECT_EQ(nlohmann::json::parse(Format(LogFormat::kJson, {field}))["x"],
            nullptr);
  EXPECT_THAT(Format(LogFormat::kText, {field}), HasSubstr(" x=null"));
}

TEST(LogLineTest, NoStringBreaksALineOrReachesTheTerminal) {
  for (const std::string& attack : Attacks()) {
    const std::vector<LogField> fields = {
        {"group", attack}, {"weights", NamedNumbers{{attack, 1}}}};
    for (const LogFormat format : {LogFormat::kText, LogFormat::kJson}) {
      EXPECT_TRUE(IsPrintable(
          FormatLogLine(format, kTime, LogLevel::kInfo, attack, fields)))
          << attack;
    }
  }
}

TEST(LogLineTest, JsonGivesStringsBack) {
  for (const std::string attack : {"two\nlines", "\"} {\"", "S\xC3\xA9r\x1b"}) {
    const auto line =
        nlohmann::json::parse(Format(LogFormat::kJson, {{"group", attack}}));

    EXPECT_EQ(line["group"], attack);
    EXPECT_THAT(line, SizeIs(4));
  }
}

TEST(LogLineTest, TextQuotesWhatCouldBeTakenForAnotherField) {
  EXPECT_THAT(Format(LogFormat::kText, {{"group", "a code=OK"}}),
              HasSubstr(" group=\"a code=OK\""));
  EXPECT_THAT(Format(LogFormat::kText, {{"group", "a\" code=OK"}}),
              HasSubstr(" group=\"a\\\" code=OK\""));
  EXPECT_THAT(Format(LogFormat::kText, {{"group", "a\n2023 ERROR"}}),
              HasSubstr(" group=\"a\\n2023 ERROR\""));
}

TEST(LogLineTest, CutsLongStrings) {
  const std::string huge(1 << 20, 'x');

  for (const LogFormat format : {LogFormat::kText, LogFormat::kJson}) {
    const std::string line = Format(format, {{"group", huge}});
    EXPECT_LT(line.size(), 700u);
    EXPECT_THAT(line, HasSubstr(std::string(kMaxLogString, 'x') + "..."));
  }
}

}  // namespace
}  // namespace ladder::server
