#include "model_store/store/model_handle.h"

#include <utility>

namespace ladder::model_store {

ModelHandle WatchedHandle(ModelHandle loaded,
                          std::weak_ptr<base::TaskQueue> tasks,
                          std::function<void()> on_released) {
  const Model* model = loaded.get();
  return ModelHandle(
      model, [loaded = std::move(loaded), tasks = std::move(tasks),
              on_released = std::move(on_released)](const Model*) mutable {
        auto release = [loaded = std::move(loaded),
                        on_released = std::move(on_released)]() mutable {
          loaded.reset();
          on_released();
        };
        if (const auto queue = tasks.lock()) queue->Post(std::move(release));
      });
}

}  // namespace ladder::model_store
