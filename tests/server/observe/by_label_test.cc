#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "server/observe/metric_series.h"

namespace ladder::server {
namespace {

using ::testing::ElementsAre;

TEST(ByLabelTest, MakesOneForEveryValue) {
  std::vector<std::string> made;
  ByLabel<int> numbers(10, [&made](const std::string& value) {
    made.push_back(value);
    return 0;
  });

  ++numbers.Get("a");
  ++numbers.Get("b");
  ++numbers.Get("a");

  EXPECT_EQ(numbers.Get("a"), 2);
  EXPECT_EQ(numbers.Get("b"), 1);
  EXPECT_THAT(made, ElementsAre("a", "b"));
}

TEST(ByLabelTest, BeyondItsBoundAllValuesShareOther) {
  std::vector<std::string> made;
  ByLabel<int> numbers(2, [&made](const std::string& value) {
    made.push_back(value);
    return 0;
  });

  for (const char* value : {"a", "b", "c", "d", "a"}) ++numbers.Get(value);

  EXPECT_EQ(numbers.Get("a"), 2);
  EXPECT_EQ(numbers.Get("other"), 2);
  EXPECT_THAT(made, ElementsAre("a", "b", "other"));
}

TEST(ByLabelTest, MakesValuesFitForLabels) {
  ByLabel<std::string> values(2,
                              [](const std::string& value) { return value; });

  EXPECT_EQ(values.Get("a\n"), "a\xEF\xBF\xBD");
}

}  // namespace
}  // namespace ladder::server
