#include "model_store/format/json_reader.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ladder::model_store {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string ParseError(absl::string_view text) {
  const auto document = JsonDocument::Parse(text, "a.json");
  EXPECT_EQ(document.status().code(), absl::StatusCode::kInvalidArgument);
  return std::string(document.status().message());
}

TEST(JsonDocumentTest, SaysWhereTheTextIsNoJson) {
  EXPECT_THAT(ParseError("{\n \"a\": 1,\n}"),
              AllOf(StartsWith("a.json: "), HasSubstr("line 3, column 1")));
  EXPECT_THAT(ParseError(""), HasSubstr("line 1, column 1"));
  EXPECT_THAT(ParseError("{} {}"), HasSubstr("line 1, column 4"));
}

TEST(JsonDocumentTest, RejectsWhatStrictJsonDoesNotAllow) {
  EXPECT_THAT(ParseError("{\"a\": NaN}"), HasSubstr("line 1, column 7"));
  EXPECT_THAT(ParseError("{\"a\": 1} // b"), HasSubstr("line 1, column 10"));
  EXPECT_THAT(ParseError("{\"a\": \"\xff\"}"), HasSubstr("UTF-8"));
  EXPECT_THAT(ParseError("{\"a\": 1e999}"), HasSubstr("1e999"));
}

TEST(JsonDocumentTest, RejectsARootThatIsNoObject) {
  EXPECT_EQ(ParseError("[1, 2]"),
            "a.json: expected a JSON object, found an array of 2");
  EXPECT_EQ(ParseError("7"), "a.json: expected a JSON object, found 7");
}

TEST(JsonDocumentTest, RejectsDuplicateKeysNamingThePath) {
  EXPECT_EQ(ParseError(R"({"a": 1, "a": 2})"),
            "a.json: expected every key once, found another a");
  EXPECT_EQ(ParseError(R"({"list": [{"b": {"c": 1, "d": 2, "c": 3}}]})"),
            "a.json: expected every key once, found another list[].b.c");
}

TEST(JsonDocumentTest, TakesTheSameKeyInDifferentObjects) {
  EXPECT_TRUE(
      JsonDocument::Parse(R"({"a": {"a": 1}, "b": [{"a": 1}, {"a": 1}]})", "")
          .ok());
}

TEST(JsonDocumentTest, RejectsDeepNesting) {
  const auto nested = [](size_t depth) {
    return "{\"a\":" + std::string(depth - 1, '[') +
           std::string(depth - 1, ']') + "}";
  };
  EXPECT_TRUE(JsonDocument::Parse(nested(64), "").ok());
  EXPECT_THAT(ParseError(nested(65)), HasSubstr("at most 64 objects"));
  EXPECT_THAT(ParseError("{\"a\":" + std::string(1'000'000, '[')),
              HasSubstr("at most 64 objects"));
}

class JsonValueTest : public ::testing::Test {
 protected:
  JsonDocument document_ = JsonDocument::Parse(R"({
      "text": "\u00e9", "integer": 18446744073709551615, "negative": -1,
      "fraction": 1.0, "list": [1, 2.5], "integers": [3, 4],
      "object": {"z": 1, "b": {"c": [true, null]}}, "large": 1e300})",
                                               "a.json")
                               .value();
  JsonValue root_ = document_.root();

  std::string Message() const {
    return std::string(document_.status().message());
  }
};

TEST_F(JsonValueTest, GivesWhatIsThere) {
  EXPECT_EQ(root_["text"].String(), "é");
  EXPECT_EQ(root_["integer"].Integer(), UINT64_MAX);
  EXPECT_EQ(root_["negative"].Number(), -1);
  EXPECT_EQ(root_["fraction"].Float(), 1.0F);
  EXPECT_THAT(root_["list"].Numbers(), ElementsAre(1, 2.5));
  EXPECT_THAT(root_["integers"].Integers(), ElementsAre(3, 4));
  EXPECT_EQ(root_["object"].Members().size(), 2);
  EXPECT_EQ(root_["object"].ObjectText(), R"({"b":{"c":[true,null]},"z":1})");
  EXPECT_TRUE(root_.Has("text"));
  EXPECT_FALSE(root_.Has("test"));
  EXPECT_TRUE(document_.status().ok());
}

TEST_F(JsonValueTest, NamesAMissingMember) {
  root_["object"]["x"].String();

  EXPECT_EQ(Message(), "a.json: object.x: expected a value, found none");
}

TEST_F(JsonValueTest, NamesAWrongTypeDeepInside) {
  root_["object"]["b"]["c"].Elements()[1].Number();

  EXPECT_EQ(Message(), "a.json: object.b.c[1]: expected a number, found null");
}

TEST_F(JsonValueTest, KeepsTheFirstErrorAndGivesNothingAfterIt) {
  EXPECT_EQ(root_["text"].Integer(), 0);
  EXPECT_EQ(root_["text"].String(), "");
  EXPECT_TRUE(root_["list"].Numbers().empty());
  EXPECT_TRUE(root_["object"].Members().empty());
  EXPECT_EQ(root_["missing"]["deeper"].Number(), 0);

  EXPECT_THAT(Message(),
              StartsWith("a.json: text: expected an integer from 0 to "));
}

TEST_F(JsonValueTest, TakesNoNegativeNumberForAnInteger) {
  root_["negative"].Integer();
  EXPECT_THAT(Message(), HasSubstr("found -1"));
}

TEST_F(JsonValueTest, TakesNoFractionForAnInteger) {
  root_["fraction"].Integer();
  EXPECT_THAT(Message(), HasSubstr("found 1.0"));
}

TEST_F(JsonValueTest, TakesNoIntegerAboveTheLimit) {
  root_["integer"].Integer(/*max=*/9);
  EXPECT_THAT(Message(), HasSubstr("from 0 to 9, found 18446744073709551615"));
}

TEST_F(JsonValueTest, TakesNoNumberForAFloatThatCannotHoldIt) {
  root_["large"].Float();
  EXPECT_THAT(Message(), HasSubstr("found 1e+300"));
}

TEST_F(JsonValueTest, ShortensLongStringsInMessages) {
  JsonDocument document =
      JsonDocument::Parse("{\"a\": \"" + std::string(1000, 'x') + "\"}", "")
          .value();

  document.root()["a"].Number();

  EXPECT_LT(document.status().message().size(), 200);
}

}  // namespace
}  // namespace ladder::model_store
