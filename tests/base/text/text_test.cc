#include "base/text/text.h"

#include "gtest/gtest.h"

namespace ladder::base {
namespace {

TEST(TextTest, EscapeSequencesCannotReachTheTerminal) {
  EXPECT_EQ(PrintableText("a\x1b[2Jb\n\x7f", /*utf8=*/true), "a?[2Jb??");
  EXPECT_EQ(PrintableText("\xc2\x9b"
                          "31m",
                          /*utf8=*/true),
            "?31m");
  EXPECT_EQ(PrintableText("a\u202eb", /*utf8=*/true), "a?b");
}

TEST(TextTest, KeepsUtf8AndMarksWhatIsNot) {
  EXPECT_EQ(PrintableText("Größe 山 🦓", /*utf8=*/true),
            "Größe 山 🦓");
  EXPECT_EQ(PrintableText("a\xffz", /*utf8=*/true), "a?z");
  EXPECT_EQ(PrintableText("cut \xe5\xb1", /*utf8=*/true), "cut ??");
  EXPECT_EQ(PrintableText("\xc0\xaf", /*utf8=*/true), "??") << "overlong";
  EXPECT_EQ(PrintableText("\xed\xa0\x80", /*utf8=*/true), "???") << "surrogate";
  EXPECT_EQ(PrintableText("\xf4\x90\x80\x80", /*utf8=*/true), "????");
}

TEST(TextTest, WithoutUtf8EveryOtherCharacterIsOneMark) {
  EXPECT_EQ(PrintableText("Größe 山", /*utf8=*/false), "Gr??e ?");
}

TEST(TextTest, WidthCountsCharacters) {
  EXPECT_EQ(TextWidth(""), 0);
  EXPECT_EQ(TextWidth("Größe"), 5);
  EXPECT_EQ(TextWidth("▏█"), 2);
}

TEST(TextTest, CutsBetweenCharacters) {
  EXPECT_EQ(CutText("Größe", 5, /*utf8=*/true), "Größe");
  EXPECT_EQ(CutText("Größe", 4, /*utf8=*/true), "Grö…");
  EXPECT_EQ(CutText("Größe", 1, /*utf8=*/true), "…");
  EXPECT_EQ(CutText("Größe", 0, /*utf8=*/true), "");
  EXPECT_EQ(CutText("Grosse", 4, /*utf8=*/false), "Gro~");
}

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

TEST(ValidTextTest, EndsWithTheLastCharacterThatFits) {
  EXPECT_EQ(ValidText("abc", 2), "ab");
  EXPECT_EQ(ValidText("abc", 3), "abc");
  EXPECT_EQ(ValidText("abc", 0), "");
  EXPECT_EQ(ValidText("a\xE2\x82\xAC", 3), "a");
  EXPECT_EQ(ValidText("a\xE2\x82\xAC", 4), "a\xE2\x82\xAC");
  EXPECT_EQ(ValidText("a\xFF", 4), "a");
  EXPECT_EQ(ValidText("a\xFF", 5), "a\\xFF");
}

TEST(CheckTextTest, TakesUtf8WithoutControlCharacters) {
  EXPECT_TRUE(CheckText("name", "", 3).ok());
  EXPECT_TRUE(CheckText("name", "山", 3).ok());
  EXPECT_EQ(CheckText("name", "abcd", 3).message(),
            "name: expected at most 3 bytes of UTF-8 without control "
            "characters, found \"abcd\" (4 bytes)");
  EXPECT_FALSE(CheckText("name", "a\n", 3).ok());
  EXPECT_FALSE(CheckText("name", "a\xff", 3).ok());
}

TEST(QuotedTest, IsShortAndInOneLine) {
  EXPECT_EQ(Quoted("a\nb", 3), "\"a\\nb\"");
  EXPECT_EQ(Quoted("abcd", 3), "\"abc...\"");
  EXPECT_EQ(Quoted("\xff"), "\"\\xff\"");
}

}  // namespace
}  // namespace ladder::base
