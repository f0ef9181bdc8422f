#ifndef LADDER_TESTS_FAKES_FAKE_MODEL_LOADER_H_
#define LADDER_TESTS_FAKES_FAKE_MODEL_LOADER_H_

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <stop_token>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "model_store/engine/model.h"
#include "model_store/format/bundle.h"
#include "model_store/format/file_bytes.h"
#include "tests/fakes/fake_model.h"

namespace ladder::model_store {

// Makes a FakeModel of any folder with a manifest.json, whatever is in it.
// Names versions "model/3", as their folders.
//
// If encoder.onnx says "broken", the load fails. If the manifest says
// "identity <model> <version>", that is who the model claims to be; otherwise
// the folder is believed. Thread-safe.
class FakeModelLoader final : public ModelLoader {
 public:
  absl::StatusOr<std::shared_ptr<const Model>> Load(
      const std::filesystem::path& directory, std::stop_token stop) override {
    const std::string name =
        absl::StrCat(directory.parent_path().filename().string(), "/",
                     directory.filename().string());
    if (!Enter(name, stop)) return absl::CancelledError("stopped");
    const std::string text = ReadFile(directory / kManifestFile);
    if (ReadFile(directory / kEncoderFile) == "broken") {
      return absl::InvalidArgumentError(
          "encoder.onnx: expected a model, found \"broken\"");
    }
    return std::make_shared<CountedModel>(ManifestOf(directory, text),
                                          Digest(text), alive_);
  }

  // Loads of `name` begin but do not end until Release, or until stopped.
  void Hold(const std::string& name) {
    const std::lock_guard lock(mutex_);
    held_.insert(name);
  }
  void Release(const std::string& name) {
    const std::lock_guard lock(mutex_);
    held_.erase(name);
    changed_.notify_all();
  }

  // Returns once a load of `name` has begun for the `times`-th time.
  void WaitForLoad(const std::string& name, int times = 1) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return loads_[name] >= times; });
  }

  int loads(const std::string& name) {
    const std::lock_guard lock(mutex_);
    return loads_[name];
  }

  // How many of the models made are in memory, and how many loads ran at most
  // at the same time.
  int num_alive() const { return *alive_; }
  int max_parallel() {
    const std::lock_guard lock(mutex_);
    return max_parallel_;
  }

  static std::string Digest(absl::string_view text) {
    return Sha256(std::as_bytes(std::span(text.data(), text.size())));
  }

 private:
  using Counter = std::shared_ptr<std::atomic<int>>;

  class CountedModel final : public FakeModel {
   public:
    CountedModel(Manifest manifest, std::string sha256, Counter alive)
        : FakeModel(std::move(manifest), std::move(sha256)),
          alive_(std::move(alive)) {
      ++*alive_;
    }
    ~CountedModel() override { --*alive_; }

   private:
    const Counter alive_;
  };

  // False if stopped while being held.
  bool Enter(const std::string& name, const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    ++loads_[name];
    max_parallel_ = std::max(max_parallel_, ++parallel_);
    changed_.notify_all();
    const bool released =
        changed_.wait(lock, stop, [&] { return !held_.contains(name); });
    --parallel_;
    return released;
  }

  static std::string ReadFile(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  static Manifest ManifestOf(const std::filesystem::path& directory,
                             const std::string& text) {
    Manifest manifest;
    manifest.classes = {"cat", "dog"};
    manifest.sources = {{.name = "north"}, {.name = "south"}};
    manifest.style_dimension = 1;
    manifest.content_dimension = 1;
    std::string version = directory.filename().string();
    manifest.model = directory.parent_path().filename().string();
    const std::pair<absl::string_view, absl::string_view> parts =
        absl::StrSplit(text, absl::MaxSplits("identity ", 1));
    if (!parts.second.empty()) {
      const std::pair<std::string, std::string> identity =
          absl::StrSplit(parts.second, ' ');
      manifest.model = identity.first;
      version = identity.second;
    }
    if (!absl::SimpleAtoi(version, &manifest.version)) manifest.version = 0;
    return manifest;
  }

  const Counter alive_ = std::make_shared<std::atomic<int>>(0);
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::set<std::string> held_;
  std::map<std::string, int> loads_;
  int parallel_ = 0;
  int max_parallel_ = 0;
};

}  // namespace ladder::model_store

#endif  // LADDER_TESTS_FAKES_FAKE_MODEL_LOADER_H_
