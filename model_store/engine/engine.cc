#include "model_store/engine/engine.h"

#include <utility>

#include "base/status_macros.h"
#include "model_store/engine/onnx_model.h"
#include "model_store/engine/row_selector.h"
#include "model_store/engine/runtime.h"
#include "model_store/format/bundle.h"
#include "routing/thread_pool.h"

namespace ladder::model_store {

absl::StatusOr<std::unique_ptr<Engine>> Engine::Create(EngineOptions options,
                                                       EngineLog log) {
  LADDER_ASSIGN_OR_RETURN(std::shared_ptr<const Runtime> runtime,
                          Runtime::Create(std::move(options), std::move(log)));
  LADDER_ASSIGN_OR_RETURN(std::unique_ptr<RowSelector> row_selector,
                          RowSelector::Create(runtime));
  return std::unique_ptr<Engine>(
      new Engine(std::move(runtime), std::move(row_selector)));
}

Engine::Engine(std::shared_ptr<const Runtime> runtime,
               std::shared_ptr<const RowSelector> row_selector)
    : runtime_(std::move(runtime)), row_selector_(std::move(row_selector)) {}

const Device& Engine::device() const { return runtime_->device(); }

absl::string_view Engine::fallback_reason() const {
  return runtime_->fallback_reason();
}

uint64_t Engine::num_failed_runs() const { return runtime_->num_failed_runs(); }

absl::StatusOr<ModelHandle> Engine::Load(const std::filesystem::path& directory,
                                         std::stop_token stop) {
  // Its own threads, so that loading does not wait for those that serve.
  routing::ThreadPool pool(static_cast<int>(runtime_->num_threads()));
  const routing::Execution execution = {.pool = &pool, .stop = std::move(stop)};
  LADDER_ASSIGN_OR_RETURN(const BundleFiles files,
                          ReadBundleFiles(directory, execution));
  return OnnxModel::Load(runtime_, row_selector_, files, execution);
}

}  // namespace ladder::model_store
