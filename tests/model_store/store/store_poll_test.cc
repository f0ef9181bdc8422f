#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/model_store/store/store_fixture.h"

namespace ladder::model_store {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

class StorePollTest : public StoreFixture {
 protected:
  std::string StatusOf(uint64_t version) const {
    return InfoOf("m", version).status.ToString();
  }
};

TEST_F(StorePollTest, LoadsOnlyTheLatestAtTheStart) {
  for (const uint64_t version : {1, 2, 3}) Put("m", version);

  Open();

  EXPECT_THAT(Served("m"), ElementsAre(3));
  EXPECT_EQ(loader_.loads("m/1") + loader_.loads("m/2"), 0);
  EXPECT_EQ(StateOf("m", 1), VersionState::kDiscovered);
}

TEST_F(StorePollTest, FollowsThePolicyOfEachModel) {
  for (const char* model : {"default", "all", "some"}) {
    for (const uint64_t version : {1, 2, 3}) Put(model, version);
  }
  StoreOptions options = ManualPolling();
  options.policy = VersionPolicy::Latest(2);
  options.models["all"].policy = VersionPolicy::All();
  options.models["some"].policy = VersionPolicy::Specific({1, 7});

  Open(options);

  EXPECT_THAT(Served("default"), ElementsAre(2, 3));
  EXPECT_THAT(Served("all"), ElementsAre(1, 2, 3));
  EXPECT_THAT(Served("some"), ElementsAre(1));
}

TEST_F(StorePollTest, SwapsToANewVersion) {
  Put("m", 1);
  Open();

  Put("m", 2);
  Poll();

  EXPECT_EQ(Default("m"), 2u);
  EXPECT_EQ(StateOf("m", 1), VersionState::kUnloaded);
  EXPECT_EQ(loader_.num_alive(), 1);
}

TEST_F(StorePollTest, FindsANewModel) {
  Put("a", 1);
  Open();

  Put("b", 1);
  Poll();

  EXPECT_EQ(Default("b"), 1u);
}

TEST_F(StorePollTest, KeepsTheOldVersionWhileTheNewOneLoads) {
  Put("m", 1);
  Open();
  Put("m", 2);
  loader_.Hold("m/2");

  ASSERT_TRUE(store_->Poll().ok());
  loader_.WaitForLoad("m/2");

  EXPECT_EQ(Default("m"), 1u);
  loader_.Release("m/2");
  store_->WaitUntilIdle();
  EXPECT_EQ(Default("m"), 2u);
}

TEST_F(StorePollTest, TellsTheObserverAVersionsWholeLife) {
  Put("m", 1);
  Open();
  Put("m", 2);
  Poll();

  EXPECT_THAT(observer_.steps(),
              ElementsAre("m/1 DISCOVERED > LOADING", "m/1 LOADING > SERVING",
                          "m/2 DISCOVERED > LOADING", "m/2 LOADING > SERVING",
                          "m/1 SERVING > DRAINING", "m/1 DRAINING > UNLOADED"));
  for (const VersionEvent& event : observer_.events()) {
    EXPECT_TRUE(event.status.ok());
    EXPECT_GT(event.duration, absl::ZeroDuration());
  }
}

TEST_F(StorePollTest, ABadVersionLeavesTheGoodOneInPlace) {
  Put("m", 1);
  Open();

  Put("m", 2, {.encoder = "broken"});
  Poll();

  EXPECT_EQ(Default("m"), 1u);
  EXPECT_EQ(StateOf("m", 2), VersionState::kFailed);
  EXPECT_THAT(StatusOf(2), HasSubstr("encoder.onnx: expected a model"));
  EXPECT_THAT(observer_.steps(), Not(Contains("m/1 SERVING > DRAINING")));
  EXPECT_EQ(observer_.events().back().to, VersionState::kFailed);
  EXPECT_FALSE(observer_.events().back().status.ok());
}

TEST_F(StorePollTest, FallsBackToALowerVersionAtTheStart) {
  Put("m", 1);
  Put("m", 2);
  Put("m", 3, {.encoder = "broken"});

  Open();

  EXPECT_THAT(Served("m"), ElementsAre(2));
}

TEST_F(StorePollTest, DoesNotTryAFailedVersionAgainWithoutAChange) {
  Put("m", 1, {.encoder = "broken"});
  Open();

  for (int i = 0; i < 3; ++i) Poll();

  EXPECT_EQ(loader_.loads("m/1"), 1);
}

TEST_F(StorePollTest, RefusesABundleThatClaimsAnotherIdentity) {
  Put("m", 1, {.manifest = "identity other 1"});
  Put("n", 2, {.manifest = "identity n 3"});

  Open();

  EXPECT_THAT(StatusOf(1),
              AllOf(HasSubstr("expected model \"m\" and version 1"),
                    HasSubstr("found model \"other\" and version 1")));
  EXPECT_THAT(InfoOf("n", 2).status.ToString(),
              AllOf(HasSubstr("expected model \"n\" and version 2"),
                    HasSubstr("found model \"n\" and version 3")));
}

TEST_F(StorePollTest, LoadTriesAFailedVersionAtOnce) {
  Put("m", 1, {.encoder = "broken"});
  Open();

  const absl::Status again = store_->Load("m", std::nullopt);
  Put("m", 1, {.encoder = "mended now"});
  const absl::Status mended = store_->Load("m", 1);

  EXPECT_EQ(again.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(again.message()),
              AllOf(HasSubstr("\"m\""), HasSubstr("version 1"),
                    HasSubstr("encoder.onnx")));
  EXPECT_TRUE(mended.ok()) << mended;
  EXPECT_EQ(Default("m"), 1u);
}

TEST_F(StorePollTest, LoadSaysIfTheNewestFailedAlthoughAnOlderOneServes) {
  Put("m", 1);
  Put("m", 2, {.encoder = "broken"});
  Open();

  EXPECT_EQ(store_->Load("m", std::nullopt).code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(Default("m"), 1u);
}

TEST_F(StorePollTest, LoadCannotOverrideThePolicy) {
  Put("m", 1);
  Put("m", 2);
  Open();

  const absl::Status status = store_->Load("m", 1);

  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(status.message()),
              AllOf(HasSubstr("version 1"), HasSubstr("latest 1")));
  EXPECT_THAT(Served("m"), ElementsAre(2));
}

TEST_F(StorePollTest, UnloadIsForExplicitModeOnly) {
  Put("m", 1);
  Open();

  const absl::Status status = store_->Unload("m", std::nullopt);

  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(status.message()), HasSubstr("mode poll"));
  EXPECT_EQ(Default("m"), 1u);
}

TEST_F(StorePollTest, ModeNoneLoadsAtTheStartAndNeverAgain) {
  Put("m", 1);
  StoreOptions options = {.mode = StoreMode::kNone};

  Open(options);
  Put("m", 2);
  Poll();

  EXPECT_THAT(Served("m"), ElementsAre(1));
  EXPECT_EQ(StateOf("m", 2), VersionState::kDiscovered);
  EXPECT_EQ(store_->Load("m", std::nullopt).code(),
            absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(store_->Unload("m", std::nullopt).code(),
            absl::StatusCode::kFailedPrecondition);
}

TEST_F(StorePollTest, ModeNoneStillFallsBackAndNoticesReplacement) {
  Put("m", 1, {.manifest = "old"});
  Put("m", 2, {.encoder = "broken"});
  StoreOptions options = {.mode = StoreMode::kNone};

  Open(options);
  Put("m", 1, {.manifest = "newer"});
  Remove("m/2");
  Poll();

  EXPECT_THAT(Served("m"), ElementsAre(1));
  EXPECT_THAT(StatusOf(1), HasSubstr("replaced in place"));
}

}  // namespace
}  // namespace ladder::model_store
