#ifndef LADDER_TESTS_MODEL_STORE_STORE_STORE_FIXTURE_H_
#define LADDER_TESTS_MODEL_STORE_STORE_STORE_FIXTURE_H_

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "model_store/store/model_store.h"
#include "tests/fakes/fake_model_loader.h"
#include "tests/model_store/store/fake_bundle.h"
#include "tests/model_store/store/recording_observer.h"
#include "tests/temporary_directory.h"

namespace ladder::model_store {

// A store in a folder of its own, loaded by a FakeModelLoader; polls only when
// told to.
class StoreFixture : public testing::Test {
 protected:
  void Put(const std::string& model, uint64_t version,
           const FakeBundle& bundle = {}) {
    WriteFakeBundle(root_.path(), model, version, bundle);
  }

  void Remove(const std::string& name) {
    std::filesystem::remove_all(root_.path() / name);
  }

  static StoreOptions ManualPolling() {
    return {.poll_interval = absl::InfiniteDuration()};
  }

  // Opens the store and lets it come to rest.
  void Open(StoreOptions options = ManualPolling()) {
    OpenOnly(std::move(options));
    store_->WaitUntilIdle();
  }

  void OpenOnly(StoreOptions options) {
    options.observer = &observer_;
    options.now = [this] { return clock_.Now(); };
    auto store = ModelStore::Open(root_.path(), loader_, std::move(options));
    ASSERT_TRUE(store.ok()) << store.status();
    store_ = *std::move(store);
  }

  // Polls and lets the store come to rest.
  void Poll() {
    store_->Poll().IgnoreError();
    store_->WaitUntilIdle();
  }

  // What a query for `model` gets: a version, or 0.
  uint64_t Default(const std::string& model) const {
    const auto handle = store_->Get(model);
    return handle.ok() ? (*handle)->manifest().version : 0;
  }

  std::vector<uint64_t> Served(const std::string& model) const {
    const auto info = store_->Describe(model);
    return info.ok() ? info->served : std::vector<uint64_t>();
  }

  VersionInfo InfoOf(const std::string& model, uint64_t version) const {
    const auto info = store_->Describe(model);
    EXPECT_TRUE(info.ok()) << info.status();
    if (!info.ok()) return {};
    for (const VersionInfo& candidate : info->versions) {
      if (candidate.version == version) return candidate;
    }
    ADD_FAILURE() << "no version " << version << " of " << model;
    return {};
  }

  VersionState StateOf(const std::string& model, uint64_t version) const {
    return InfoOf(model, version).state;
  }

  TemporaryDirectory root_;
  FakeModelLoader loader_;
  StepClock clock_;
  RecordingObserver observer_;
  std::unique_ptr<ModelStore> store_;
};

}  // namespace ladder::model_store

#endif  // LADDER_TESTS_MODEL_STORE_STORE_STORE_FIXTURE_H_
