#include "server/config/server_flags.h"

#include <cstdint>
#include <limits>

#include "absl/strings/str_cat.h"
#include "server/config/model_value_kind.h"
#include "server/config/value_kind.h"

namespace ladder::server {
namespace {

using model_store::StoreMode;
using model_store::StoreModeName;

constexpr uint64_t kNoMaximum = std::numeric_limits<uint64_t>::max();
constexpr uint64_t kMaxThreads = 4096;
// gRPC counts bytes of a message in an int.
constexpr uint64_t kMaxMessageBytes = std::numeric_limits<int32_t>::max();
// Longer times are more likely a slip of units.
constexpr absl::Duration kDay = absl::Hours(24);
constexpr absl::Duration kYear = absl::Hours(365 * 24);

void AddListening(std::vector<Flag>& flags) {
  FlagSection(flags, "Listening", &ServerConfig::listen)
      .Add("--grpc-address", &ListenConfig::grpc_address, AddressKind(),
           "Address that the gRPC services listen on.")
      .Add("--grpc-port", &ListenConfig::grpc_port, PortKind(),
           "Port of the gRPC services. 0 takes any free port, here and below; "
           "the ports taken are printed at the start.")
      .Add("--http-address", &ListenConfig::http_address, AddressKind(),
           "Address of the plain HTTP ports: probes and metrics.")
      .Add("--allow-http", &ListenConfig::allow_http, BooleanKind(),
           "Answer liveness and readiness probes over HTTP.")
      .Add("--http-port", &ListenConfig::http_port, PortKind(),
           "Port of the probes: /v2/health/live and /v2/health/ready.")
      .Add("--allow-metrics", &ListenConfig::allow_metrics, BooleanKind(),
           "Serve metrics for Prometheus.")
      .Add("--metrics-port", &ListenConfig::metrics_port, PortKind(),
           "Port of /metrics.");
}

void AddModels(std::vector<Flag>& flags) {
  const auto mode = [](StoreMode value) {
    return std::pair(std::string(StoreModeName(value)), value);
  };
  FlagSection(flags, "Models", &ServerConfig::models)
      .Add("--model-repository", &ModelsConfig::repository,
           TextKind("DIRECTORY", "a directory"),
           "Where the models are, as DIRECTORY/MODEL/VERSION/. Required.")
      .Alias("--model-store")
      .Add("--model-control-mode", &ModelsConfig::control_mode,
           ChoiceKind<StoreMode>(
               "MODE", {mode(StoreMode::kPoll), mode(StoreMode::kExplicit),
                        mode(StoreMode::kNone)}),
           "poll follows the directory, none loads what is there at the start, "
           "explicit loads --load-model and what is asked for by RPC.")
      .Add("--repository-poll-secs", &ModelsConfig::poll_interval,
           SecondsKind(kDay), "How often poll looks at the directory.")
      .Add("--load-model", &ModelsConfig::load,
           ModelNamesKind(/*wildcard=*/true),
           "Models to load at the start in mode explicit; * for all.")
      .Add("--required-models", &ModelsConfig::required,
           ModelNamesKind(/*wildcard=*/false),
           "The server is ready once each of these has a served version. If "
           "none are named: those that are to be loaded at the start.")
      .Add("--version-policy", &ModelsConfig::policy, VersionPolicyKind(),
           "Versions to serve: latest:N (the N highest that load), all, or "
           "specific:N,N,...")
      .Add("--model-version-policy", &ModelsConfig::policies,
           ModelPoliciesKind(),
           "Versions to serve of single models, such as "
           "'birds=latest:2;fish=all'.")
      .Add("--model-labels", &ModelsConfig::labels, ModelLabelsKind(),
           "Names for versions, such as birds:stable=3,birds:canary=4. A "
           "version with a label is served whatever the policy says.");
}

void AddEngine(std::vector<Flag>& flags) {
  FlagSection(flags, "Execution", &ServerConfig::engine)
      .Add("--device", &EngineConfig::device, DeviceKind(),
           "auto takes CUDA if it can be had and the CPU otherwise; cpu; cuda "
           "or cuda:N, which stops if it cannot be had.")
      .Add("--threads", &EngineConfig::threads, CountKind(0, kMaxThreads),
           "CPU threads for models; 0 for what the control group grants.")
      .Add("--instances", &EngineConfig::instances, CountKind(1, kMaxThreads),
           "Runs of a model at the same time, which share the threads.")
      .Add("--batch-sizes", &EngineConfig::batch_sizes, BatchSizesKind(),
           "Sizes that are warmed and that batches are padded to, ascending.")
      .Add("--deterministic", &EngineConfig::deterministic, BooleanKind(),
           "Equal bits whatever else is served: only the largest of "
           "--batch-sizes is used.")
      .Add("--host-memory-limit", &EngineConfig::host_memory_limit,
           BytesKind(0, kNoMaximum),
           "Memory for what models compute on the host, weights excepted; 0 "
           "for no limit.")
      .Add("--cuda-option", &EngineConfig::cuda_options, OptionsKind(),
           "Options of ONNX Runtime's CUDA provider, by its own names.");
}

void AddBatching(std::vector<Flag>& flags) {
  constexpr absl::Duration kMaxDelay = absl::Seconds(10);
  FlagSection(flags, "Batching", &ServerConfig::batching)
      .Add("--max-batch-size", &BatchingConfig::max_batch_size,
           CountKind(0, kNoMaximum),
           "Samples of all streams that are put together into one batch; 0 for "
           "the largest of --batch-sizes.")
      .Add("--max-queue-delay-microseconds", &BatchingConfig::max_queue_delay,
           MicrosecondsKind(kMaxDelay),
           "How long a sample waits for others to fill its batch.")
      .Add(BatchingConfig::kMaxQueuedSamplesFlag,
           &BatchingConfig::max_queued_samples, CountKind(1, kNoMaximum),
           "Samples that may wait for a batch; more are refused.");
}

void AddLimits(std::vector<Flag>& flags) {
  using Limits = LimitsConfig;
  FlagSection(flags, "Limits", &ServerConfig::limits)
      .Add(Limits::kMaxMessageBytesFlag, &Limits::max_message_bytes,
           BytesKind(1024, kMaxMessageBytes), "Size of one received message.")
      .Add(Limits::kMaxGroupSamplesFlag, &Limits::max_group_samples,
           CountKind(1, kNoMaximum), "Samples in one group.")
      .Add(Limits::kMaxGroupBytesFlag, &Limits::max_group_bytes,
           BytesKind(1, kNoMaximum), "Memory that one group may take.")
      .Add(Limits::kMaxGroupsPerStreamFlag, &Limits::max_groups_per_stream,
           CountKind(1, kNoMaximum), "Groups open at once on one stream.")
      .Add(Limits::kMaxConcurrentStreamsFlag, &Limits::max_concurrent_streams,
           CountKind(1, std::numeric_limits<int32_t>::max()),
           "Streams open at once, of all clients.")
      .Add(Limits::kMaxImagePixelsFlag, &Limits::max_image_pixels,
           CountKind(1, kNoMaximum),
           "Width times height of one picture, checked before decoding.")
      .Add(Limits::kMaxInflightBytesFlag, &Limits::max_inflight_bytes,
           BytesKind(0, kNoMaximum),
           "Memory that all groups in flight may take; 0 for half of what the "
           "control group or the machine has.")
      .Add(Limits::kMaxStreamSecondsFlag, &Limits::max_stream_time,
           SecondsKind(kYear), "How long a stream may stay open.")
      .Add(Limits::kMaxIdleSecondsFlag, &Limits::max_idle_time,
           SecondsKind(kYear),
           "How long a stream may stay open without a message.")
      .Add(Limits::kMaxNameBytesFlag, &Limits::max_name_bytes,
           CountKind(1, 65536), "Length of a group's name or a sample's id.");
}

void AddLifeCycle(std::vector<Flag>& flags) {
  FlagSection(flags, "Life cycle", &ServerConfig::life_cycle)
      .Add("--exit-timeout-secs", &LifeCycleConfig::exit_timeout,
           SecondsKind(kDay, /*zero_is_allowed=*/true),
           "After SIGTERM, how long calls in flight may take to finish.")
      .Alias("--exit-timeout");
}

void AddSecurity(std::vector<Flag>& flags) {
  const auto file = TextKind("FILE", "a file");
  FlagSection(flags, "Security", &ServerConfig::security)
      .Add("--tls-certificate", &SecurityConfig::tls_certificate, file,
           "The server's certificate chain, PEM. Without it gRPC is "
           "plaintext.")
      .Add("--tls-key", &SecurityConfig::tls_key, file,
           "The certificate's private key, PEM.")
      .Add("--tls-client-ca", &SecurityConfig::tls_client_ca, file,
           "Clients must show a certificate that one of these has signed, "
           "PEM.")
      .Add("--tls-reload-secs", &SecurityConfig::tls_reload_interval,
           SecondsKind(kDay),
           "How often the files of this section are looked at for changes.")
      .Add("--auth-token-file", &SecurityConfig::auth_token_file, file,
           "Bearer tokens, one per line; every RPC but health needs one.")
      .Add("--enable-reflection", &SecurityConfig::enable_reflection,
           BooleanKind(), "Tell clients which RPCs there are.")
      .Add("--allow-model-control", &SecurityConfig::allow_model_control,
           BooleanKind(), "Let clients load, unload and reload models.")
      .Add("--allow-compression", &SecurityConfig::allow_compression,
           BooleanKind(),
           "Take compressed messages. A small one can unpack to much memory: "
           "for trusted clients only.");
}

void AddObservability(std::vector<Flag>& flags) {
  FlagSection(flags, "Observability", &ServerConfig::observe)
      .Add("--log-format", &ObserveConfig::log_format,
           ChoiceKind<LogFormat>("FORMAT", {{"text", LogFormat::kText},
                                            {"json", LogFormat::kJson}}),
           "text for people, json for machines.")
      .Add("--log-level", &ObserveConfig::log_level,
           ChoiceKind<LogLevel>("LEVEL", {{"error", LogLevel::kError},
                                          {"warn", LogLevel::kWarn},
                                          {"info", LogLevel::kInfo},
                                          {"debug", LogLevel::kDebug}}),
           "The least important lines to log: error, warn, info or debug.")
      .Add("--access-log", &ObserveConfig::access_log, BooleanKind(),
           "Log one line for every group.")
      .Add("--metrics-recent-groups", &ObserveConfig::metrics_recent_groups,
           CountKind(0, 10'000),
           "Groups whose weights are metrics of their own, at most.")
      .Add("--metrics-group-expiry-secs", &ObserveConfig::metrics_group_expiry,
           SecondsKind(kYear), "How long after its end a group has metrics.")
      .Add("--otlp-endpoint", &ObserveConfig::otlp_endpoint, CollectorUrlKind(),
           "OpenTelemetry collector that spans are exported to, such as "
           "http://localhost:4317; https for TLS.");
}

}  // namespace

std::vector<Flag> ServerFlags() {
  std::vector<Flag> flags;
  AddListening(flags);
  AddModels(flags);
  AddEngine(flags);
  AddBatching(flags);
  AddLimits(flags);
  AddLifeCycle(flags);
  AddSecurity(flags);
  AddObservability(flags);
  return flags;
}

std::vector<std::string> FormatConfig(const ServerConfig& config) {
  std::vector<std::string> lines;
  for (const Flag& flag : ServerFlags()) {
    lines.push_back(absl::StrCat(flag.name, "=", flag.get(config)));
  }
  return lines;
}

}  // namespace ladder::server
