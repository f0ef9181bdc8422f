#include <string>

#include "gtest/gtest.h"
#include "server/observe/metric_series.h"

namespace ladder::server {
namespace {

constexpr char kReplaced[] = "\xEF\xBF\xBD";

TEST(LabelTextTest, KeepsTextAsItIs) {
  EXPECT_EQ(LabelText(""), "");
  EXPECT_EQ(LabelText("Camera 7, \"north\" \\ C:"),
            "Camera 7, \"north\" \\ C:");
  EXPECT_EQ(LabelText("S\xC3\xA9r\xE2\x82\xAC\xF0\x9F\x93\xB7"),
            "S\xC3\xA9r\xE2\x82\xAC\xF0\x9F\x93\xB7");
}

TEST(LabelTextTest, ReplacesControlCharacters) {
  const std::string replaced = kReplaced;
  EXPECT_EQ(LabelText("a\nb"), "a" + replaced + "b");
  EXPECT_EQ(LabelText(absl::string_view("\0", 1)), replaced);
  EXPECT_EQ(LabelText("\x7F"), replaced);
  EXPECT_EQ(LabelText("\xC2\x9B"), replaced);
}

TEST(LabelTextTest, ReplacesEveryByteThatIsNotUtf8) {
  const std::string replaced = kReplaced;
  EXPECT_EQ(LabelText("\xFF"), replaced);
  EXPECT_EQ(LabelText("a\x80z"), "a" + replaced + "z");
  EXPECT_EQ(LabelText("\xE2\x82"), replaced + replaced);  // Cut off.
  EXPECT_EQ(LabelText("\xC0\xAF"), replaced + replaced);  // Overlong.
  EXPECT_EQ(LabelText("\xE0\x80\xAF"), replaced + replaced + replaced);
  EXPECT_EQ(LabelText("\xED\xA0\x80"), replaced + replaced + replaced);
  EXPECT_EQ(LabelText("\xF4\x90\x80\x80"),
            replaced + replaced + replaced + replaced);
}

TEST(LabelTextTest, CutsLongTextBetweenCharacters) {
  EXPECT_EQ(LabelText(std::string(1000, 'a')), std::string(128, 'a'));
  std::string euros;
  for (int i = 0; i < 100; ++i) euros += "\xE2\x82\xAC";
  EXPECT_EQ(LabelText(euros), euros.substr(0, 126));
}

}  // namespace
}  // namespace ladder::server
