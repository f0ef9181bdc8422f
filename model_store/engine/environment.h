#ifndef LADDER_MODEL_STORE_ENGINE_ENVIRONMENT_H_
#define LADDER_MODEL_STORE_ENGINE_ENVIRONMENT_H_

#include <onnxruntime_cxx_api.h>

#include <cstdint>
#include <list>
#include <memory>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/system/mutex.h"
#include "model_store/engine/engine.h"
#include "model_store/engine/host_arena.h"

namespace ladder::model_store {

// FailedPrecondition, naming both versions, unless `version` ("1.31.1") is at
// least 1.24: earlier libraries read external data outside the model's folder.
absl::Status CheckOrtVersion(absl::string_view version);

// What ONNX Runtime has once per process: its Ort::Env with the log, and the
// arena on the host that the Env lends to every session. Shared by all engines,
// gone with the last of them and of their models and tensors.
//
// Thread-safe.
class Environment {
 public:
  // FailedPrecondition if the library is too old, or if the environment exists
  // with another limit (0 is none), naming both.
  static absl::StatusOr<std::shared_ptr<Environment>> Get(
      uint64_t host_arena_limit);
  ~Environment();
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

  const Ort::Env& env() const { return env_; }
  HostArena& arena() { return allocator_.arena; }

  // Passes ONNX Runtime's messages on for as long as it lives. `log` may be
  // empty; it must not call the engine.
  class LogSubscription {
   public:
    LogSubscription(std::shared_ptr<Environment> environment, EngineLog log);
    ~LogSubscription();
    LogSubscription(const LogSubscription&) = delete;
    LogSubscription& operator=(const LogSubscription&) = delete;

   private:
    const std::shared_ptr<Environment> environment_;
    std::list<EngineLog>::iterator log_;
  };

 private:
  // The arena as ONNX Runtime wants to see it.
  struct ArenaAllocator : OrtAllocator {
    explicit ArenaAllocator(uint64_t limit);

    HostArena arena;
    Ort::MemoryInfo info;
  };

  explicit Environment(uint64_t host_arena_limit);

  static void Log(void* self, OrtLoggingLevel severity, const char* category,
                  const char* log_id, const char* code_location,
                  const char* message);

  base::Mutex log_mutex_;
  std::list<EngineLog> logs_ ABSL_GUARDED_BY(log_mutex_);
  ArenaAllocator allocator_;  // Outlives env_, which holds its address.
  Ort::Env env_;
};

}  // namespace ladder::model_store

#endif  // LADDER_MODEL_STORE_ENGINE_ENVIRONMENT_H_
