#include "client/command/progress_line.h"

#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/str_split.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ladder::client {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class ProgressLineTest : public ::testing::Test {
 protected:
  ProgressLine::Clock clock() {
    return [this] { return now_; };
  }

  // What was written since the last call, cut at `separator`.
  std::vector<std::string> Take(char separator) {
    std::vector<std::string> parts = absl::StrSplit(out_.str(), separator);
    out_.str("");
    return parts;
  }

  absl::Time now_ = absl::FromUnixSeconds(1'000'000);
  std::ostringstream out_;
};

TEST_F(ProgressLineTest, ALogGetsALineForEveryTenthThatIsDone) {
  ProgressLine line(out_, {}, clock());

  for (uint64_t done = 0; done <= 40; ++done) {
    line.Update({.groups_done = done, .groups_total = 40});
    now_ += absl::Seconds(1);
  }

  const std::vector<std::string> lines = Take('\n');
  ASSERT_EQ(lines.size(), 12);
  EXPECT_THAT(lines[0], StartsWith("0/40 groups"));
  EXPECT_THAT(lines[1], StartsWith("4/40 groups"));
  EXPECT_THAT(lines[10], StartsWith("40/40 groups"));
}

TEST_F(ProgressLineTest, ALogGetsALineEveryHalfMinute) {
  ProgressLine line(out_, {}, clock());

  for (uint64_t done = 0; done <= 60; ++done) {
    line.Update({.groups_done = done, .groups_total = 10'000});
    now_ += absl::Seconds(1);
  }

  EXPECT_THAT(Take('\n'),
              ElementsAre(StartsWith("0/10,000"), StartsWith("30/10,000"),
                          StartsWith("60/10,000"), ""));
}

TEST_F(ProgressLineTest, TellsSpeedTimeLeftAndWhatWentWrong) {
  ProgressLine line(out_, {}, clock());
  line.Update({.groups_total = 500, .samples_total = 100'000});
  Take('\n');

  now_ += absl::Seconds(20);
  line.Update({.groups_done = 60,
               .groups_total = 500,
               .samples_done = 20'000,
               .samples_total = 100'000,
               .out_of_coverage = 2,
               .failed = 1,
               .retries = 3});

  EXPECT_THAT(Take('\n'),
              ElementsAre("60/500 groups, 20,000 samples, 1,000/s, 1 min 20 s "
                          "left, 2 out of coverage, 1 failed, 3 retries",
                          ""));
}

TEST_F(ProgressLineTest, WhatARunBeforeHasDoneDoesNotCountAsFast) {
  ProgressLine line(out_, {}, clock());
  line.Update({.groups_done = 40, .groups_total = 100, .samples_done = 4000});
  Take('\n');

  now_ += absl::Seconds(10);
  line.Update({.groups_done = 50, .groups_total = 100, .samples_done = 5000});

  EXPECT_THAT(
      Take('\n'),
      ElementsAre("50/100 groups, 5,000 samples, 100/s, 50 s left", ""));
}

TEST_F(ProgressLineTest, ATerminalIsDrawnTenTimesASecondAtMost) {
  ProgressLine line(out_, {.columns = 80}, clock());

  for (uint64_t done = 0; done < 1000; ++done) {
    line.Update({.groups_done = done, .groups_total = 1000});
    now_ += absl::Milliseconds(1);
  }

  EXPECT_EQ(Take('\r').size(), 1 + 10);
}

TEST_F(ProgressLineTest, ATerminalShowsABarInOneLine) {
  ProgressLine line(out_, {.columns = 80}, clock());

  line.Update({.groups_done = 1, .groups_total = 4});

  EXPECT_THAT(Take('\r'),
              ElementsAre("", "▕█████               ▏ 1/4 groups, 0 samples"));
}

TEST_F(ProgressLineTest, ALineStaysWithinTheTerminalAndAscii) {
  ProgressLine line(out_, {.columns = 30, .utf8 = false}, clock());

  line.Update({.groups_done = 1, .groups_total = 4});

  EXPECT_THAT(Take('\r'), ElementsAre("", "[#####...............] 1/4 g~"));
}

TEST_F(ProgressLineTest, AShorterLineCoversTheOneBefore) {
  ProgressLine line(out_, {.columns = 80}, clock());
  line.Update({.groups_done = 10, .groups_total = 40, .retries = 1});
  Take('\r');

  now_ += absl::Seconds(1);
  line.Update({.groups_done = 10, .groups_total = 40});

  EXPECT_THAT(Take('\r')[1], HasSubstr("0 samples           "));
}

TEST_F(ProgressLineTest, AMessageStandsAboveTheLine) {
  ProgressLine line(out_, {.columns = 30, .utf8 = false}, clock());
  line.Update({.groups_done = 1, .groups_total = 4});
  Take('\r');

  line.Message("group a: failed");

  EXPECT_EQ(out_.str(), "\r" + std::string(29, ' ') +
                            "\rgroup a: failed\n"
                            "\r[#####...............] 1/4 g~");
}

TEST_F(ProgressLineTest, TheLastUpdateIsShownAtTheEnd) {
  {
    ProgressLine line(out_, {.columns = 60}, clock());
    line.Update({.groups_done = 3, .groups_total = 4});
    line.Update({.groups_done = 4, .groups_total = 4});
    EXPECT_THAT(out_.str(), Not(HasSubstr("4/4")));
  }
  EXPECT_THAT(out_.str(), HasSubstr("4/4 groups"));
  EXPECT_EQ(out_.str().back(), '\n');
}

TEST_F(ProgressLineTest, NothingIsShownOfWhatHasNotBegun) {
  { ProgressLine line(out_, {.columns = 60}, clock()); }

  EXPECT_EQ(out_.str(), "");
}

}  // namespace
}  // namespace ladder::client
