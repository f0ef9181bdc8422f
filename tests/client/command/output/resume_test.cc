#include <filesystem>
#include <string>
#include <vector>

#include "client/command/output/output_files.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "routing/counter_rng.h"
#include "tests/client/command/output/answers.h"
#include "tests/data_folder.h"

namespace ladder::client {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

const std::vector<std::string>& Groups() {
  static const auto& groups = *new std::vector<std::string>{"x", "y,\""};
  return groups;
}

// What the three files hold at some time.
struct State {
  std::string predictions = {};
  std::string routing = {};
  std::string journal = {};

  bool operator==(const State&) const = default;
};

State ReadState(const DataFolder& folder) {
  return {FileText(folder / "out.csv"), FileText(folder / "out.routing.csv"),
          FileText(folder / "out.csv.journal")};
}

void WriteState(const DataFolder& folder, const State& state) {
  folder.Write("out.csv", state.predictions);
  folder.Write("out.routing.csv", state.routing);
  folder.Write("out.csv.journal", state.journal);
}

OutputFileOptions Options(const DataFolder& folder, OutputFormat format) {
  OutputFileOptions options = SmallOptions(folder / "out.csv");
  options.format = format;
  options.run = {{"input", "photos"}};
  return options;
}

// Does what is left of the run; calls `after_group` when a group is done.
template <typename AfterGroup>
void Finish(OutputFiles& files, AfterGroup after_group) {
  for (const std::string& group : Groups()) {
    if (files.FinishedSamples(group).has_value()) continue;
    const auto spool = files.NewSpool(group);
    ASSERT_TRUE(spool->Add(SmallPredictions(0, 2)).ok());
    ASSERT_TRUE(files.Commit(*spool, SmallRouting(), absl::Seconds(1)).ok());
    after_group();
  }
}

// The states at the beginning, after each group, and so at the end.
std::vector<State> RunOnce(OutputFormat format) {
  const DataFolder folder;
  std::vector<State> states = {State{}};
  auto files =
      OutputFiles::Open(Options(folder, format), OpenMode::kNew).value();
  states.push_back(ReadState(folder));
  Finish(*files, [&] { states.push_back(ReadState(folder)); });
  return states;
}

State Resume(const State& state, OutputFormat format) {
  const DataFolder folder;
  WriteState(folder, state);
  auto files = OutputFiles::Open(Options(folder, format), OpenMode::kResume);
  EXPECT_TRUE(files.ok()) << files.status();
  if (files.ok()) Finish(**files, [] {});
  return ReadState(folder);
}

class ResumeTest : public ::testing::TestWithParam<OutputFormat> {};

INSTANTIATE_TEST_SUITE_P(Formats, ResumeTest,
                         ::testing::Values(OutputFormat::kCsv,
                                           OutputFormat::kJsonLines));

TEST_P(ResumeTest, EndsAlikeWhereverTheProcessWasKilled) {
  const std::vector<State> states = RunOnce(GetParam());
  const State& whole = states.back();

  // JSON lines are longer, and waiting for the disk takes time.
  const size_t step = GetParam() == OutputFormat::kCsv ? 1 : 7;

  // Files grow in this order: predictions, routing, journal.
  for (size_t i = 0; i + 1 < states.size(); ++i) {
    State state = states[i];
    const auto grow = [&](std::string& text, const std::string& final_text) {
      while (text.size() < final_text.size()) {
        text = final_text.substr(0, text.size() + step);
        ASSERT_EQ(Resume(state, GetParam()), whole)
            << i << ": " << state.predictions.size() << ", "
            << state.routing.size() << ", " << state.journal.size();
      }
    };
    grow(state.predictions, states[i + 1].predictions);
    grow(state.routing, states[i + 1].routing);
    grow(state.journal, states[i + 1].journal);
  }
}

TEST_P(ResumeTest, EndsAlikeHoweverTheFilesAreCutShort) {
  const State whole = RunOnce(GetParam()).back();
  const routing::CounterRng rng(/*seed=*/1);

  for (uint64_t i = 0; i < 100; ++i) {
    State state = whole;
    state.predictions.resize(rng.Below(whole.predictions.size() + 1, 3 * i));
    state.routing.resize(rng.Below(whole.routing.size() + 1, 3 * i + 1));
    state.journal.resize(rng.Below(whole.journal.size() + 1, 3 * i + 2));
    ASSERT_EQ(Resume(state, GetParam()), whole)
        << state.predictions.size() << ", " << state.routing.size() << ", "
        << state.journal.size();
  }
}

TEST(ResumeRunTest, DoesNothingToAFinishedRun) {
  const DataFolder folder;
  const State whole = RunOnce(OutputFormat::kCsv).back();
  WriteState(folder, whole);

  const auto files =
      OutputFiles::Open(Options(folder, OutputFormat::kCsv), OpenMode::kResume);

  ASSERT_TRUE(files.ok()) << files.status();
  EXPECT_EQ((*files)->num_finished(), Groups().size());
  EXPECT_EQ((*files)->num_undone(), 0u);
  EXPECT_EQ(ReadState(folder), whole);
}

TEST(ResumeRunTest, BeginsARunThatHasNotBegun) {
  const DataFolder folder;

  const auto files =
      OutputFiles::Open(Options(folder, OutputFormat::kCsv), OpenMode::kResume);

  ASSERT_TRUE(files.ok()) << files.status();
  EXPECT_EQ((*files)->num_finished(), 0u);
}

TEST(ResumeRunTest, CountsGroupsThatTheFilesHaveLost) {
  const DataFolder folder;
  State state = RunOnce(OutputFormat::kCsv).back();
  state.predictions.pop_back();
  WriteState(folder, state);

  const auto files =
      OutputFiles::Open(Options(folder, OutputFormat::kCsv), OpenMode::kResume);

  ASSERT_TRUE(files.ok()) << files.status();
  EXPECT_EQ((*files)->num_undone(), 1u);
  EXPECT_EQ((*files)->FinishedSamples("y,\""), std::nullopt);
}

TEST(ResumeRunTest, RefusesAnotherRunAndSaysWhatDiffers) {
  const DataFolder folder;
  const State whole = RunOnce(OutputFormat::kCsv).back();
  WriteState(folder, whole);
  OutputFileOptions options = Options(folder, OutputFormat::kJsonLines);
  options.run["input"] = "videos";
  options.sources.pop_back();

  const auto files = OutputFiles::Open(options, OpenMode::kResume);

  EXPECT_EQ(files.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(
      std::string(files.status().message()),
      AllOf(HasSubstr("out.csv.journal"),
            HasSubstr("input: expected \"videos\", found \"photos\""),
            HasSubstr("rows: expected \"jsonl, top 0\", found \"csv, top 0\""),
            HasSubstr("sources: expected \"north\", found \"north,south\"")));
  EXPECT_EQ(ReadState(folder), whole);
}

TEST(ResumeRunTest, RefusesFilesWithoutJournalAndJournalsWithoutFiles) {
  const DataFolder folder;
  const State whole = RunOnce(OutputFormat::kCsv).back();
  const OutputFileOptions options = Options(folder, OutputFormat::kCsv);

  WriteState(folder, whole);
  std::filesystem::remove(folder / "out.csv.journal");
  const auto no_journal = OutputFiles::Open(options, OpenMode::kResume);
  WriteState(folder, whole);
  std::filesystem::remove(folder / "out.csv");
  const auto no_rows = OutputFiles::Open(options, OpenMode::kResume);
  WriteState(folder, whole);
  folder.Write("out.csv.journal", "a,b\n1,2\n");
  const auto other = OutputFiles::Open(options, OpenMode::kResume);

  EXPECT_THAT(std::string(no_journal.status().message()),
              AllOf(HasSubstr("out.csv.journal"), HasSubstr("--overwrite")));
  EXPECT_THAT(std::string(no_rows.status().message()),
              AllOf(HasSubstr("2 finished groups"), HasSubstr("--overwrite")));
  EXPECT_THAT(std::string(other.status().message()),
              HasSubstr("out.csv.journal: line 1"));
  EXPECT_EQ(FileText(folder / "out.csv"), whole.predictions);
}

TEST(ResumeRunTest, KnowsGroupsAndRunsWhoseNamesAreNoText) {
  const DataFolder folder;
  OutputFileOptions options = Options(folder, OutputFormat::kCsv);
  options.run["input"] = "photos\xFF";
  {
    auto files = OutputFiles::Open(options, OpenMode::kNew).value();
    const auto spool = files->NewSpool("\xFE");
    ASSERT_TRUE(spool->Add(SmallPredictions(0, 1)).ok());
    ASSERT_TRUE(
        files->Commit(*spool, SmallRouting(), absl::ZeroDuration()).ok());
  }

  const auto files = OutputFiles::Open(options, OpenMode::kResume);

  ASSERT_TRUE(files.ok()) << files.status();
  EXPECT_EQ((*files)->FinishedSamples("\xFE"), 1u);
}

}  // namespace
}  // namespace ladder::client
