#ifndef LADDER_MODEL_STORE_ENGINE_RUNTIME_H_
#define LADDER_MODEL_STORE_ENGINE_RUNTIME_H_

#include <onnxruntime_cxx_api.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "model_store/engine/device.h"
#include "model_store/engine/engine.h"
#include "model_store/engine/environment.h"
#include "model_store/engine/session_options.h"
#include "model_store/engine/tensor.h"

namespace ladder::model_store {

// What an engine's graphs share: the device, the memory, and the options that
// every session is created with. Thread-safe, and immutable but for what is
// counted.
class Runtime {
 public:
  // Errors as Engine::Create.
  static absl::StatusOr<std::shared_ptr<const Runtime>> Create(
      EngineOptions options, EngineLog log);

  const EngineOptions& options() const { return options_; }
  const Device& device() const { return device_; }
  const std::string& fallback_reason() const { return fallback_reason_; }

  // CPU threads of all instances together.
  size_t num_threads() const { return num_threads_; }
  // On the CPU all instances run in one session, whose Run may be called by
  // many threads at once: the weights are there once, and a caller's operators
  // are shared with the workers that the others leave idle. On CUDA each has
  // its own, with a stream and an arena that no other waits for.
  size_t num_sessions(GraphRole role) const;

  // A session over `model`, which need not stay. `name` is for messages.
  absl::StatusOr<Ort::Session> CreateSession(std::span<const std::byte> model,
                                             absl::string_view name,
                                             GraphRole role) const;

  // Where tensors stay between graphs.
  Tensor::Place device_place() const;
  const Ort::MemoryInfo& memory(Tensor::Place place) const;
  HostArena& arena() const { return environment_->arena(); }

  // How a run of a graph has ended. Failures that are the caller's count for
  // nothing.
  void NoteRun(const absl::Status& status) const;
  // See Engine.
  uint64_t num_failed_runs() const { return num_failed_runs_; }

  // Return memory to the system: what loading a model has left behind, and what
  // no graph uses at the moment.
  void AfterLoad() const;
  void AfterUnload() const;

 private:
  Runtime(EngineOptions options, EngineLog log,
          std::shared_ptr<Environment> environment, Device device,
          std::string fallback_reason);

  const EngineOptions options_;
  const std::shared_ptr<Environment> environment_;
  const Environment::LogSubscription log_;
  const Device device_;
  const std::string fallback_reason_;
  const size_t num_threads_;
  const Ort::MemoryInfo host_memory_;
  const Ort::MemoryInfo device_memory_;
  mutable std::atomic<uint64_t> num_failed_runs_ = 0;
};

}  // namespace ladder::model_store

#endif  // LADDER_MODEL_STORE_ENGINE_RUNTIME_H_
