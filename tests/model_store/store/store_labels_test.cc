// Labels that change while versions are served.

#include <filesystem>
#include <string>
#include <thread>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/model_store/store/store_fixture.h"

namespace ladder::model_store {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class StoreLabelsTest : public StoreFixture {
 protected:
  void WriteLabels(const std::string& text) {
    WriteText(root_.path() / "m" / kLabelsFile, text);
  }

  Labels FileLabels() const {
    return StoreDirectory::Open(root_.path())->ReadLabels("m").value();
  }

  std::string LabelsStatus() const {
    return std::string(store_->Describe("m")->labels_status.message());
  }

  uint64_t VersionOf(const std::string& label) const {
    const auto handle = store_->GetLabelled("m", label);
    return handle.ok() ? (*handle)->manifest().version : 0;
  }
};

TEST_F(StoreLabelsTest, WhoNamesNothingGetsTheStableVersion) {
  Put("m", 1);
  Put("m", 2);
  WriteLabels(R"({"stable": 1, "canary": 2})");
  Open();

  EXPECT_EQ(Default("m"), 1u);
  EXPECT_EQ(store_->Describe("m")->default_version, 1u);
  EXPECT_EQ(VersionOf("canary"), 2u);
}

TEST_F(StoreLabelsTest, FollowsTheFile) {
  Put("m", 1);
  Put("m", 2);
  WriteLabels(R"({"stable": 1})");
  Open();
  EXPECT_THAT(Served("m"), ElementsAre(1, 2));

  WriteLabels(R"({"stable": 2})");
  Poll();

  EXPECT_EQ(Default("m"), 2u);
  EXPECT_THAT(Served("m"), ElementsAre(2));
  EXPECT_THAT(observer_.labels(), ElementsAre("m stable=1", "m stable=2"));
}

TEST_F(StoreLabelsTest, ALabelMovesOnceItsNewVersionIsServed) {
  Put("m", 1);
  Put("m", 2);
  WriteLabels(R"({"stable": 2})");
  Open();
  EXPECT_THAT(Served("m"), ElementsAre(2));

  WriteLabels(R"({"stable": 1})");
  loader_.Hold("m/1");
  store_->Poll().IgnoreError();
  loader_.WaitForLoad("m/1");
  EXPECT_EQ(Default("m"), 2u);
  EXPECT_EQ(LabelsStatus(),
            "label \"stable\" stays with version 2 until version 1 is served");
  loader_.Release("m/1");
  store_->WaitUntilIdle();

  EXPECT_EQ(Default("m"), 1u);
  EXPECT_EQ(LabelsStatus(), "");
}

TEST_F(StoreLabelsTest, ALabelForAVersionThatIsNotThereStays) {
  Put("m", 1);
  WriteLabels(R"({"stable": 1})");
  Open();

  WriteLabels(R"({"stable": 11})");
  Poll();

  EXPECT_EQ(Default("m"), 1u);
  EXPECT_THAT(LabelsStatus(), HasSubstr("until version 11 is served"));
}

TEST_F(StoreLabelsTest, AFileThatCannotBeUsedLeavesTheLabelsAsTheyWere) {
  Put("m", 1);
  Put("m", 2);
  WriteLabels(R"({"stable": 1})");
  Open();

  for (const char* text : {"", "{\"stable\": 2", "{\"stable\": \"2\"}"}) {
    WriteLabels(text);
    Poll();
    EXPECT_EQ(Default("m"), 1u) << text;
    EXPECT_THAT(LabelsStatus(),
                HasSubstr("labels stay as they were: labels.json: "))
        << text;
  }
  EXPECT_FALSE(store_->SetLabel("m", "stable", 2).ok());
  WriteLabels(R"({"stable": 2})");
  Poll();

  EXPECT_EQ(Default("m"), 2u);
  EXPECT_EQ(LabelsStatus(), "");
}

TEST_F(StoreLabelsTest, WithoutTheFileOnlyConfiguredLabelsStay) {
  Put("m", 1);
  Put("m", 2);
  StoreOptions options = ManualPolling();
  options.models["m"].labels = {{"old", 1}};
  WriteLabels(R"({"stable": 1})");
  Open(options);

  std::filesystem::remove(root_.path() / "m" / kLabelsFile);
  Poll();

  EXPECT_EQ(Default("m"), 2u);
  EXPECT_EQ(VersionOf("old"), 1u);
}

TEST_F(StoreLabelsTest, TheFileIsRightWhereALabelIsConfiguredToo) {
  Put("m", 1);
  Put("m", 2);
  StoreOptions options = ManualPolling();
  options.models["m"].labels = {{"stable", 1}, {"old", 1}};
  WriteLabels(R"({"stable": 2})");

  Open(options);

  EXPECT_EQ(Default("m"), 2u);
  EXPECT_EQ(VersionOf("old"), 1u);
}

TEST_F(StoreLabelsTest, WhatIsSetSurvivesTheStoreAndReachesOthers) {
  Put("m", 1);
  Put("m", 2);
  StoreOptions options = ManualPolling();
  options.policy = VersionPolicy::All();
  Open(options);
  const auto replica = ModelStore::Open(root_.path(), loader_, options).value();
  replica->WaitUntilIdle();

  ASSERT_TRUE(store_->SetLabel("m", "stable", 1).ok());

  EXPECT_EQ(FileLabels(), (Labels{{"stable", 1}}));
  ASSERT_TRUE(replica->Poll().ok());
  EXPECT_EQ(replica->Get("m").value()->manifest().version, 1u);
  Open(options);
  EXPECT_EQ(Default("m"), 1u);
  ASSERT_TRUE(store_->RemoveLabel("m", "stable").ok());
  EXPECT_THAT(FileLabels(), IsEmpty());
  EXPECT_EQ(Default("m"), 2u);
}

TEST_F(StoreLabelsTest, AConfiguredLabelCannotBeRemoved) {
  Put("m", 1);
  StoreOptions options = ManualPolling();
  options.models["m"].labels = {{"stable", 1}};
  Open(options);

  EXPECT_EQ(store_->RemoveLabel("m", "stable").code(),
            absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(store_->RemoveLabel("m", "canary").code(),
            absl::StatusCode::kNotFound);
}

TEST_F(StoreLabelsTest, OtherModesFollowTheFileWithoutLoadingForIt) {
  Put("m", 1);
  Put("m", 2);
  WriteLabels(R"({"stable": 1})");
  StoreOptions options = {.mode = StoreMode::kNone,
                          .poll_interval = absl::Milliseconds(1)};
  Open(options);
  ASSERT_EQ(Default("m"), 1u);

  WriteLabels(R"({"stable": 2})");
  while (Default("m") != 2) std::this_thread::yield();
  Put("m", 3);
  WriteLabels(R"({"stable": 3})");
  while (LabelsStatus().empty()) std::this_thread::yield();

  EXPECT_EQ(Default("m"), 2u);
  EXPECT_EQ(loader_.loads("m/3"), 0);
}

}  // namespace
}  // namespace ladder::model_store
