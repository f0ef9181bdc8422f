#ifndef LADDER_SERVER_CONFIG_SERVER_CONFIG_H_
#define LADDER_SERVER_CONFIG_SERVER_CONFIG_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "model_store/engine/engine.h"
#include "model_store/store/store_options.h"
#include "model_store/store/version_policy.h"
#include "server/config/log_settings.h"

namespace ladder::server {

// All that can be set about a server. server_flags.cc has each field's flag,
// meaning and range.

// A port of 0 is any free one.
struct ListenConfig {
  std::string grpc_address = "0.0.0.0";
  int grpc_port = 8001;
  std::string http_address = "0.0.0.0";  // For probes and metrics.
  bool allow_http = true;
  int http_port = 8000;
  bool allow_metrics = true;
  int metrics_port = 8002;
};

struct ModelsConfig {
  // Stands for every model in `load`.
  static constexpr absl::string_view kEveryModel = "*";

  std::string repository = {};
  model_store::StoreMode control_mode = model_store::StoreMode::kPoll;
  absl::Duration poll_interval = absl::Seconds(5);
  std::vector<std::string> load = {};  // Used in mode explicit.
  // Readiness needs a served version of each; empty for those that there are
  // at the start and that have not been removed since.
  std::vector<std::string> required = {};
  model_store::VersionPolicy policy = model_store::VersionPolicy::Latest(1);
  std::map<std::string, model_store::VersionPolicy> policies =
      {};  // Per model.
  // Model, label, version.
  std::map<std::string, std::map<std::string, uint64_t>> labels = {};
};

struct EngineConfig {
  std::string device = "auto";
  uint64_t threads = 0;  // 0 takes what the cgroup grants.
  uint64_t instances = 1;
  std::vector<size_t> batch_sizes = {1, 8, 32};  // Ascending.
  bool deterministic = false;      // Only the largest batch size is used.
  uint64_t host_memory_limit = 0;  // In bytes; 0 is no limit.
  std::map<std::string, std::string> cuda_options = {};
};

struct BatchingConfig {
  static constexpr absl::string_view kMaxQueuedSamplesFlag =
      "--max-queued-samples";

  uint64_t max_batch_size = 0;  // 0 is the engine's largest.
  absl::Duration max_queue_delay = absl::Microseconds(200);
  uint64_t max_queued_samples = 16384;
};

// The flags' names are for the errors of the calls that keep the limits.
struct LimitsConfig {
  static constexpr absl::string_view kMaxMessageBytesFlag =
      "--max-message-bytes";
  static constexpr absl::string_view kMaxGroupsPerStreamFlag =
      "--max-groups-per-stream";
  static constexpr absl::string_view kMaxConcurrentStreamsFlag =
      "--max-concurrent-streams";
  static constexpr absl::string_view kMaxStreamsPerClientFlag =
      "--max-streams-per-client";
  static constexpr absl::string_view kMaxStreamSecondsFlag =
      "--max-stream-seconds";
  static constexpr absl::string_view kMaxIdleSecondsFlag = "--max-idle-seconds";
  static constexpr absl::string_view kMaxNameBytesFlag = "--max-name-bytes";

  uint64_t max_message_bytes = uint64_t{64} << 20;
  uint64_t max_group_samples = 1'000'000;
  uint64_t max_group_bytes = uint64_t{1} << 30;
  uint64_t max_groups_per_stream = 10'000;  // Open at once.
  uint64_t max_concurrent_streams = 256;
  uint64_t max_streams_per_client = 128;
  uint64_t max_image_pixels = 50'000'000;
  uint64_t max_inflight_bytes = 0;  // 0 is half of the memory there is.
  absl::Duration max_stream_time = absl::Hours(1);
  absl::Duration max_idle_time = absl::Minutes(5);
  uint64_t max_name_bytes = 256;  // For groups and sample ids.
};

struct LifeCycleConfig {
  // How long calls in flight may take to finish once a stop was asked for.
  absl::Duration exit_timeout = absl::Seconds(30);
  // How much longer a stop may take in all. Has no flag.
  absl::Duration stop_grace = absl::Seconds(10);
};

struct SecurityConfig {
  std::string tls_certificate = {};  // PEM files; empty for plaintext.
  std::string tls_key = {};
  std::string tls_client_ca = {};  // Set: clients must show a certificate.
  absl::Duration tls_reload_interval = absl::Seconds(30);  // Tokens, too.
  std::string auth_token_file = {};                        // Empty: no tokens.
  // Addresses whose word is taken for whom they forward calls.
  std::vector<std::string> trusted_proxies = {};
  bool enable_reflection = true;
  bool allow_model_control = false;
  bool allow_label_control = false;
  bool allow_compression = false;
};

struct ObserveConfig {
  LogFormat log_format = LogFormat::kText;
  LogLevel log_level = LogLevel::kInfo;
  bool access_log = true;
  uint64_t metrics_recent_groups = 50;
  absl::Duration metrics_group_expiry = absl::Minutes(10);
  std::string otlp_endpoint = {};  // Empty: no spans are exported.
};

struct ServerConfig {
  ListenConfig listen = {};
  ModelsConfig models = {};
  EngineConfig engine = {};
  BatchingConfig batching = {};
  LimitsConfig limits = {};
  LifeCycleConfig life_cycle = {};
  SecurityConfig security = {};
  ObserveConfig observe = {};

  // InvalidArgument in one line: the flag, what was expected, what came.
  absl::Status Validate() const;
};

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

// The most bytes that gRPC keeps of messages that have not arrived as a whole.
uint64_t GrpcBufferBytes(const LimitsConfig& limits);

}  // namespace ladder::server

#endif  // LADDER_SERVER_CONFIG_SERVER_CONFIG_H_
