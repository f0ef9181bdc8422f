#include "experiments/example/make_example.h"

#include <filesystem>
#include <map>
#include <set>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "base/files/csv.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "routing/thread_pool.h"
#include "tests/experiments/example/idx_files.h"
#include "tests/temporary_directory.h"
#include "trainer/data/open_dataset.h"

namespace ladder::experiments {
namespace {

namespace fs = std::filesystem;

using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::Ge;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Le;
using ::testing::SizeIs;

// What is in a folder, by relative path; folders have no content.
std::map<std::string, std::string> Contents(const fs::path& folder) {
  std::map<std::string, std::string> contents;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    contents[fs::relative(entry.path(), folder).string()] =
        entry.is_directory() ? "" : ReadFile(entry.path());
  }
  return contents;
}

class MakeExampleTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    images_ = new TemporaryDirectory;
    WriteFashion(images_->path(), /*per_class=*/120);
  }
  static void TearDownTestSuite() { delete std::exchange(images_, nullptr); }

  const fs::path& folder() const { return directory_.path(); }

  ExampleOptions Options(const std::string& name) const {
    return {.seed = 4,
            .num_sources = 3,
            .num_targets = 2,
            .frames_per_source = 20,
            .held_out_per_source = 5,
            .frames_per_target = 15,
            .images = images_->path(),
            .out = folder() / name};
  }

  static absl::StatusOr<ExampleSummary> Make(
      const ExampleOptions& options, const routing::Execution& execution = {}) {
    return MakeExample(options, execution, [](int64_t, int64_t) {});
  }

  static trainer::LoadedDataset Open(const fs::path& path) {
    trainer::DatasetOptions options;
    options.image = {.height = 32, .width = 32, .std = {1, 1, 1}};
    options.on_broken = trainer::OnBroken::kFail;
    return trainer::OpenDataset(path, options).value();
  }

 private:
  static inline TemporaryDirectory* images_ = nullptr;
  TemporaryDirectory directory_;
};

TEST_F(MakeExampleTest, WhatItMakesOpensAsIWildCamWithTheFramesAskedFor) {
  const auto summary = Make(Options("example"));
  ASSERT_TRUE(summary.ok()) << summary.status();
  EXPECT_EQ(summary->num_train, 60);
  EXPECT_EQ(summary->num_id_val, 15);
  EXPECT_EQ(summary->num_id_test, 15);
  EXPECT_EQ(summary->num_test, 30);

  const trainer::Dataset dataset = Open(folder() / "example").dataset;

  EXPECT_THAT(dataset.classes,
              ElementsAre("shirt", "top", "pullover", "coat", "dress", "bag",
                          "trouser", "boot", "sandal", "sneaker"));
  EXPECT_THAT(dataset.domains, ElementsAre("0", "1", "2", "3", "4"));
  ASSERT_THAT(dataset.samples, SizeIs(120));
  std::map<int64_t, std::map<trainer::Split, int>> counts;
  for (const trainer::SampleInfo& sample : dataset.samples) {
    ++counts[sample.domain][sample.split];
  }
  const std::map<trainer::Split, int> source = {{trainer::Split::kTrain, 20},
                                                {trainer::Split::kIdVal, 5},
                                                {trainer::Split::kIdTest, 5}};
  const std::map<trainer::Split, int> target = {{trainer::Split::kTest, 15}};
  int num_sources = 0;
  for (const auto& [domain, splits] : counts) {
    const bool is_source = splits.contains(trainer::Split::kTrain);
    num_sources += is_source ? 1 : 0;
    EXPECT_EQ(splits, is_source ? source : target) << domain;
  }
  EXPECT_EQ(num_sources, 3);
}

TEST_F(MakeExampleTest, EveryFrameCanBeReadAndNoTwoAreTheSame) {
  ASSERT_TRUE(Make(Options("example")).ok());
  const trainer::Dataset dataset = Open(folder() / "example").dataset;

  std::set<std::vector<float>> pictures;
  for (size_t i = 0; i < dataset.samples.size(); ++i) {
    std::vector<float> x(dataset.sample_size());
    ASSERT_TRUE(dataset.reader->Read(i, x).ok());
    EXPECT_THAT(x, Each(AllOf(Ge(0.0f), Le(1.0f))));
    pictures.insert(std::move(x));
  }

  EXPECT_THAT(pictures, SizeIs(120));
}

TEST_F(MakeExampleTest, ClassesFollowTheHabitatsThatPeopleAreTold) {
  ExampleOptions options = Options("example");
  options.num_sources = 4;
  options.frames_per_source = 60;
  ASSERT_TRUE(Make(options).ok());

  const trainer::Dataset dataset = Open(options.out).dataset;
  std::map<std::string, std::pair<double, int>> ranks;  // Sum and count.
  for (const trainer::SampleInfo& sample : dataset.samples) {
    auto& [sum, count] = ranks[dataset.domains[sample.domain]];
    sum += static_cast<double>(sample.label);
    ++count;
  }
  base::CsvTable table =
      base::CsvTable::Open(options.out / "habitats.csv").value();
  const auto columns =
      table.RequireColumns({"location_remapped", "habitat", "split"}).value();
  std::map<double, double> rank_by_habitat;
  trainer::DatasetReport unused;
  ASSERT_TRUE(
      trainer::ForEachRow(table, trainer::OnBroken::kFail, unused, [&] {
        const auto& [sum, count] = ranks[std::string(table.field(columns[0]))];
        rank_by_habitat[std::stod(std::string(table.field(columns[1])))] =
            sum / count;
        const bool is_source = table.field(columns[2]) == "train";
        EXPECT_EQ(count, is_source ? 70 : 15);
        return absl::OkStatus();
      }).ok());

  // The mean rank is 9 c but near the ends, where the bell is cut off.
  ASSERT_THAT(rank_by_habitat, SizeIs(6));
  for (const auto& [habitat, rank] : rank_by_habitat) {
    EXPECT_NEAR(rank, 0.9 + 7.2 * habitat, 1.5) << habitat;
  }
}

