#ifndef LADDER_MODEL_STORE_ENGINE_MODEL_LOADER_H_
#define LADDER_MODEL_STORE_ENGINE_MODEL_LOADER_H_

#include <filesystem>
#include <memory>
#include <stop_token>

#include "absl/status/statusor.h"
#include "model_store/engine/model.h"

namespace ladder::model_store {

// Turns a bundle on disk into a model that is verified, warmed and ready.
class ModelLoader {
 public:
  virtual ~ModelLoader() = default;

  // The result owns all it needs: `directory` may change afterwards. May be
  // called from several threads. Cancelled if `stop` was requested.
  virtual absl::StatusOr<std::shared_ptr<const Model>> Load(
      const std::filesystem::path& directory, std::stop_token stop) = 0;
};

}  // namespace ladder::model_store

#endif  // LADDER_MODEL_STORE_ENGINE_MODEL_LOADER_H_
