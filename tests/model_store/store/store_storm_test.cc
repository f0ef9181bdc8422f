// Random operators, fixed seeds: whatever they do, the store keeps its promises
// and no version takes a step that the diagram does not have (which would
// crash).

#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/model_store/store/store_fixture.h"

namespace ladder::model_store {
namespace {

constexpr int kSteps = 120;
constexpr uint64_t kMaxVersion = 5;

class StoreStormTest : public StoreFixture,
                       public testing::WithParamInterface<int> {
 protected:
  uint64_t Random(uint64_t count) { return random_() % count; }
  uint64_t RandomVersion() { return 1 + Random(kMaxVersion); }

  void ChangeFiles() {
    const uint64_t version = RandomVersion();
    const std::string folder = absl::StrCat("m/", version);
    switch (Random(5)) {
      case 0:
        Remove(folder);
        break;
      case 1:
        Put("m", version, {.encoder = "broken"});
        break;
      case 2:
        Remove(absl::StrCat(folder, "/", kManifestFile));
        break;
      case 3:  // In place, if it is there.
        Put("m", version, {.manifest = std::string(1 + Random(9), 'x')});
        break;
      default:
        Put("m", version);
    }
  }

  void ChangeHandles() {
    if (Random(2) == 0) {
      auto handle = store_->GetVersion("m", RandomVersion());
      if (handle.ok()) handles_.push_back(*std::move(handle));
    } else if (!handles_.empty()) {
      handles_.erase(handles_.begin() +
                     static_cast<ptrdiff_t>(Random(handles_.size())));
    }
  }

  void ChangeLabels() {
    const std::string label = Random(2) == 0 ? "stable" : "canary";
    if (Random(2) == 0) {
      store_->SetLabel("m", label, RandomVersion()).IgnoreError();
    } else {
      store_->RemoveLabel("m", label).IgnoreError();
    }
  }

  // What must be true whenever the store is at rest.
  void CheckAtRest() {
    store_->WaitUntilIdle();
    int in_memory = 0;
    for (const ModelInfo& model : store_->List().models) {
      for (const VersionInfo& version : model.versions) {
        const bool served = version.state == VersionState::kServing;
        in_memory += served || version.state == VersionState::kDraining;
        EXPECT_EQ(store_->GetVersion(model.name, version.version).ok(), served);
        EXPECT_NE(version.state, VersionState::kLoading);
        EXPECT_FALSE(version.waiting);
        if (version.state == VersionState::kFailed) {
          EXPECT_FALSE(version.status.ok());
        }
      }
    }
    EXPECT_EQ(loader_.num_alive(), in_memory);
  }

  std::mt19937_64 random_{static_cast<uint64_t>(GetParam())};
  std::vector<ModelHandle> handles_;
};

TEST_P(StoreStormTest, PollingNeverLosesAModelOnceServed) {
  Put("m", 1);
  Put("other", 1);
  StoreOptions options = ManualPolling();
  options.policy =
      Random(2) == 0 ? VersionPolicy::Latest(2) : VersionPolicy::All();
  Open(options);

  for (int step = 0; step < kSteps; ++step) {
    ChangeFiles();
    ChangeHandles();
    if (Random(3) == 0) ChangeLabels();
    if (Random(4) == 0) store_->Load("m", std::nullopt).IgnoreError();
    store_->Poll().IgnoreError();
    EXPECT_TRUE(store_->Get("m").ok()) << "step " << step;
    CheckAtRest();
    EXPECT_TRUE(store_->Get("m").ok()) << "step " << step;
  }
}

TEST_P(StoreStormTest, OrdersByHandLeaveNothingBehind) {
  Put("m", 1);
  StoreOptions options = {.mode = StoreMode::kExplicit};
  options.models["m"].labels["stable"] = 2;
  Open(options);

  for (int step = 0; step < kSteps; ++step) {
    ChangeFiles();
    ChangeHandles();
    if (Random(3) == 0) ChangeLabels();
    const std::optional<uint64_t> version =
        Random(2) == 0 ? std::optional(RandomVersion()) : std::nullopt;
    switch (Random(4)) {
      case 0:
        store_->Unload("m", version).IgnoreError();
        break;
      case 1:
        Poll();
        break;
      default:
        const bool loaded = store_->Load("m", version).ok();
        EXPECT_TRUE(!loaded || !Served("m").empty()) << "step " << step;
    }
    CheckAtRest();
  }
  handles_.clear();
  store_->Unload("m", std::nullopt).IgnoreError();
  store_->WaitUntilIdle();
  EXPECT_EQ(loader_.num_alive(), 0);
}

INSTANTIATE_TEST_SUITE_P(Seeds, StoreStormTest, testing::Range(0, 12));

}  // namespace
}  // namespace ladder::model_store