TEST_F(MakeExampleTest, TheSameSeedGivesTheSameBytesOnAnyNumberOfThreads) {
  routing::ThreadPool pool(3);
  ASSERT_TRUE(Make(Options("one")).ok());
  ASSERT_TRUE(Make(Options("other"), {.pool = &pool}).ok());

  const auto contents = Contents(folder() / "one");

  EXPECT_THAT(contents, SizeIs(120 + 3 + 1));
  EXPECT_EQ(contents, Contents(folder() / "other"));
}

TEST_F(MakeExampleTest, AnotherSeedGivesOtherFramesAndTables) {
  ExampleOptions options = Options("one");
  ASSERT_TRUE(Make(options).ok());
  options.out = folder() / "other";
  options.seed = 5;
  ASSERT_TRUE(Make(options).ok());

  const auto one = Contents(folder() / "one");
  const auto other = Contents(folder() / "other");

  for (const std::string name :
       {"metadata.csv", "habitats.csv", "train/000000.jpg"}) {
    EXPECT_NE(one.at(name), other.at(name)) << name;
  }
  EXPECT_EQ(one.at("categories.csv"), other.at("categories.csv"));
}

TEST_F(MakeExampleTest, TellsOfEveryFrame) {
  routing::ThreadPool pool(2);
  std::vector<int64_t> told;

  ASSERT_TRUE(MakeExample(Options("example"), {.pool = &pool},
                          [&](int64_t done, int64_t total) {
                            EXPECT_EQ(total, 120);
                            told.push_back(done);
                          })
                  .ok());

  ASSERT_THAT(told, SizeIs(120));
  for (int64_t i = 0; i < 120; ++i) EXPECT_EQ(told[i], i + 1);
}

TEST_F(MakeExampleTest, MakesTheFoldersThatTheNewOneLiesIn) {
  ExampleOptions options = Options("data/small/");

  ASSERT_TRUE(Make(options).ok());

  EXPECT_THAT(Contents(folder() / "data"), SizeIs(1 + 120 + 3 + 1));
  EXPECT_TRUE(fs::exists(folder() / "data/small/metadata.csv"));
}

TEST_F(MakeExampleTest, LeavesAloneWhatIsThereAlready) {
  WriteFile(folder() / "example", "mine");

  const absl::Status status = Make(Options("example")).status();

  EXPECT_EQ(status.code(), absl::StatusCode::kAlreadyExists);
  EXPECT_THAT(std::string(status.message()),
              HasSubstr((folder() / "example").string()));
  EXPECT_EQ(ReadFile(folder() / "example"), "mine");
}

TEST_F(MakeExampleTest, LeavesNothingBehindWhenItIsStopped) {
  std::stop_source stop;

  const absl::Status status =
      MakeExample(Options("example"), {.stop = stop.get_token()},
                  [&](int64_t done, int64_t) {
                    if (done == 7) stop.request_stop();
                  })
          .status();

  EXPECT_EQ(status.code(), absl::StatusCode::kCancelled);
  EXPECT_THAT(Contents(folder()), IsEmpty());
}

TEST_F(MakeExampleTest, LeavesNothingBehindWhenAFrameCannotBeWritten) {
  // A folder takes the place of a file that is written later.
  const absl::Status status =
      MakeExample(Options("example"), /*execution=*/{},
                  [&](int64_t done, int64_t) {
                    if (done != 7) return;
                    for (const auto& entry : fs::directory_iterator(folder())) {
                      fs::create_directory(entry.path() / "train/000050.jpg");
                    }
                  })
          .status();

  EXPECT_FALSE(status.ok());
  EXPECT_THAT(std::string(status.message()),
              AllOf(HasSubstr("cannot write"), HasSubstr("000050.jpg")));
  EXPECT_THAT(Contents(folder()), IsEmpty());
}

TEST_F(MakeExampleTest, SaysWhatIsWrongWithOptionsAndPictures) {
  ExampleOptions options = Options("example");
  options.num_sources = 0;
  EXPECT_EQ(Make(options).status().code(), absl::StatusCode::kInvalidArgument);

  options = Options("example");
  options.frames_per_target = 10'000;
  EXPECT_EQ(Make(options).status().code(), absl::StatusCode::kInvalidArgument);

  options = Options("example");
  options.images = folder() / "none";
  EXPECT_EQ(Make(options).status().code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(Contents(folder()), IsEmpty());
}

}  // namespace
}  // namespace ladder::experiments
