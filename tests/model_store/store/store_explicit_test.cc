#include <stop_token>
#include <string>
#include <thread>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/model_store/store/store_fixture.h"

namespace ladder::model_store {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class StoreExplicitTest : public StoreFixture {
 protected:
  void OpenExplicit(ModelConfig config = {}) {
    StoreOptions options = {.mode = StoreMode::kExplicit};
    options.models["m"] = std::move(config);
    Open(options);
  }
};

TEST_F(StoreExplicitTest, ListsButLoadsNothingByItself) {
  Put("m", 1);

  OpenExplicit();
  Put("m", 2);
  Put("n", 1);
  Poll();

  EXPECT_EQ(StateOf("m", 1), VersionState::kDiscovered);
  EXPECT_EQ(StateOf("m", 2), VersionState::kDiscovered);
  EXPECT_EQ(StateOf("n", 1), VersionState::kDiscovered);
  EXPECT_THAT(observer_.steps(), IsEmpty());
  EXPECT_EQ(store_->Get("m").status().code(), absl::StatusCode::kNotFound);
}

TEST_F(StoreExplicitTest, LoadFollowsThePolicy) {
  for (const uint64_t version : {1, 2, 3}) Put("m", version);
  OpenExplicit({.policy = VersionPolicy::Latest(2)});

  const absl::Status status = store_->Load("m", std::nullopt);

  EXPECT_TRUE(status.ok()) << status;
  EXPECT_THAT(Served("m"), ElementsAre(2, 3));
}

TEST_F(StoreExplicitTest, PollDoesNotLoadWhatIsNew) {
  Put("m", 1);
  OpenExplicit();
  ASSERT_TRUE(store_->Load("m", std::nullopt).ok());

  Put("m", 2);
  Poll();
  EXPECT_THAT(Served("m"), ElementsAre(1));
  ASSERT_TRUE(store_->Load("m", std::nullopt).ok());

  EXPECT_THAT(Served("m"), ElementsAre(2));
}

TEST_F(StoreExplicitTest, LoadsAVersionBesideWhatIsServed) {
  for (const uint64_t version : {1, 2, 3}) Put("m", version);
  OpenExplicit();

  ASSERT_TRUE(store_->Load("m", 1).ok());
  ASSERT_TRUE(store_->Load("m", 2).ok());

  EXPECT_THAT(Served("m"), ElementsAre(1, 2));
  EXPECT_EQ(loader_.loads("m/3"), 0);
}

TEST_F(StoreExplicitTest, LoadingAServedVersionAgainDoesNothing) {
  Put("m", 1);
  OpenExplicit();

  ASSERT_TRUE(store_->Load("m", 1).ok());
  ASSERT_TRUE(store_->Load("m", 1).ok());

  EXPECT_EQ(loader_.loads("m/1"), 1);
}

TEST_F(StoreExplicitTest, LoadReturnsTheReasonOfAFailure) {
  Put("m", 1, {.encoder = "broken"});
  OpenExplicit();

  const absl::Status status = store_->Load("m", 1);

  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()),
              AllOf(HasSubstr("version 1"), HasSubstr("encoder.onnx")));
}

TEST_F(StoreExplicitTest, LoadOfWhatIsNotOnDiskIsNotFound) {
  Put("m", 1);
  OpenExplicit();

  const absl::Status version = store_->Load("m", 9);
  const absl::Status model = store_->Load("absent", std::nullopt);

  EXPECT_EQ(version.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(version.message()),
              AllOf(HasSubstr("\"m\""), HasSubstr("version 9")));
  EXPECT_EQ(model.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(model.message()), HasSubstr("absent"));
  EXPECT_THAT(Served("m"), IsEmpty());
}

TEST_F(StoreExplicitTest, LoadOfAModelWithoutVersionsIsNotFound) {
  std::filesystem::create_directories(root_.path() / "m/tmp");
  OpenExplicit();

  EXPECT_EQ(store_->Load("m", std::nullopt).code(),
            absl::StatusCode::kNotFound);
  EXPECT_THAT(store_->List().models, IsEmpty());
}

TEST_F(StoreExplicitTest, NamesNeverLeaveTheDirectory) {
  OpenExplicit();

  for (const char* name : {"", ".", "..", "../m", "a/b", "/etc"}) {
    EXPECT_EQ(store_->Load(name, std::nullopt).code(),
              absl::StatusCode::kInvalidArgument)
        << name;
  }
}

TEST_F(StoreExplicitTest, LoadNeverUnloadsWhatHasLostItsFolder) {
  Put("m", 1);
  OpenExplicit();
  ASSERT_TRUE(store_->Load("m", std::nullopt).ok());

  Remove("m");
  const absl::Status status = store_->Load("m", std::nullopt);

  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(Default("m"), 1u);
}

