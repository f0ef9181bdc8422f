#include "client/command/input/valid_text.h"

#include "gtest/gtest.h"

namespace ladder::command {
namespace {

TEST(ValidTextTest, LeavesTextAsItIs) {
  for (const char* text :
       {"", "a b\n", "\xC3\xA9", "\xE2\x82\xAC", "\xED\x9F\xBF",
        "\xF0\x9F\xA6\x81", "\xF4\x8F\xBF\xBF"}) {
    EXPECT_EQ(ValidText(text), text);
  }
}

TEST(ValidTextTest, WritesOtherBytesAsNumbers) {
  EXPECT_EQ(ValidText("a\xFF"), "a\\xFF");
  EXPECT_EQ(ValidText("\xC3"), "\\xC3");             // Cut short.
  EXPECT_EQ(ValidText("\xE2\x82z"), "\\xE2\\x82z");  // Likewise.
  EXPECT_EQ(ValidText("\xC0\xAF"), "\\xC0\\xAF");    // Overlong.
  EXPECT_EQ(ValidText("\xE0\x80\xAF"), "\\xE0\\x80\\xAF");
  EXPECT_EQ(ValidText("\xED\xA0\x80"), "\\xED\\xA0\\x80");  // A surrogate.
  EXPECT_EQ(ValidText("\xF4\x90\x80\x80"), "\\xF4\\x90\\x80\\x80");
}

}  // namespace
}  // namespace ladder::command
