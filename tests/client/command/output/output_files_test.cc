#include "client/command/output/output_files.h"

#include <sys/resource.h>

#include <csignal>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/files/csv.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/client/command/output/answers.h"
#include "tests/data_folder.h"

namespace ladder::client {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

absl::Status CommitGroup(OutputFiles& files, const std::string& group, int n) {
  const auto spool = files.NewSpool(group);
  absl::Status status = spool->Add(SmallPredictions(0, n));
  if (!status.ok()) return status;
  return files.Commit(*spool, SmallRouting(), absl::Seconds(1));
}

std::string OpenError(const OutputFileOptions& options, OpenMode mode) {
  return std::string(OutputFiles::Open(options, mode).status().message());
}

TEST(OutputFilesTest, WritesRowsRoutingAndJournal) {
  const DataFolder folder;
  {
    auto files =
        OutputFiles::Open(SmallOptions(folder / "out.csv"), OpenMode::kNew);
    ASSERT_TRUE(files.ok()) << files.status();
    ASSERT_TRUE(CommitGroup(**files, "b", 2).ok());
    ASSERT_TRUE(CommitGroup(**files, "a", 1).ok());
    EXPECT_EQ((*files)->num_finished(), 2u);
    EXPECT_EQ((*files)->FinishedSamples("b"), 2u);
    EXPECT_EQ((*files)->FinishedSamples("c"), std::nullopt);
  }

  EXPECT_EQ(FileText(folder / "out.csv"),
            "group,index,id,label,class,probability,error\n"
            "b,0,s0,0,cat,0.75,\n"
            "b,1,s1,1,dog,0.75,\n"
            "a,0,s0,0,cat,0.75,\n");
  EXPECT_THAT(
      FileText(folder / "out.routing.csv"),
      AllOf(HasSubstr("\nb,2,0,m,3,ladder,"), HasSubstr("\na,1,0,m,3,")));
  EXPECT_THAT(FileText(folder / "out.csv.journal"),
              HasSubstr("{\"group\":\"b\",\"samples\":2,"));
}

TEST(OutputFilesTest, RefusesToTouchFilesUnlessTold) {
  const DataFolder folder;
  const OutputFileOptions options = SmallOptions(folder / "out.csv");
  for (const char* name : {"out.csv", "out.routing.csv", "out.csv.journal"}) {
    folder.Write(name, "precious");

    EXPECT_THAT(OpenError(options, OpenMode::kNew),
                AllOf(HasSubstr((folder / name).string()),
                      HasSubstr("--resume"), HasSubstr("--overwrite")));

    EXPECT_EQ(FileText(folder / name), "precious");
    std::filesystem::remove(folder / name);
  }
}

TEST(OutputFilesTest, OverwritesIfTold) {
  const DataFolder folder;
  folder.Write("out.csv", "something else that is longer than the header line");
  folder.Write("out.csv.journal", "something else");

  auto files =
      OutputFiles::Open(SmallOptions(folder / "out.csv"), OpenMode::kOverwrite);

  ASSERT_TRUE(files.ok()) << files.status();
  EXPECT_EQ(FileText(folder / "out.csv"),
            "group,index,id,label,class,probability,error\n");
}

TEST(OutputFilesTest, LeavesNothingBehindIfItCannotBegin) {
  const DataFolder folder;
  OutputFileOptions options = SmallOptions(folder / "out.csv");
  options.routing = folder / "missing/routing.csv";

  EXPECT_THAT(OpenError(options, OpenMode::kNew),
              HasSubstr("missing/routing.csv"));

  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(OutputFilesTest, RefusesFilesThatAnotherIsWritingTo) {
  const DataFolder folder;
  const OutputFileOptions options = SmallOptions(folder / "out.csv");
  auto files = OutputFiles::Open(options, OpenMode::kNew);
  ASSERT_TRUE(files.ok()) << files.status();
  ASSERT_TRUE(CommitGroup(**files, "a", 1).ok());

  EXPECT_THAT(OpenError(options, OpenMode::kResume),
              HasSubstr("another process is writing"));
  EXPECT_THAT(OpenError(options, OpenMode::kOverwrite),
              HasSubstr("another process is writing"));

  EXPECT_TRUE(CommitGroup(**files, "b", 1).ok());
  files->reset();
  auto resumed = OutputFiles::Open(options, OpenMode::kResume);
  ASSERT_TRUE(resumed.ok()) << resumed.status();
  EXPECT_EQ((*resumed)->num_finished(), 2u);
}

TEST(OutputFilesTest, RefusesAGroupThatIsNotCompleteOrComesTwice) {
  const DataFolder folder;
  auto files =
      OutputFiles::Open(SmallOptions(folder / "out.csv"), OpenMode::kNew);
  ASSERT_TRUE(files.ok()) << files.status();
  ASSERT_TRUE(CommitGroup(**files, "a", 1).ok());
  const std::string before = FileText(folder / "out.csv");
  const auto gap = (*files)->NewSpool("gap");
  ASSERT_TRUE(gap->Add(SmallPredictions(1, 1)).ok());

  EXPECT_EQ(CommitGroup(**files, "a", 1).code(),
            absl::StatusCode::kAlreadyExists);
  EXPECT_FALSE(
      (*files)->Commit(*gap, SmallRouting(), absl::ZeroDuration()).ok());
  EXPECT_FALSE(CommitGroup(**files, "empty", 0).ok());

  EXPECT_EQ(FileText(folder / "out.csv"), before);
}

TEST(OutputFilesTest, TakesGroupsFromManyThreads) {
  const DataFolder folder;
  {
    auto files =
        OutputFiles::Open(SmallOptions(folder / "out.csv"), OpenMode::kNew);
    ASSERT_TRUE(files.ok()) << files.status();
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&files, t] {
        for (int i = 0; i < 5; ++i) {
          EXPECT_TRUE(
              CommitGroup(**files, absl::StrCat(t, "-", i), t + 1).ok());
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ((*files)->num_finished(), 20u);
  }

  // Every group is in one piece.
  auto table = base::CsvTable::Open(folder / "out.csv");
  ASSERT_TRUE(table.ok()) << table.status();
  int num_rows = 0;
  std::string group;
  for (auto more = table->Next(); more.ok() && *more; more = table->Next()) {
    if (table->field(1) == "0") group = std::string(table->field(0));
    EXPECT_EQ(table->field(0), group);
    ++num_rows;
  }
  EXPECT_EQ(num_rows, 5 * (1 + 2 + 3 + 4));
}

TEST(OutputFilesTest, SaysThatTheDiskIsFull) {
  const DataFolder folder;
  std::filesystem::create_symlink("/dev/full", folder / "out.csv");

  const auto files =
      OutputFiles::Open(SmallOptions(folder / "out.csv"), OpenMode::kOverwrite);

  EXPECT_EQ(files.status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(files.status().message()),
              AllOf(HasSubstr("out.csv"), HasSubstr("the disk is full"),
                    HasSubstr("--resume")));
  EXPECT_TRUE(IsWriteError(files.status()));
}

// Files of this process cannot grow beyond a size while it lives.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) {
    getrlimit(RLIMIT_FSIZE, &before_);
    handler_ = std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() {
    setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }

 private:
  rlimit before_ = {};
  void (*handler_)(int) = nullptr;
};

TEST(OutputFilesTest, AGroupThatCannotBeWrittenDoesNotCountAndMayBeTriedAgain) {
  const DataFolder folder;
  const OutputFileOptions options = SmallOptions(folder / "out.csv");
  auto files = OutputFiles::Open(options, OpenMode::kNew);
  ASSERT_TRUE(files.ok()) << files.status();
  ASSERT_TRUE(CommitGroup(**files, "a", 1).ok());
  const std::string before = FileText(folder / "out.csv");
  const std::string journal = FileText(folder / "out.csv.journal");
  {
    const FileSizeLimit limit(before.size() + 30);  // One row and a half.
    EXPECT_TRUE(IsWriteError(CommitGroup(**files, "b", 2)));
  }
  EXPECT_EQ(FileText(folder / "out.csv"), before);
  EXPECT_EQ(FileText(folder / "out.csv.journal"), journal);
  EXPECT_EQ((*files)->FinishedSamples("b"), std::nullopt);

  ASSERT_TRUE(CommitGroup(**files, "b", 2).ok());

  EXPECT_EQ(FileText(folder / "out.csv"),
            before + "b,0,s0,0,cat,0.75,\nb,1,s1,1,dog,0.75,\n");
}

TEST(OutputOptionsTest, NamesFilesBesideThePredictions) {
  const OutputFileOptions options{.predictions = "folder/out.x.jsonl"};

  EXPECT_EQ(options.RoutingPath(), "folder/out.x.routing.jsonl");
  EXPECT_EQ(options.JournalPath(), "folder/out.x.jsonl.journal");
}

TEST(OutputOptionsTest, AsksForTheLabelsProbabilityAtLeast) {
  EXPECT_EQ(OutputFileOptions{}.Request().top_n(), 1u);
  EXPECT_EQ(OutputFileOptions{.top_n = 3}.Request().top_n(), 3u);
}

TEST(OutputOptionsTest, AsksForNoMoreClassesThanThereAre) {
  OutputFileOptions options = SmallOptions("out.csv");
  options.top_n = 9;

  EXPECT_EQ(options.Request().top_n(), 2u);
}

TEST(OutputOptionsTest, RefusesWhatCannotBe) {
  OutputFileOptions same = SmallOptions("out.csv");
  same.routing = "./out.csv";
  OutputFileOptions stream = SmallOptions("out.csv");
  stream.routing = "-";
  OutputFileOptions nameless = SmallOptions("out.csv");
  nameless.classes.clear();
  nameless.probabilities = true;

  EXPECT_FALSE(same.Validate().ok());
  EXPECT_FALSE(stream.Validate().ok());
  EXPECT_FALSE(nameless.Validate().ok());
  EXPECT_FALSE(OutputFileOptions{}.Validate().ok());
  EXPECT_TRUE(SmallOptions("out.csv").Validate().ok());
}

}  // namespace
}  // namespace ladder::client
