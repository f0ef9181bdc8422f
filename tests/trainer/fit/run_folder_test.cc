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

  const TemporaryDirectory directory_;
  FitOptions options_;
};

TEST_F(RunFolderTest, ANewOneKeepsTheOptions) {
  const absl::Status status = OpenRunFolder(options_, /*resume=*/false);

  ASSERT_TRUE(status.ok()) << status;
  FitOptions kept;
  const auto json = nlohmann::ordered_json::parse(
      Contents(std::filesystem::path(options_.run) / kOptionsFile));
  EXPECT_TRUE(FromJson(json, kept).ok());
  EXPECT_EQ(ToJson(kept), ToJson(options_));
}

TEST_F(RunFolderTest, ARunIsNotOverwritten) {
  ASSERT_TRUE(OpenRunFolder(options_, /*resume=*/false).ok());

  const absl::Status status = OpenRunFolder(options_, /*resume=*/false);

  EXPECT_EQ(status.code(), absl::StatusCode::kAlreadyExists);
  EXPECT_THAT(std::string(status.message()),
              AllOf(HasSubstr(options_.run), HasSubstr("--resume")));
}

TEST_F(RunFolderTest, ThereMustBeARunToGoOnWith) {
  const absl::Status status = OpenRunFolder(options_, /*resume=*/true);

  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(status.message()), HasSubstr(options_.run));
  EXPECT_FALSE(std::filesystem::exists(options_.run));
}

TEST_F(RunFolderTest, GoesOnWithTheSameOptions) {
  ASSERT_TRUE(OpenRunFolder(options_, /*resume=*/false).ok());

  EXPECT_TRUE(OpenRunFolder(options_, /*resume=*/true).ok());
}

TEST_F(RunFolderTest, NamesOptionsThatChanged) {
  options_.seed = 3;
  ASSERT_TRUE(OpenRunFolder(options_, /*resume=*/false).ok());
  options_.seed = 4;
  options_.method = "erm";

  const absl::Status status = OpenRunFolder(options_, /*resume=*/true);

  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(status.message()),
              AllOf(HasSubstr("seed was 3, now is 4"),
                    HasSubstr("method was \"ladder\", now is \"erm\""),
                    Not(HasSubstr("epochs"))));
}

TEST_F(RunFolderTest, WhereAndOnWhatARunWorksMayChange) {
  ASSERT_TRUE(OpenRunFolder(options_, /*resume=*/false).ok());
  options_.threads = 7;
  options_.out = "elsewhere/model";
  options_.data = "moved";
  options_.device = "auto";
  options_.loader_threads = 3;
  options_.cache_gib = 2;
  options_.checkpoint_steps = 9;

  const absl::Status status = OpenRunFolder(options_, /*resume=*/true);

  EXPECT_TRUE(status.ok()) << status;
}

TEST_F(RunFolderTest, RefusesOptionsThatAreNoJson) {
  ASSERT_TRUE(OpenRunFolder(options_, /*resume=*/false).ok());
  std::filesystem::resize_file(
      std::filesystem::path(options_.run) / kOptionsFile, 20);

  const absl::Status status = OpenRunFolder(options_, /*resume=*/true);

  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(std::string(status.message()), HasSubstr(kOptionsFile));
}

TEST_F(RunFolderTest, TellsWhyAFolderCannotBeMade) {
  options_.run = "/dev/null/run";

  const absl::Status status = OpenRunFolder(options_, /*resume=*/false);

  EXPECT_FALSE(status.ok());
  EXPECT_THAT(std::string(status.message()), HasSubstr("/dev/null/run"));
}

TEST(SourceFileTest, SortsByNumber) {
  EXPECT_EQ(SourceFile(7), "source-0007.safetensors");
  EXPECT_LT(SourceFile(9), SourceFile(10));
}

}  // namespace
}  // namespace ladder::trainer
