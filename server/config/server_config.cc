#include "server/config/server_config.h"

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "model_store/store/store_options.h"
#include "server/config/flag_value.h"
#include "server/config/server_flags.h"

namespace ladder::server {
namespace {

using model_store::StoreMode;

absl::Status Wrong(absl::string_view flag, absl::string_view expected,
                   absl::string_view got) {
  return absl::InvalidArgumentError(
      absl::StrCat(flag, ": expected ", expected, ", got ", got));
}

absl::Status CheckRanges(const ServerConfig& config) {
  ServerConfig scratch = config;
  for (const Flag& flag : ServerFlags(scratch)) {
    const std::string text = flag.value.Get();
    if (!flag.value.Set(text)) {
      return WrongValueError(flag.name, flag.value.expected, text);
    }
  }
  return absl::OkStatus();
}

struct Endpoint {
  absl::string_view flag;
  absl::string_view address;
  int port;
};

bool IsEveryAddress(absl::string_view address) {
  return address == "0.0.0.0" || address == "::" || address == "[::]";
}

bool Clash(const Endpoint& a, const Endpoint& b) {
  const bool same_address = a.address == b.address ||
                            IsEveryAddress(a.address) ||
                            IsEveryAddress(b.address);
  return a.port != 0 && a.port == b.port && same_address;
}

absl::Status CheckPorts(const ListenConfig& listen) {
  std::vector<Endpoint> taken = {
      {"--grpc-port", listen.grpc_address, listen.grpc_port}};
  const auto add = [&](const Endpoint& next) -> absl::Status {
    for (const Endpoint& other : taken) {
      if (Clash(next, other)) {
        return Wrong(next.flag,
                     absl::StrCat("another port than that of ", other.flag),
                     absl::StrCat(next.port, " for both"));
      }
    }
    taken.push_back(next);
    return absl::OkStatus();
  };
  absl::Status status;
  if (listen.allow_http) {
    status.Update(add({"--http-port", listen.http_address, listen.http_port}));
  }
  if (listen.allow_metrics) {
    status.Update(
        add({"--metrics-port", listen.http_address, listen.metrics_port}));
  }
  return status;
}

absl::Status CheckModels(const ServerConfig& config) {
  const ModelsConfig& models = config.models;
  if (models.repository.empty()) {
    return Wrong("--model-repository", "a directory with models", "none");
  }
  const bool is_explicit = models.control_mode == StoreMode::kExplicit;
  if (!is_explicit && !models.load.empty()) {
    return Wrong("--load-model", "--model-control-mode=explicit with it",
                 model_store::StoreModeName(models.control_mode));
  }
  if (is_explicit && models.load.empty() &&
      !config.security.allow_model_control) {
    return Wrong("--model-control-mode",
                 "--load-model or --allow-model-control with explicit",
                 "neither, so that nothing could ever be served");
  }
  return absl::OkStatus();
}

absl::Status CheckBatching(const ServerConfig& config) {
  const size_t largest = config.engine.batch_sizes.back();
  if (config.batching.max_batch_size > largest) {
    return Wrong(
        "--max-batch-size",
        absl::StrCat("at most the largest of --batch-sizes, ", largest),
        absl::StrCat(config.batching.max_batch_size));
  }
  return absl::OkStatus();
}

absl::Status CheckSecurity(const SecurityConfig& security) {
  const bool has_certificate = !security.tls_certificate.empty();
  const bool has_key = !security.tls_key.empty();
  if (has_key && !has_certificate) {
    return Wrong("--tls-key", "--tls-certificate with it", "none");
  }
  if (has_certificate && !has_key) {
    return Wrong("--tls-certificate", "--tls-key with it", "none");
  }
  if (!security.tls_client_ca.empty() && !has_certificate) {
    return Wrong("--tls-client-ca", "--tls-certificate with it", "none");
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status ServerConfig::Validate() const {
  LADDER_RETURN_IF_ERROR(CheckRanges(*this));  // The rest relies on it.
  absl::Status status = CheckModels(*this);
  status.Update(CheckPorts(listen));
  status.Update(CheckBatching(*this));
  status.Update(CheckSecurity(security));
  return status;
}

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

uint64_t GrpcBufferBytes(const LimitsConfig& limits) {
  // Room for two messages of the largest kind, and in any case for the many
  // small ones of a busy server.
  constexpr uint64_t kLeast = uint64_t{128} << 20;
  return std::max(kLeast, 2 * limits.max_message_bytes);
}

}  // namespace ladder::server
