// What happens to the files of a store, and what the store makes of it.

#include <filesystem>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/model_store/store/store_fixture.h"

namespace ladder::model_store {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class StoreFilesTest : public StoreFixture {
 protected:
  std::string StatusOf(uint64_t version) const {
    return InfoOf("m", version).status.ToString();
  }
};

TEST_F(StoreFilesTest, TriesAFailedVersionAgainOnceItsFilesHaveSettled) {
  Put("m", 1, {.encoder = "broken"});
  Open();

  Put("m", 1, {.encoder = "mended now"});
  Poll();
  EXPECT_EQ(StateOf("m", 1), VersionState::kFailed);
  Poll();

  EXPECT_EQ(Default("m"), 1u);
  EXPECT_THAT(observer_.steps(),
              ElementsAre("m/1 DISCOVERED > LOADING", "m/1 LOADING > FAILED",
                          "m/1 FAILED > LOADING", "m/1 LOADING > SERVING"));
}

TEST_F(StoreFilesTest, LeavesACopyInProgressInPeace) {
  Put("m", 1, {.encoder = "broken"});
  Open();

  for (const char* size : {"b", "br", "bro", "brok", "broke"}) {
    Put("m", 1, {.encoder = size});
    Poll();
  }
  EXPECT_EQ(loader_.loads("m/1"), 1);
  Poll();

  EXPECT_EQ(loader_.loads("m/1"), 2);
  EXPECT_EQ(Default("m"), 1u);
}

TEST_F(StoreFilesTest, DoesNotSeeAVersionWithoutManifest) {
  Put("m", 1);
  Open();

  fs::create_directories(root_.path() / "m/2");
  WriteText(root_.path() / "m/2" / kEncoderFile, "fine");
  Poll();
  Poll();

  EXPECT_EQ(store_->Describe("m")->versions.size(), 1u);
  EXPECT_EQ(loader_.loads("m/2"), 0);
  EXPECT_EQ(Default("m"), 1u);
}

TEST_F(StoreFilesTest, ReplacingAServedVersionInPlaceIsRefused) {
  Put("m", 1, {.manifest = "old"});
  Open();

  Put("m", 1, {.manifest = "newer"});
  Poll();
  Poll();

  EXPECT_EQ(loader_.loads("m/1"), 1);
  EXPECT_EQ(store_->Get("m").value()->sha256(), FakeModelLoader::Digest("old"));
  const std::string expected = absl::StrCat(
      "replaced in place: expected sha256 ", FakeModelLoader::Digest("old"),
      ", found ", FakeModelLoader::Digest("newer"),
      "; publish it under a new version");
  EXPECT_EQ(InfoOf("m", 1).state, VersionState::kServing);
  EXPECT_EQ(InfoOf("m", 1).status, absl::FailedPreconditionError(expected));
  EXPECT_EQ(InfoOf("m", 1).sha256, FakeModelLoader::Digest("old"));
  const absl::Status reload = store_->Load("m", 1);
  EXPECT_EQ(reload.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(reload.message()), HasSubstr(expected));
  EXPECT_EQ(store_->Load("m", std::nullopt), reload);
  EXPECT_EQ(loader_.loads("m/1"), 1);
  EXPECT_THAT(observer_.steps(),
              ElementsAre("m/1 DISCOVERED > LOADING", "m/1 LOADING > SERVING",
                          "m/1 SERVING > SERVING"));
}

TEST_F(StoreFilesTest, PuttingTheOldFilesBackClearsTheRefusal) {
  Put("m", 1, {.manifest = "old"});
  Open();
  Put("m", 1, {.manifest = "newer"});
  Poll();

  Put("m", 1, {.manifest = "old"});
  Poll();

  EXPECT_TRUE(InfoOf("m", 1).status.ok());
  EXPECT_TRUE(observer_.events().back().status.ok());
}

TEST_F(StoreFilesTest, TouchingFilesIsNoReplacement) {
  Put("m", 1);
  Open();

  Put("m", 1);
  Poll();

  EXPECT_TRUE(InfoOf("m", 1).status.ok());
  EXPECT_EQ(loader_.loads("m/1"), 1);
}

TEST_F(StoreFilesTest, RemovingTheNewestVersionRollsBack) {
  Put("m", 1);
  Put("m", 2);
  Open();

  Remove("m/2");
  Poll();
  EXPECT_EQ(Default("m"), 2u) << "one scan may be mistaken";
  Poll();

  EXPECT_EQ(Default("m"), 1u);
  EXPECT_EQ(loader_.num_alive(), 1);
  Poll();
  EXPECT_EQ(store_->Describe("m")->versions.size(), 1u);
}

TEST_F(StoreFilesTest, CallsOffALoadWhoseFilesAreGone) {
  Put("m", 1);
  loader_.Hold("m/1");
  OpenOnly(ManualPolling());
  loader_.WaitForLoad("m/1");

  Put("m", 2);
  Remove("m/1");
  store_->Poll().IgnoreError();
  EXPECT_EQ(StateOf("m", 1), VersionState::kLoading)
      << "one scan may be mistaken";
  Poll();

  EXPECT_EQ(Default("m"), 2u);
  EXPECT_EQ(store_->Describe("m")->versions.size(), 2u);
  Poll();
  EXPECT_EQ(store_->Describe("m")->versions.size(), 1u);
}

TEST_F(StoreFilesTest, TheOnlyServedVersionOutlivesItsFiles) {
  Put("m", 1);
  Open();

  Remove("m/1");
  for (int i = 0; i < 3; ++i) Poll();

  EXPECT_EQ(Default("m"), 1u);
  EXPECT_THAT(StatusOf(1), HasSubstr("removed from disk"));
}

TEST_F(StoreFilesTest, ALabelledVersionOutlivesItsFilesBesideOthers) {
  Put("m", 1);
  Open();
  ASSERT_TRUE(store_->SetLabel("m", "stable", 1).ok());

  Put("m", 2);
  Remove("m/1");
  for (int i = 0; i < 3; ++i) Poll();

  EXPECT_THAT(Served("m"), ElementsAre(1, 2));
}

TEST_F(StoreFilesTest, RemovingAModelsFolderUnloadsItLabelsOrNot) {
  Put("a", 1);
  Put("b", 1);
  Open();
  ASSERT_TRUE(store_->SetLabel("a", "stable", 1).ok());

  Remove("a");
  Poll();
  EXPECT_EQ(Default("a"), 1u) << "one scan may be mistaken";
  Poll();
  Poll();

  EXPECT_EQ(store_->Get("a").status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(Default("b"), 1u);
  EXPECT_EQ(store_->List().models.size(), 1u);
  EXPECT_EQ(loader_.num_alive(), 1);
}

TEST_F(StoreFilesTest, AVersionThatComesBackIsNotGone) {
  Put("a", 1);
  Put("b", 1);
  Open();

  fs::rename(root_.path() / "a", root_.path() / ".a");
  Poll();
  fs::rename(root_.path() / ".a", root_.path() / "a");
  Poll();
  fs::rename(root_.path() / "a", root_.path() / ".a");
  Poll();

  EXPECT_EQ(Default("a"), 1u);
  EXPECT_EQ(loader_.loads("a/1"), 1);
}

TEST_F(StoreFilesTest, ForgetsVersionsThatWereNeverLoaded) {
  Put("m", 1);
  Put("m", 2);
  Open();

  Remove("m/1");
  Poll();
  Poll();

  EXPECT_EQ(store_->Describe("m")->versions.size(), 1u);
}

TEST_F(StoreFilesTest, KeepsServingWhenTheDirectoryVanishes) {
  Put("m", 1);
  Open();
  const fs::path away = root_.path().string() + ".away";

  fs::rename(root_.path(), away);
  const absl::Status first = store_->Poll();
  for (int i = 0; i < 3; ++i) Poll();

  EXPECT_EQ(first.code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(store_->List().status, first);
  EXPECT_THAT(std::string(first.message()), HasSubstr(root_.path().string()));
  EXPECT_EQ(Default("m"), 1u);
  fs::rename(away, root_.path());
  Poll();
  EXPECT_TRUE(store_->List().status.ok());
  EXPECT_THAT(observer_.statuses(), ElementsAre(first, absl::OkStatus()));
}

TEST_F(StoreFilesTest, KeepsServingWhenTheDirectoryIsSuddenlyEmpty) {
  Put("m", 1);
  Open();

  Remove("m");
  for (int i = 0; i < 3; ++i) Poll();

  EXPECT_EQ(Default("m"), 1u);
  EXPECT_THAT(store_->List().status.ToString(), HasSubstr("is empty"));
}

TEST_F(StoreFilesTest, AnEmptyStoreIsFine) {
  Open();
  EXPECT_THAT(store_->List().models, IsEmpty());

  Put("m", 1);
  Poll();

  EXPECT_EQ(Default("m"), 1u);
}

}  // namespace
}  // namespace ladder::model_store