TEST_F(StoreExplicitTest, UnloadReturnsMemory) {
  Put("m", 1);
  Put("m", 2);
  OpenExplicit({.policy = VersionPolicy::All()});
  ASSERT_TRUE(store_->Load("m", std::nullopt).ok());

  ASSERT_TRUE(store_->Unload("m", std::nullopt).ok());
  store_->WaitUntilIdle();

  EXPECT_EQ(loader_.num_alive(), 0);
  EXPECT_EQ(StateOf("m", 1), VersionState::kUnloaded);
  EXPECT_EQ(store_->Get("m").status().code(), absl::StatusCode::kNotFound);
}

TEST_F(StoreExplicitTest, UnloadsOneVersionAndLoadsNoOtherInstead) {
  for (const uint64_t version : {1, 2, 3}) Put("m", version);
  OpenExplicit({.policy = VersionPolicy::Latest(2)});
  ASSERT_TRUE(store_->Load("m", std::nullopt).ok());

  ASSERT_TRUE(store_->Unload("m", 3).ok());
  store_->WaitUntilIdle();

  EXPECT_THAT(Served("m"), ElementsAre(2));
  EXPECT_EQ(StateOf("m", 3), VersionState::kUnloaded);
}

TEST_F(StoreExplicitTest, UnloadOfWhatIsNotLoadedIsNotFound) {
  Put("m", 1);
  OpenExplicit();

  const absl::Status version = store_->Unload("m", 1);

  EXPECT_EQ(version.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(version.message()), HasSubstr("version 1"));
  EXPECT_EQ(store_->Unload("m", std::nullopt).code(),
            absl::StatusCode::kNotFound);
  EXPECT_EQ(store_->Unload("absent", std::nullopt).code(),
            absl::StatusCode::kNotFound);
}

TEST_F(StoreExplicitTest, UnloadRefusesALabelledVersion) {
  Put("m", 1);
  OpenExplicit();
  ASSERT_TRUE(store_->Load("m", 1).ok());
  ASSERT_TRUE(store_->SetLabel("m", "stable", 1).ok());

  const absl::Status version = store_->Unload("m", 1);
  EXPECT_EQ(version.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(version.message()), HasSubstr("label"));
  EXPECT_EQ(Default("m"), 1u);

  EXPECT_TRUE(store_->Unload("m", std::nullopt).ok());
  store_->WaitUntilIdle();
  EXPECT_EQ(loader_.num_alive(), 0);
  EXPECT_EQ(store_->GetLabelled("m", "stable").status().code(),
            absl::StatusCode::kNotFound);
}

TEST_F(StoreExplicitTest, UnloadCallsOffALoad) {
  Put("m", 1);
  OpenExplicit();
  loader_.Hold("m/1");
  absl::Status loaded;
  std::thread load([&] { loaded = store_->Load("m", 1); });
  loader_.WaitForLoad("m/1");

  EXPECT_TRUE(store_->Unload("m", 1).ok());
  load.join();

  EXPECT_EQ(StateOf("m", 1), VersionState::kUnloaded);
  EXPECT_EQ(loaded.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(loaded.message()), HasSubstr("UNLOADED"));
}

TEST_F(StoreExplicitTest, LoadStopsWaitingWhenToldTo) {
  Put("m", 1);
  OpenExplicit();
  loader_.Hold("m/1");
  std::stop_source stop;
  stop.request_stop();

  const absl::Status status = store_->Load("m", 1, stop.get_token());

  EXPECT_EQ(status.code(), absl::StatusCode::kCancelled);
  loader_.Release("m/1");
  store_->WaitUntilIdle();
  EXPECT_EQ(Default("m"), 1u) << "loading went on";
}

TEST_F(StoreExplicitTest, AVersionUnloadedAndReplacedMayBeLoadedAgain) {
  Put("m", 1, {.manifest = "old"});
  OpenExplicit();
  ASSERT_TRUE(store_->Load("m", 1).ok());
  ASSERT_TRUE(store_->Unload("m", 1).ok());
  store_->WaitUntilIdle();

  Put("m", 1, {.manifest = "newer"});
  ASSERT_TRUE(store_->Load("m", 1).ok());

  EXPECT_EQ(store_->Get("m").value()->sha256(),
            FakeModelLoader::Digest("newer"));
}

TEST_F(StoreExplicitTest, ConfiguredLabelsAreLoadedWithThePolicyOnly) {
  for (const uint64_t version : {1, 2, 3}) Put("m", version);
  ModelConfig config;
  config.labels["stable"] = 1;
  OpenExplicit(config);

  ASSERT_TRUE(store_->Load("m", 2).ok());
  EXPECT_THAT(Served("m"), ElementsAre(2));
  ASSERT_TRUE(store_->Load("m", std::nullopt).ok());

  EXPECT_THAT(Served("m"), ElementsAre(1, 3));
}

}  // namespace
}  // namespace ladder::model_store
