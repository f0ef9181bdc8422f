#ifndef LADDER_TESTS_TRAINER_ENCODE_SERVED_BUNDLE_H_
#define LADDER_TESTS_TRAINER_ENCODE_SERVED_BUNDLE_H_

#include <filesystem>
#include <memory>
#include <utility>

#include "model_store/engine/engine.h"
#include "model_store/format/bundle.h"
#include "tests/model_store/tiny_bundle.h"
#include "tests/temporary_directory.h"

namespace ladder::trainer {

// A bundle on disk and an engine to load it with, which takes batches of 8.
class ServedBundle {
 public:
  explicit ServedBundle(
      model_store::BundleContents contents = model_store::TinyBundle())
      : directory_(model_store::WriteBundle(store_.path(), std::move(contents))
                       .value()),
        engine_(model_store::Engine::Create(
                    {.device = "cpu", .threads = 1, .batch_sizes = {8}})
                    .value()) {}

  const std::filesystem::path& directory() const { return directory_; }
  model_store::Engine& engine() const { return *engine_; }
  std::shared_ptr<const model_store::Model> Load() const {
    return engine_->Load(directory_, /*stop=*/{}).value();
  }

 private:
  TemporaryDirectory store_;
  std::filesystem::path directory_;
  std::unique_ptr<model_store::Engine> engine_;
};

}  // namespace ladder::trainer

#endif  // LADDER_TESTS_TRAINER_ENCODE_SERVED_BUNDLE_H_
