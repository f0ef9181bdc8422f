#include <atomic>
#include <thread>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/model_store/store/store_fixture.h"

namespace ladder::model_store {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class StoreHandlesTest : public StoreFixture {};

TEST_F(StoreHandlesTest, AHandleKeepsARetiredVersionDraining) {
  Put("m", 1);
  Open();
  auto handle = store_->Get("m").value();

  Put("m", 2);
  Poll();
  EXPECT_EQ(StateOf("m", 1), VersionState::kDraining);
  EXPECT_EQ(handle->manifest().version, 1u);
  EXPECT_EQ(loader_.num_alive(), 2);
  const auto draining = store_->GetVersion("m", 1);
  EXPECT_EQ(draining.status().code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(draining.status().message()), HasSubstr("DRAINING"));

  handle.reset();
  store_->WaitUntilIdle();
  EXPECT_EQ(StateOf("m", 1), VersionState::kUnloaded);
  EXPECT_EQ(loader_.num_alive(), 1);
}

TEST_F(StoreHandlesTest, AVersionWantedAgainWhileDrainingIsServedAtOnce) {
  Put("m", 1);
  Open();
  auto handle = store_->Get("m").value();
  Put("m", 2);
  Poll();

  Remove("m/2");
  Poll();
  Poll();

  EXPECT_EQ(Default("m"), 1u);
  EXPECT_EQ(loader_.loads("m/1"), 1);
  EXPECT_EQ(store_->Get("m").value(), handle);
  handle.reset();
  store_->WaitUntilIdle();
  EXPECT_EQ(StateOf("m", 1), VersionState::kServing);
  EXPECT_THAT(observer_.steps(),
              ElementsAre("m/1 DISCOVERED > LOADING", "m/1 LOADING > SERVING",
                          "m/2 DISCOVERED > LOADING", "m/2 LOADING > SERVING",
                          "m/1 SERVING > DRAINING", "m/2 SERVING > SERVING",
                          "m/1 DRAINING > SERVING", "m/2 SERVING > DRAINING",
                          "m/2 DRAINING > UNLOADED"));
}

TEST_F(StoreHandlesTest, AVersionReplacedWhileDrainingWaitsUntilItHasDrained) {
  Put("m", 1, {.manifest = "old"});
  StoreOptions options = {.mode = StoreMode::kExplicit};
  Open(options);
  ASSERT_TRUE(store_->Load("m", 1).ok());
  auto handle = store_->Get("m").value();
  ASSERT_TRUE(store_->Unload("m", 1).ok());
  Put("m", 1, {.manifest = "newer"});

  const absl::Status status = store_->Load("m", 1);
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(status.message()), HasSubstr("replaced in place"));
  handle.reset();
  store_->WaitUntilIdle();

  EXPECT_EQ(store_->Get("m").value()->sha256(),
            FakeModelLoader::Digest("newer"));
}

TEST_F(StoreHandlesTest, HandlesOutliveTheStore) {
  Put("m", 1);
  Open();
  auto handle = store_->Get("m").value();

  store_.reset();

  EXPECT_EQ(handle->manifest().version, 1u);
  EXPECT_EQ(loader_.num_alive(), 1);
  handle.reset();
  EXPECT_EQ(loader_.num_alive(), 0);
}

TEST_F(StoreHandlesTest, TheDestructorCallsOffALoad) {
  Put("m", 1);
  loader_.Hold("m/1");
  OpenOnly(ManualPolling());
  loader_.WaitForLoad("m/1");

  store_.reset();

  EXPECT_EQ(loader_.num_alive(), 0);
  EXPECT_THAT(observer_.steps(), ElementsAre("m/1 DISCOVERED > LOADING",
                                             "m/1 LOADING > UNLOADED"));
}

TEST_F(StoreHandlesTest, LoadsOneAfterTheOtherUnlessToldOtherwise) {
  for (const char* model : {"a", "b", "c"}) Put(model, 1);

  Open();

  EXPECT_EQ(loader_.max_parallel(), 1);
}

TEST_F(StoreHandlesTest, LoadsInParallelUpToTheLimit) {
  for (const char* model : {"a", "b", "c"}) {
    Put(model, 1);
    loader_.Hold(absl::StrCat(model, "/1"));
  }
  StoreOptions options = ManualPolling();
  options.parallel_loads = 2;

  OpenOnly(options);
  loader_.WaitForLoad("a/1");
  loader_.WaitForLoad("b/1");
  for (const char* model : {"a", "b", "c"}) {
    loader_.Release(absl::StrCat(model, "/1"));
  }
  store_->WaitUntilIdle();

  EXPECT_EQ(loader_.max_parallel(), 2);
  EXPECT_EQ(Default("c"), 1u);
}

TEST_F(StoreHandlesTest, AModelWithoutServiceIsLoadedBeforeMoreVersions) {
  Put("a", 1);
  Put("a", 2);
  Put("b", 1);
  loader_.Hold("b/1");
  StoreOptions options = ManualPolling();
  options.policy = VersionPolicy::All();

  OpenOnly(options);
  loader_.WaitForLoad("b/1");

  EXPECT_EQ(loader_.loads("a/2"), 1);
  EXPECT_EQ(loader_.loads("a/1"), 0);
  loader_.Release("b/1");
}

TEST_F(StoreHandlesTest, ThePollingThreadFindsNewVersions) {
  Put("m", 1);
  StoreOptions options = {.poll_interval = absl::Milliseconds(1)};
  Open(options);

  Put("m", 2);
  loader_.WaitForLoad("m/2");
  store_->WaitUntilIdle();

  EXPECT_EQ(Default("m"), 2u);
}

// Readers ask all the time while versions come and go: each must get an answer,
// and never an older version than before.
TEST_F(StoreHandlesTest, SwapsWithoutAGapUnderConcurrentReaders) {
  constexpr uint64_t kLast = 12;
  Put("m", 1);
  Open();
  std::atomic<int> gaps = 0;
  std::atomic<int> backwards = 0;
  std::vector<std::jthread> readers;
  for (int i = 0; i < 3; ++i) {
    readers.emplace_back([&] {
      uint64_t last = 0;
      while (last < kLast) {
        const auto handle = store_->Get("m");
        if (!handle.ok()) {
          ++gaps;
          continue;
        }
        const uint64_t version = (*handle)->manifest().version;
        if (version < last) ++backwards;
        last = version;
      }
    });
  }

  for (uint64_t version = 2; version <= kLast; ++version) {
    Put("m", version);
    Poll();
  }
  readers.clear();
  store_->WaitUntilIdle();

  EXPECT_EQ(gaps, 0);
  EXPECT_EQ(backwards, 0);
  EXPECT_EQ(loader_.num_alive(), 1);
}

}  // namespace
}  // namespace ladder::model_store
