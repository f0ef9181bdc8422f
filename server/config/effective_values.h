#ifndef LADDER_SERVER_CONFIG_EFFECTIVE_VALUES_H_
#define LADDER_SERVER_CONFIG_EFFECTIVE_VALUES_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "model_store/engine/engine.h"
#include "model_store/store/store_options.h"
#include "server/config/server_config.h"

namespace ladder::server {

// What a valid configuration means to those it configures, where one value
// depends on others or on the machine.

// The store's observer is the caller's to add.
model_store::StoreOptions MakeStoreOptions(const ModelsConfig& models);

model_store::EngineOptions MakeEngineOptions(const EngineConfig& engine);

// The most samples in a batch: positive.
size_t MaxBatchSize(const ServerConfig& config);

// The most bytes for groups in flight, on a machine that grants as many as
// GrantedMemory says; positive.
uint64_t MaxInflightBytes(const LimitsConfig& limits, uint64_t granted_memory);

}  // namespace ladder::server

#endif  // LADDER_SERVER_CONFIG_EFFECTIVE_VALUES_H_
