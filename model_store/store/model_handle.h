#ifndef LADDER_MODEL_STORE_STORE_MODEL_HANDLE_H_
#define LADDER_MODEL_STORE_STORE_MODEL_HANDLE_H_

#include <functional>
#include <memory>

#include "base/system/task_queue.h"
#include "model_store/engine/model.h"

namespace ladder::model_store {

// Keeps a version in memory; the last one to be dropped frees it.
using ModelHandle = std::shared_ptr<const Model>;

// A handle to `loaded` whose end is noticed: when the last copy is dropped, the
// model is freed and then `on_released` called, both as a task of `tasks`,
// because freeing takes a while and the last to let go may be in the middle of
// a request. If the queue has stopped, the model is freed on the spot and
// nobody is told.
ModelHandle WatchedHandle(ModelHandle loaded,
                          std::weak_ptr<base::TaskQueue> tasks,
                          std::function<void()> on_released);

}  // namespace ladder::model_store

#endif  // LADDER_MODEL_STORE_STORE_MODEL_HANDLE_H_
