#include "client/command/output/journal.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ladder::client {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

TEST(JournalTest, ReadsBackWhatItWrites) {
  const std::string run = RunLine({{"input", "a \"b\""}, {"model", "m"}},
                                  {.predictions = 10, .routing = 20});
  const std::string first =
      GroupLine({.name = "x\n",
                 .num_samples = 3,
                 .ends = {.predictions = 15, .routing = 21}});
  const std::string second =
      GroupLine({.name = "y",
                 .num_samples = 4,
                 .ends = {.predictions = 30, .routing = 40}});

  const auto journal = ParseJournal(run + first + second);

  ASSERT_TRUE(journal.ok() && journal->has_value()) << journal.status();
  EXPECT_THAT((*journal)->run, UnorderedElementsAre(Pair("input", "a \"b\""),
                                                    Pair("model", "m")));
  EXPECT_EQ((*journal)->ends.predictions, 10);
  EXPECT_EQ((*journal)->ends.routing, 20);
  EXPECT_EQ((*journal)->journal_end, static_cast<int64_t>(run.size()));
  ASSERT_EQ((*journal)->groups.size(), 2u);
  const FinishedGroup& group = (*journal)->groups[0];
  EXPECT_EQ(group.name, "x\n");
  EXPECT_EQ(group.num_samples, 3u);
  EXPECT_EQ(group.ends.predictions, 15);
  EXPECT_EQ(group.ends.routing, 21);
  EXPECT_EQ(group.journal_end, static_cast<int64_t>((run + first).size()));
}

TEST(JournalTest, IgnoresALastLineThatIsCutShortAnywhere) {
  const std::string run = RunLine({{"model", "m"}}, {});
  const std::string group = GroupLine({.name = "x"});
  const std::string text = run + group;

  for (size_t length = 0; length < text.size(); ++length) {
    const auto journal = ParseJournal(text.substr(0, length));
    ASSERT_TRUE(journal.ok()) << journal.status();
    EXPECT_EQ(journal->has_value(), length >= run.size());
    EXPECT_TRUE(!journal->has_value() || (*journal)->groups.empty());
  }
}

TEST(JournalTest, RefusesWhatIsNoJournal) {
  const std::string run = RunLine({}, {.predictions = 5, .routing = 5});
  const std::string early = GroupLine({.name = "x"});  // Ends before the run's.

  for (const std::string& text :
       {std::string("path,label\na,b\n"), std::string("something"),
        std::string("{\"ladder_journal\":1,\"run\":{}}\n"), run + "{}\n",
        run + early, run + "[1]\n"}) {
    EXPECT_EQ(ParseJournal(text).status().code(),
              absl::StatusCode::kInvalidArgument)
        << text;
  }
}

TEST(JournalTest, NamesWhatDiffersBetweenRuns) {
  const absl::Status status =
      CheckSameRun({{"input", "a"}, {"model", "m"}, {"tau", "1"}},
                   {{"input", "b"}, {"model", "m"}, {"k", "3"}});

  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(status.message()),
              AllOf(HasSubstr("input: expected \"a\", found \"b\""),
                    HasSubstr("k: expected nothing, found \"3\""),
                    HasSubstr("tau: expected \"1\", found nothing"),
                    Not(HasSubstr("model"))));
  EXPECT_TRUE(CheckSameRun({{"a", "b"}}, {{"a", "b"}}).ok());
}

}  // namespace
}  // namespace ladder::client
