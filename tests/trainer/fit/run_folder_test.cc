#include "trainer/fit/run_folder.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/trainer/fit/small_run.h"

namespace ladder::trainer {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class RunFolderTest : public ::testing::Test {
 protected:
  RunFolderTest() : options_(SmallOptions()) {
    options_.run = directory_.path() / "runs" / "one";
  }

  absl::Status Open(bool resume) {
    return OpenRunFolder(options_, dataset_, resume, observer_);
  }

  std::filesystem::path File(const std::string& name) const {
    return std::filesystem::path(options_.run) / name;
  }

  const TemporaryDirectory directory_;
  FitOptions options_;
  Dataset dataset_ = SmallDataset();
  RecordingObserver observer_;
};

TEST_F(RunFolderTest, ANewOneKeepsTheOptions) {
  const absl::Status status = Open(/*resume=*/false);

  ASSERT_TRUE(status.ok()) << status;
  FitOptions kept;
  const auto json = nlohmann::ordered_json::parse(Contents(File(kOptionsFile)));
  EXPECT_TRUE(FromJson(json, kept).ok());
  EXPECT_EQ(ToJson(kept), ToJson(options_));
}

TEST_F(RunFolderTest, ARunIsNotOverwritten) {
  ASSERT_TRUE(Open(/*resume=*/false).ok());

  const absl::Status status = Open(/*resume=*/false);

  EXPECT_EQ(status.code(), absl::StatusCode::kAlreadyExists);
  EXPECT_THAT(std::string(status.message()),
              AllOf(HasSubstr(options_.run), HasSubstr("--resume")));
}

TEST_F(RunFolderTest, ThereMustBeARunToGoOnWith) {
  const absl::Status status = Open(/*resume=*/true);

  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(status.message()), HasSubstr(options_.run));
  EXPECT_FALSE(std::filesystem::exists(options_.run));
}

TEST_F(RunFolderTest, GoesOnWithTheSameOptions) {
  ASSERT_TRUE(Open(/*resume=*/false).ok());

  EXPECT_TRUE(Open(/*resume=*/true).ok());
}

TEST_F(RunFolderTest, NamesOptionsThatChanged) {
  options_.seed = 3;
  ASSERT_TRUE(Open(/*resume=*/false).ok());
  options_.seed = 4;
  options_.method = "erm";

  const absl::Status status = Open(/*resume=*/true);

  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(status.message()),
              AllOf(HasSubstr("seed was 3, now is 4"),
                    HasSubstr("method was \"ladder\", now is \"erm\""),
                    Not(HasSubstr("epochs"))));
}

TEST_F(RunFolderTest, WhereAndOnWhatARunWorksMayChange) {
  ASSERT_TRUE(Open(/*resume=*/false).ok());
  options_.threads = 7;
  options_.out = "elsewhere/model";
  options_.data = "moved";
  options_.device = "auto";
  options_.loader_threads = 3;
  options_.cache_gib = 2;
  options_.checkpoint_steps = 9;

  const absl::Status status = Open(/*resume=*/true);

  EXPECT_TRUE(status.ok()) << status;
}

TEST_F(RunFolderTest, RefusesAnotherDataSet) {
  ASSERT_TRUE(Open(/*resume=*/false).ok());
  const std::string before = DigestOf(dataset_);
  dataset_.samples[7].label = 1 - dataset_.samples[7].label;

  const absl::Status status = Open(/*resume=*/true);

  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(status.message()),
              AllOf(HasSubstr(File(kDataFile).string()),
                    HasSubstr("expected the data set that the run began with, {"
                              "\"samples\":160,\"classes\":2,\"domains\":4,"),
                    HasSubstr(before), HasSubstr("got another one, {"),
                    HasSubstr(DigestOf(dataset_))));
}

TEST_F(RunFolderTest, AnOldRunKeepsToTheDataThatItGoesOnWith) {
  ASSERT_TRUE(Open(/*resume=*/false).ok());
  std::filesystem::remove(File(kDataFile));

  EXPECT_TRUE(Open(/*resume=*/true).ok());
  EXPECT_EQ(observer_.CountMessages("cannot be checked this time"), 1);
  EXPECT_TRUE(Open(/*resume=*/true).ok());
  EXPECT_EQ(observer_.CountMessages("cannot be checked this time"), 1);

  dataset_.samples.pop_back();
  EXPECT_EQ(Open(/*resume=*/true).code(),
            absl::StatusCode::kFailedPrecondition);
}

TEST_F(RunFolderTest, RefusesOptionsThatAreNoJson) {
  ASSERT_TRUE(Open(/*resume=*/false).ok());
  std::filesystem::resize_file(File(kOptionsFile), 20);

  const absl::Status status = Open(/*resume=*/true);

  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(std::string(status.message()), HasSubstr(kOptionsFile));
}

TEST_F(RunFolderTest, RefusesADataSetThatIsNoJson) {
  ASSERT_TRUE(Open(/*resume=*/false).ok());
  std::filesystem::resize_file(File(kDataFile), 20);

  const absl::Status status = Open(/*resume=*/true);

  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(std::string(status.message()), HasSubstr(kDataFile));
}

TEST_F(RunFolderTest, TellsWhyAFolderCannotBeMade) {
  options_.run = "/dev/null/run";

  const absl::Status status = Open(/*resume=*/false);

  EXPECT_FALSE(status.ok());
  EXPECT_THAT(std::string(status.message()), HasSubstr("/dev/null/run"));
}

TEST(SourceFileTest, SortsByNumber) {
  EXPECT_EQ(SourceFile(7), "source-0007.safetensors");
  EXPECT_LT(SourceFile(9), SourceFile(10));
}

}  // namespace
}  // namespace ladder::trainer
