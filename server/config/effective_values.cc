#include "server/config/effective_values.h"

namespace ladder::server {

model_store::StoreOptions MakeStoreOptions(const ModelsConfig& models) {
  model_store::StoreOptions options = {.mode = models.control_mode,
                                       .poll_interval = models.poll_interval,
                                       .policy = models.policy};
  for (const auto& [model, policy] : models.policies) {
    options.models[model].policy = policy;
  }
  for (const auto& [model, labels] : models.labels) {
    // A model that has only labels follows the policy for all.
    const auto [config, is_new] = options.models.try_emplace(
        model, model_store::ModelConfig{.policy = models.policy});
    config->second.labels = labels;
  }
  return options;
}

model_store::EngineOptions MakeEngineOptions(const EngineConfig& engine) {
  model_store::EngineOptions options = {
      .device = engine.device,
      .instances = engine.instances,
      .threads = engine.threads,
      .batch_sizes = engine.batch_sizes,
      .host_arena_limit = engine.host_memory_limit,
      .cuda_options = engine.cuda_options};
  if (engine.deterministic) options.batch_sizes = {engine.batch_sizes.back()};
  return options;
}

size_t MaxBatchSize(const ServerConfig& config) {
  return config.batching.max_batch_size > 0 ? config.batching.max_batch_size
                                            : config.engine.batch_sizes.back();
}

uint64_t MaxInflightBytes(const LimitsConfig& limits, uint64_t granted_memory) {
  if (limits.max_inflight_bytes > 0) return limits.max_inflight_bytes;
  // What a machine surely has whose memory cannot be read.
  constexpr uint64_t kUnknownMemory = uint64_t{2} << 30;
  return (granted_memory > 0 ? granted_memory : kUnknownMemory) / 2;
}

}  // namespace ladder::server
