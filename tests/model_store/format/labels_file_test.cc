#include "model_store/format/labels_file.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ladder::model_store {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string ErrorOf(const char* text) {
  const auto labels = ParseLabels(text);
  EXPECT_EQ(labels.status().code(), absl::StatusCode::kInvalidArgument);
  return std::string(labels.status().message());
}

TEST(LabelsFileTest, ReadsWhatItWrites) {
  const Labels labels = {{"stable", 3}, {"canary", 4}, {"a.b-c_d", 9}};

  const auto read = ParseLabels(FormatLabels(labels));

  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(*read, labels);
  EXPECT_THAT(ParseLabels(FormatLabels({})).value(), IsEmpty());
}

TEST(LabelsFileTest, NamesWhatIsWrong) {
  EXPECT_THAT(ErrorOf(""), HasSubstr("labels.json: "));
  EXPECT_THAT(ErrorOf("[1]"), HasSubstr("labels.json: "));
  EXPECT_THAT(ErrorOf(R"({"stable": "3"})"),
              HasSubstr("labels.json: stable: expected an integer"));
  EXPECT_THAT(ErrorOf(R"({"stable": 0})"),
              HasSubstr("labels.json: stable: expected a positive version"));
  EXPECT_THAT(ErrorOf(R"({"stable": 1.5})"), HasSubstr("labels.json: stable"));
  EXPECT_THAT(ErrorOf(R"({"7": 1})"),
              HasSubstr("labels.json: label: expected a letter"));
  EXPECT_THAT(ErrorOf(R"({"stable": 1, "stable": 2})"), HasSubstr("stable"));
}

}  // namespace
}  // namespace ladder::model_store
