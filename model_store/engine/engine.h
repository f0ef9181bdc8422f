#ifndef LADDER_MODEL_STORE_ENGINE_ENGINE_H_
#define LADDER_MODEL_STORE_ENGINE_ENGINE_H_

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "model_store/engine/device.h"
#include "model_store/engine/model.h"

namespace ladder::model_store {

class RowSelector;
class Runtime;

// Which implementation of the distance serves.
enum class RouterKind {
  kAuto,    // kGraph on CUDA, kNative on the CPU.
  kNative,  // The SIMD solver on the host.
  kGraph,   // router.onnx on the engine's device.
};

struct EngineOptions {
  std::string device = "auto";  // auto, cpu, cuda or cuda:N.
  RouterKind router = RouterKind::kAuto;
  // Runs of one graph at the same time; further callers wait. They share the
  // threads: more instances give more throughput, fewer a shorter latency.
  size_t instances = 1;
  // CPU threads of all instances together, callers included; 0 takes what the
  // cgroup grants. There are never fewer than instances.
  size_t threads = 0;
  // The batch sizes that are warmed and that every batch is padded to,
  // ascending; the last is the largest batch.
  std::vector<size_t> batch_sizes = {1, 8, 32};
  // The most memory, in bytes, that all graphs together may use for what they
  // compute on the host, weights excepted; 0 is no limit. The same for all
  // engines of a process. On CUDA the limit is the provider's own option
  // gpu_mem_limit.
  uint64_t host_arena_limit = 0;
  // Given to ONNX Runtime as they are, by its own names; they override ours.
  std::map<std::string, std::string> cuda_options = {};
  std::map<std::string, std::string> session_config = {};
};

// Receives ONNX Runtime's own messages, warnings and worse, from any thread; of
// all engines of the process, because ONNX Runtime does not tell them apart.
// Must not call the engine.
using EngineLog = std::function<void(absl::string_view message)>;

// ONNX Runtime in this process: device, threads and memory that all loaded
// models share. Models keep alive what they need of it.
//
// Thread-safe. No ONNX Runtime exception leaves this module.
class Engine final : public ModelLoader {
 public:
  // InvalidArgument if an option is out of range; FailedPrecondition if `cuda`
  // was asked for and cannot be had, naming the missing piece: the provider
  // library, a CUDA or cuDNN library, the driver or the device; if ONNX Runtime
  // is too old; or if another engine of the process has another
  // host_arena_limit.
  static absl::StatusOr<std::unique_ptr<Engine>> Create(EngineOptions options,
                                                        EngineLog log = {});

  const Device& device() const;

  // Why `auto` took the CPU; empty if it did not. For one line in a log.
  absl::string_view fallback_reason() const;

  // How many runs of graphs have failed since one last succeeded, by no fault
  // of their callers: a device that is lost lets none succeed any more. Loading
  // does not count.
  uint64_t num_failed_runs() const;

  absl::StatusOr<ModelHandle> Load(const std::filesystem::path& directory,
                                   std::stop_token stop) override;

 private:
  Engine(std::shared_ptr<const Runtime> runtime,
         std::shared_ptr<const RowSelector> row_selector);

  const std::shared_ptr<const Runtime> runtime_;
  const std::shared_ptr<const RowSelector> row_selector_;
};

}  // namespace ladder::model_store

#endif  // LADDER_MODEL_STORE_ENGINE_ENGINE_H_
