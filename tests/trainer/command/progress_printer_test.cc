#include "trainer/command/progress_printer.h"

#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/str_split.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ladder::trainer {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

class ProgressPrinterTest : public ::testing::Test {
 protected:
  ProgressPrinterTest() { now_ = absl::FromUnixSeconds(1'000'000); }

  static absl::Time Now() { return now_; }
  static void Pass(absl::Duration duration) { now_ += duration; }

  // Every line that ended, without its end.
  std::vector<std::string> Lines() const {
    std::vector<std::string> lines = absl::StrSplit(out_.str(), '\n');
    EXPECT_EQ(lines.back(), "");
    lines.pop_back();
    return lines;
  }

  std::ostringstream out_;

 private:
  static absl::Time now_;
};

absl::Time ProgressPrinterTest::now_;

TEST_F(ProgressPrinterTest, PrintsALineEveryTenSecondsAtMostAndTheLast) {
  ProgressPrinter printer(out_, /*columns=*/0, Now);

  for (uint64_t done = 1; done <= 25; ++done) {
    printer.Progress({.stage = "heads", .done = done, .total = 25});
    Pass(absl::Seconds(1));
  }

  EXPECT_THAT(Lines(), ElementsAre(HasSubstr(" 1/25"), HasSubstr(" 11/25"),
                                   HasSubstr(" 21/25"), HasSubstr(" 25/25")));
}

TEST_F(ProgressPrinterTest, PrintsTheFirstLineOfEveryStage) {
  ProgressPrinter printer(out_, /*columns=*/0, Now);

  printer.Progress({.stage = "first", .done = 1, .total = 9});
  printer.Progress({.stage = "second", .done = 1, .total = 9});
  printer.Progress({.stage = "second", .done = 2, .total = 9});

  EXPECT_EQ(out_.str(),
            "first [###.....................] 1/9\n"
            "second [###.....................] 1/9\n");
}

TEST_F(ProgressPrinterTest, ShowsLosses) {
  ProgressPrinter printer(out_, /*columns=*/0, Now);

  printer.Progress({.stage = "heads",
                    .done = 1,
                    .total = 2,
                    .losses = {{"total", 1.23456}, {"cls", 1e-5}}});

  EXPECT_THAT(Lines(), ElementsAre(EndsWith("1/2 | total 1.23 cls 1e-05")));
}

TEST_F(ProgressPrinterTest, GoesByWhatHappenedSinceTheFirstReport) {
  ProgressPrinter printer(out_, /*columns=*/0, Now);

  // A run that goes on has much done already, which took no time here.
  printer.Progress(
      {.stage = "steps", .done = 600, .total = 1000, .samples = 320});
  Pass(absl::Seconds(20));
  printer.Progress(
      {.stage = "steps", .done = 700, .total = 1000, .samples = 3520});

  EXPECT_THAT(Lines(),
              ElementsAre(EndsWith(" 600/1000"),
                          EndsWith(" 700/1000, 160 samples/s, 1 min left")));
}

TEST_F(ProgressPrinterTest, TellsLongTimesInHours) {
  ProgressPrinter printer(out_, /*columns=*/0, Now);

  printer.Progress({.stage = "steps", .done = 0, .total = 3724});
  Pass(absl::Seconds(10));
  printer.Progress({.stage = "steps", .done = 10, .total = 3724});

  EXPECT_THAT(Lines().back(), EndsWith(", 1 h 1 min left"));
}

TEST_F(ProgressPrinterTest, CountsAnewWhenAStageBeginsAgain) {
  ProgressPrinter printer(out_, /*columns=*/0, Now);

  printer.Progress({.stage = "encoding", .done = 8, .total = 8});
  Pass(absl::Seconds(1000));
  printer.Progress({.stage = "encoding", .done = 2, .total = 8});
  Pass(absl::Seconds(10));
  printer.Progress({.stage = "encoding", .done = 4, .total = 8});

  EXPECT_THAT(Lines().back(), EndsWith(", 20 s left"));
}

TEST_F(ProgressPrinterTest, EndsAStageOfNothing) {
  ProgressPrinter printer(out_, /*columns=*/0, Now);

  printer.Progress({.stage = "steps", .done = 0, .total = 0});

  EXPECT_EQ(out_.str(), "steps [########################] 0/0\n");
}

TEST_F(ProgressPrinterTest, KeepsTheBarInOneLineOfATerminal) {
  ProgressPrinter printer(out_, /*columns=*/80, Now);

  for (uint64_t done = 1; done <= 3; ++done) {
    printer.Progress({.stage = "steps", .done = done, .total = 4});
    Pass(absl::Seconds(1));
  }
  EXPECT_THAT(out_.str(), Not(HasSubstr("\n")));
  printer.Progress({.stage = "steps", .done = 4, .total = 4});

  ASSERT_THAT(Lines(), SizeIs(1));
  const std::vector<std::string> bars = absl::StrSplit(Lines().front(), '\r');
  EXPECT_THAT(bars, ElementsAre("", HasSubstr("[######..................] 1/4"),
                                HasSubstr("[############............] 2/4"),
                                HasSubstr("[##################......] 3/4"),
                                HasSubstr("[########################] 4/4")));
}

TEST_F(ProgressPrinterTest, WritesSpacesOverALongerBar) {
  ProgressPrinter printer(out_, /*columns=*/80, Now);

  printer.Progress(
      {.stage = "steps", .done = 1, .total = 4, .losses = {{"total", 0.123}}});
  printer.Progress({.stage = "steps", .done = 4, .total = 4});

  EXPECT_EQ(out_.str(),
            "\rsteps [######..................] 1/4 | total 0.123"
            "\rsteps [########################] 4/4              \n");
}

TEST_F(ProgressPrinterTest, CutsTheBarToTheTerminalsWidth) {
  ProgressPrinter printer(out_, /*columns=*/41, Now);

  printer.Progress(
      {.stage = "steps", .done = 4, .total = 4, .losses = {{"total", 0.123}}});

  EXPECT_EQ(out_.str(), "\rsteps [########################] 4/4 | t\n");
}

TEST_F(ProgressPrinterTest, DrawsTheBarTenTimesASecondAtMost) {
  ProgressPrinter printer(out_, /*columns=*/80, Now);

  for (uint64_t done = 0; done < 100; ++done) {
    printer.Progress({.stage = "steps", .done = done, .total = 1000});
    Pass(absl::Milliseconds(10));
  }

  const std::vector<std::string> bars = absl::StrSplit(out_.str(), '\r');
  EXPECT_THAT(bars, SizeIs(1 + 10));
}

TEST_F(ProgressPrinterTest, PutsMessagesBelowTheBar) {
  ProgressPrinter printer(out_, /*columns=*/80, Now);

  printer.Progress({.stage = "steps", .done = 1, .total = 4});
  printer.Message("a picture was skipped");

  EXPECT_THAT(Lines(), ElementsAre(EndsWith(" 1/4"), "a picture was skipped"));
}

TEST_F(ProgressPrinterTest, LeavesTheTerminalAtTheBeginningOfALine) {
  {
    ProgressPrinter printer(out_, /*columns=*/80, Now);
    printer.Progress({.stage = "steps", .done = 1, .total = 4});
  }

  EXPECT_THAT(Lines(), ElementsAre(EndsWith(" 1/4")));
}

}  // namespace
}  // namespace ladder::trainer
